//! The one writer: what has gathered at the door goes into the store in one transaction, then all are answered.
//!
//! Nobody waits for a batch to fill. While one is being committed the next one gathers, so a busy door makes large
//! batches and a quiet one answers at once.

use crate::ports::{Delivery, Store, StoreError, Taken, Work};
use chrono::{DateTime, Utc};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc, oneshot};

/// Deliveries in one transaction, at most.
const BATCH: usize = 64;
/// Deliveries that may wait for the writer; one more is refused.
const WAITING: usize = 1024;
/// How long the writer looks for company of a delivery that has come.
const GATHER: Duration = Duration::from_millis(1);

/// Why a delivery was not taken in. The forge shows it as failed, and it can be delivered again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Too many wait already.
    #[error("too many deliveries are waiting")]
    Full,
    /// The writer has stopped.
    #[error("the server is stopping")]
    Stopping,
    /// The database did not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The way to the writer. Once the last of its clones is gone, the writer ends.
#[derive(Clone, Debug)]
pub struct Intake(mpsc::Sender<Waiting>);

/// The writer's end.
pub struct Writer {
    store: Arc<dyn Store>,
    bell: Arc<Notify>,
    waiting: mpsc::Receiver<Waiting>,
    announced: Option<DateTime<Utc>>,
}

#[derive(Debug)]
struct Waiting {
    delivery: Delivery,
    answer: oneshot::Sender<Result<Taken, StoreError>>,
}

/// Makes both ends. `bell` is rung after a commit that left something due earlier than was announced before; who
/// listens looks at `Store::next_due` each time before it sleeps.
#[must_use]
pub fn intake(store: Arc<dyn Store>, bell: Arc<Notify>) -> (Intake, Writer) {
    let (sender, waiting) = mpsc::channel(WAITING);
    (Intake(sender), Writer { store, bell, waiting, announced: None })
}

impl Intake {
    /// Returns once the delivery is durable.
    ///
    /// # Errors
    /// [`Refused`]: it is not in the database.
    pub async fn take(&self, delivery: Delivery) -> Result<Taken, Refused> {
        let (answer, answered) = oneshot::channel();
        self.0.try_send(Waiting { delivery, answer }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Refused::Full,
            mpsc::error::TrySendError::Closed(_) => Refused::Stopping,
        })?;
        Ok(answered.await.map_err(|_| Refused::Stopping)??)
    }
}

impl Writer {
    /// Writes until every [`Intake`] is gone and what they sent is answered.
    pub async fn run(mut self) {
        let mut deliveries = Vec::with_capacity(BATCH);
        let mut answers = Vec::with_capacity(BATCH);
        while let Some(first) = self.waiting.recv().await {
            self.gather(first, &mut deliveries, &mut answers).await;
            let taken = self.store.take_in(&deliveries).await;
            if let Ok(taken) = &taken {
                self.ring(&deliveries, taken);
            }
            deliveries.clear();
            match taken {
                Ok(taken) => answers.drain(..).zip(taken).for_each(|(answer, taken)| reply(answer, Ok(taken))),
                Err(error) => answers.drain(..).for_each(|answer| reply(answer, Err(error.clone()))),
            }
        }
    }

    /// Takes what is there, and lets those who are half-way through the door come in.
    async fn gather(
        &mut self,
        first: Waiting,
        deliveries: &mut Vec<Delivery>,
        answers: &mut Vec<oneshot::Sender<Result<Taken, StoreError>>>,
    ) {
        let since = Instant::now();
        let mut next = Some(first);
        loop {
            let before = deliveries.len();
            while let Some(Waiting { delivery, answer }) = next {
                deliveries.push(delivery);
                answers.push(answer);
                next = if deliveries.len() < BATCH { self.waiting.try_recv().ok() } else { None };
            }
            let grew = deliveries.len() > before;
            if !grew || deliveries.len() == BATCH || since.elapsed() >= GATHER {
                return;
            }
            tokio::task::yield_now().await;
            next = self.waiting.try_recv().ok();
        }
    }

    fn ring(&mut self, deliveries: &[Delivery], taken: &[Taken]) {
        let dues = deliveries.iter().zip(taken).filter(|(_, taken)| **taken != Taken::Repeated);
        let due = dues.map(|(delivery, _)| due(delivery)).min();
        let received = deliveries.iter().map(|delivery| delivery.received_at).max();
        let (Some(due), Some(now)) = (due, received) else { return };
        // Who was told of something that is not due yet will wake for it, and then sees all the rest.
        if self.announced.is_some_and(|announced| now < announced && announced <= due) {
            return;
        }
        self.announced = Some(due);
        self.bell.notify_one();
    }
}

fn due(delivery: &Delivery) -> DateTime<Utc> {
    match &delivery.work {
        Work::Wake { slot, .. } => slot.due.max(delivery.received_at),
        Work::Unpause(_) => delivery.received_at,
    }
}

/// Who hung up meanwhile is told nothing; the delivery stands all the same.
fn reply(answer: oneshot::Sender<Result<Taken, StoreError>>, result: Result<Taken, StoreError>) {
    let _ = answer.send(result);
}
