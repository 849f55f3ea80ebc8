//! What a person sees who waits: a bar on standard error, on a terminal only, once a second has passed.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// How long nobody minds.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often something moves where no step is told.
const TICK: Duration = Duration::from_millis(200);

/// One wait.
pub(super) struct Progress {
    began: Instant,
    what: &'static str,
    total: Option<usize>,
    done: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins to wait for so many steps; none = nobody knows how many.
    pub fn new(what: &'static str, total: Option<usize>) -> Self {
        Self { began: Instant::now(), what, total, done: 0, bar: None }
    }

    /// Waits for something that takes nobody knows how many steps.
    pub async fn during<T>(what: &'static str, waited: impl Future<Output = T>) -> T {
        Self::new(what, None).beside(waited).await
    }

    /// Waits for a step, which the caller tells of once it is done.
    pub async fn beside<T>(&mut self, waited: impl Future<Output = T>) -> T {
        tokio::pin!(waited);
        loop {
            tokio::select! {
                end = &mut waited => return end,
                () = tokio::time::sleep(TICK) => self.tick(),
            }
        }
    }

    /// One step further.
    pub fn step(&mut self) {
        self.done += 1;
        self.tick();
    }

    /// Shows how far it is, once a second has passed.
    fn tick(&mut self) {
        if self.bar.is_none() && self.began.elapsed() > PATIENCE && std::io::stderr().is_terminal() {
            self.bar = Some(self.drawn());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
            bar.tick();
        }
    }

    fn drawn(&self) -> ProgressBar {
        let (bar, template) = match self.total {
            Some(total) => (ProgressBar::new(total as u64), "{msg} {pos}/{len} {wide_bar} {eta}"),
            None => (ProgressBar::new_spinner(), "{spinner} {msg} {elapsed}"),
        };
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
        .with_message(self.what)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
