//! Replies kept in a folder, one file for each question, so that an evaluation is repeated without a network (chapter 4).
//!
//! A question is known by a hash of everything that is sent but the key. The prompt itself is not kept: it follows from the
//! contract and the subject, which are there already.

use crate::ports::{Judge, JudgeError, JudgeReply, JudgeRequest};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Keeps every reply of another judge.
pub struct Record {
    judge: Arc<dyn Judge>,
    folder: PathBuf,
}

/// Answers with kept replies alone.
pub struct Replay {
    name: String,
    folder: PathBuf,
}

impl Record {
    /// `folder` is made with the first reply.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, folder: &Path) -> Self {
        Self { judge, folder: folder.to_path_buf() }
    }
}

impl Replay {
    /// `name`: the judge whose replies are meant, such as `anthropic:…`.
    #[must_use]
    pub fn new(name: &str, folder: &Path) -> Self {
        Self { name: name.to_owned(), folder: folder.to_path_buf() }
    }
}

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Kept {
    judge: String,
    reply: JudgeReply,
}

#[async_trait]
impl Judge for Record {
    fn name(&self) -> &str {
        self.judge.name()
    }

    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
        let reply = self.judge.ask(request).await?;
        let kept = Kept { judge: self.name().to_owned(), reply };
        let path = path(&self.folder, self.name(), request);
        write(&path, &kept).await.map_err(|message| broken(self.name(), &path, &message))?;
        Ok(kept.reply)
    }
}

#[async_trait]
impl Judge for Replay {
    fn name(&self) -> &str {
        &self.name
    }

    async fn ask(&self, request: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
        let path = path(&self.folder, &self.name, request);
        let told = |message: &str| broken(&self.name, &path, message);
        let bytes = tokio::fs::read(&path).await.map_err(|error| told(&format!("no reply is kept: {error}")))?;
        let kept: Kept = serde_json::from_slice(&bytes).map_err(|error| told(&error.to_string()))?;
        Ok(kept.reply)
    }
}

async fn write(path: &Path, kept: &Kept) -> Result<(), String> {
    let text = serde_json::to_string_pretty(kept).map_err(|error| error.to_string())? + "\n";
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await.map_err(|error| error.to_string())?;
    }
    // Beside its place first: a run that is stopped leaves no half reply for the next one to believe.
    let beside = path.with_extension("part");
    tokio::fs::write(&beside, text).await.map_err(|error| error.to_string())?;
    tokio::fs::rename(&beside, path).await.map_err(|error| error.to_string())
}

fn path(folder: &Path, name: &str, request: &JudgeRequest) -> PathBuf {
    let JudgeRequest { prefix, data, repair, schema, most_tokens } = request;
    let schema = serde_json::to_string(schema).unwrap_or_default();
    let repair = repair.as_deref().unwrap_or_default();
    let mut hash = Sha256::new();
    for part in [name, prefix, data, repair, &schema, &most_tokens.to_string()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    folder.join(format!("{}.json", hex::encode(hash.finalize())))
}

fn broken(name: &str, path: &Path, message: &str) -> JudgeError {
    JudgeError::Tape { judge: name.to_owned(), message: format!("{}: {message}", path.display()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reply::{Json, RawReply, Receipt, Stop, Usage};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Never gives the same reply twice.
    struct Live(AtomicU64);

    #[async_trait]
    impl Judge for Live {
        fn name(&self) -> &'static str {
            "script:m"
        }
        async fn ask(&self, _: &JudgeRequest) -> Result<JudgeReply, JudgeError> {
            let count = self.0.fetch_add(1, Ordering::SeqCst);
            let receipt = Receipt {
                provider: "script".to_owned(),
                asked: "m".to_owned(),
                model: "m-1".to_owned(),
                response: count.to_string(),
                request_hash: "aa".to_owned(),
                response_hash: "bb".to_owned(),
                usage: Usage { input: count, ..Usage::default() },
                latency_ms: count,
            };
            let raw =
                RawReply { model: "m-1".to_owned(), text: format!("適切 {count}\n\u{200b}"), stop: Stop::CutOff };
            Ok(JudgeReply { raw, receipt })
        }
    }

    fn request(data: &str, repair: Option<&str>) -> JudgeRequest {
        JudgeRequest {
            prefix: "p".to_owned(),
            data: data.to_owned(),
            repair: repair.map(str::to_owned),
            schema: Json::object([("type", Json::text("object"))]),
            most_tokens: 9,
        }
    }

    #[tokio::test]
    async fn what_was_recorded_is_given_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("deep/er");
        let record = Record::new(Arc::new(Live(AtomicU64::default())), &folder);
        let requests = [request("a", None), request("a", Some("wrong")), request("b", None)];
        let mut live = Vec::new();
        for request in &requests {
            live.push(record.ask(request).await.unwrap());
        }
        let replay = Replay::new("script:m", &folder);
        for _ in 0..2 {
            for (request, live) in requests.iter().zip(&live) {
                assert_eq!(replay.ask(request).await.as_ref(), Ok(live));
            }
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
        // Another question, another model, half a file: each says which file is meant.
        for (replay, request) in
            [(&replay, request("c", None)), (&Replay::new("script:n", &folder), request("a", None))]
        {
            let error = replay.ask(&request).await.unwrap_err();
            assert!(error.to_string().contains("no reply is kept") && !error.may_mend(), "{error}");
        }
        let file = path(&folder, "script:m", &requests[0]);
        std::fs::write(&file, "{\"judge\":").unwrap();
        assert!(replay.ask(&requests[0]).await.unwrap_err().to_string().contains("EOF"));
    }
}
