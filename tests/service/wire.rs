//! A wire between the service and GitHub that can be cut, slow, or lose an answer.

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
    /// A request that creates a comment arrives at once; its answer comes so much later.
    LateComments(Duration),
    /// A request that creates a comment arrives; its answer never comes.
    LosesComments,
}

/// The wire. Ends with the test's runtime.
pub struct Wire {
    /// Its near end, for `GITHUB_API_URL`.
    pub url: String,
    mode: watch::Sender<Mode>,
    seen: watch::Receiver<Seen>,
}

/// What has passed.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    requests: usize,
    lost: usize,
}

impl Wire {
    /// A wire to that base address, such as `http://127.0.0.1:40123`.
    pub async fn to(far: &str, mode: Mode) -> Self {
        let far = far.strip_prefix("http://").unwrap().to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = watch::channel(mode);
        let (counter, seen) = watch::channel(Seen::default());
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(connection(near, far.clone(), receiver.clone(), counter.clone()));
            }
        });
        Self { url, mode: sender, seen }
    }

    /// From now on, for connections that stand, too.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// How many answers were lost.
    pub fn lost(&self) -> usize {
        self.seen.borrow().lost
    }

    /// How many requests have passed.
    pub fn requests(&self) -> usize {
        self.seen.borrow().requests
    }

    /// Returns when so many have passed.
    pub async fn reached(&self, requests: usize) {
        let mut seen = self.seen.clone();
        seen.wait_for(|seen| seen.requests >= requests).await.unwrap();
    }
}

async fn connection(mut near: TcpStream, far: String, mut mode: watch::Receiver<Mode>, seen: watch::Sender<Seen>) {
    if *mode.borrow() == Mode::Cut {
        return;
    }
    let Ok(mut far) = TcpStream::connect(far).await else { return };
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let (mut swallows, mut late) = (false, None);
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
                        seen.send_modify(|seen| seen.lost += 1);
                    }
                    Mode::Cut => return,
                    Mode::LateComments(pause) if creates_a_comment(request) => late = Some(pause),
                    Mode::Open | Mode::LateComments(_) | Mode::LosesComments => {}
                }
                if far.write_all(request).await.is_err() {
                    return;
                }
                // Bodies that come apart from their heads are no further requests.
                seen.send_modify(|seen| seen.requests += usize::from(begins(request)));
            }
            read = far.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if let Some(pause) = late.take() {
                    tokio::time::sleep(pause).await;
                }
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

fn begins(request: &[u8]) -> bool {
    let methods = [&b"GET /"[..], b"POST /", b"PATCH /", b"DELETE /"];
    methods.iter().any(|method| request.starts_with(method))
}

fn creates_a_comment(request: &[u8]) -> bool {
    let line = request.split(|byte| *byte == b'\r').next().unwrap_or_default();
    line.starts_with(b"POST ") && line.ends_with(b"/comments HTTP/1.1")
}
