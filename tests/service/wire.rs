//! A wire between the service and GitHub that can be cut, slow, or lose an answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the wire does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Everything passes.
    Open,
    /// Every connection breaks.
    Cut,
    /// Each request takes so long.
    Slow(Duration),
    /// A request that creates a comment arrives; its answer never comes.
    LosesComments,
}

/// The wire. Ends with the test's runtime.
pub struct Wire {
    /// Its near end, for `GITHUB_API_URL`.
    pub url: String,
    mode: watch::Sender<Mode>,
    lost: Arc<AtomicUsize>,
}

impl Wire {
    /// A wire to that base address, such as `http://127.0.0.1:40123`.
    pub async fn to(far: &str, mode: Mode) -> Self {
        let far = far.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = watch::channel(mode);
        let lost = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&lost);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(connection(near, far.clone(), receiver.clone(), Arc::clone(&counted)));
            }
        });
        Self { url, mode: sender, lost }
    }

    /// From now on, for connections that stand, too.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// How many answers were lost.
    pub fn lost(&self) -> usize {
        self.lost.load(Ordering::SeqCst)
    }
}

async fn connection(mut near: TcpStream, far: String, mut mode: watch::Receiver<Mode>, lost: Arc<AtomicUsize>) {
    if *mode.borrow() == Mode::Cut {
        return;
    }
    let Ok(mut far) = TcpStream::connect(far).await else { return };
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut swallows = false;
    loop {
        tokio::select! {
            read = near.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let request = &asked[..length];
                let now = *mode.borrow();
                match now {
                    Mode::Slow(pause) => tokio::time::sleep(pause).await,
                    Mode::LosesComments if creates_a_comment(request) => {
                        swallows = true;
                        lost.fetch_add(1, Ordering::SeqCst);
                    }
                    Mode::Cut => return,
                    Mode::Open | Mode::LosesComments => {}
                }
                if far.write_all(request).await.is_err() {
                    return;
                }
            }
            read = far.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if !swallows && near.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
            changed = mode.changed() => {
                if changed.is_err() || *mode.borrow_and_update() == Mode::Cut {
                    return;
                }
            }
        }
    }
}

fn creates_a_comment(request: &[u8]) -> bool {
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    line.starts_with(b"POST ") && line.ends_with(b"/comments HTTP/1.1")
}
