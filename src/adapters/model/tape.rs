//! Replies kept in a folder, one file for each question, so that an evaluation is repeated without a network (chapter 4).
//!
//! A question is known by a hash of everything that is sent but the key. The prompt itself is not kept: it follows from the
//! contract and the subject, which are there already. A question is recorded once: where it comes a second time, such as
//! for the same text under two names, the reply that was kept answers it, as it will when the folder is played back.

use crate::ports::{Judge, JudgeError, JudgeReply, JudgeRequest};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps every reply of another judge.
pub struct Record {
    judge: Arc<dyn Judge>,
    folder: PathBuf,
    /// What each question was answered, or that somebody is asking.
    asked: Mutex<HashMap<PathBuf, Place>>,
}

type Place = Arc<tokio::sync::Mutex<Option<JudgeReply>>>;

/// Answers with kept replies alone.
pub struct Replay {
    name: String,
    folder: PathBuf,
}

impl Record {
    /// `folder` is made with the first reply.
    #[must_use]
    pub fn new(judge: Arc<dyn Judge>, folder: &Path) -> Self {
        Self { judge, folder: folder.to_path_buf(), asked: Mutex::default() }
    }

    fn place(&self, path: &Path) -> Place {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(asked.entry(path.to_path_buf()).or_default())
    }
}

impl Replay {
    /// `name`: the judge whose replies are meant, such as `anthropic:…`.
    #[must_use]
    pub fn new(name: &str, folder: &Path) -> Self {
        Self { name: name.to_owned(), folder: folder.to_path_buf() }
    }
}

/// The judges whose replies a folder holds, by their names.
///
/// # Errors
/// What cannot be read; a folder without any reply.
pub fn recorded_judges(folder: &Path) -> Result<BTreeSet<String>, String> {
    #[derive(Deserialize)]
    struct Named {
        judge: String,
    }
    let said = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| said(folder, &error))?;
    let mut judges = BTreeSet::new();
    for path in entries.iter().map(std::fs::DirEntry::path).filter(|path| path.extension() == Some(OsStr::new(KEPT))) {
        let bytes = std::fs::read(&path).map_err(|error| said(&path, &error))?;
        let named: Named = serde_json::from_slice(&bytes).map_err(|error| said(&path, &error))?;
        judges.insert(named.judge);
    }
    if judges.is_empty() { Err(said(folder, &"no reply is kept here")) } else { Ok(judges) }
}

/// How names of files end.
const KEPT: &str = "json";

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
        let path = path(&self.folder, self.name(), request);
        let place = self.place(&path);
        let mut answered = place.lock().await;
        if let Some(reply) = &*answered {
            return Ok(reply.clone());
        }
        let reply = self.judge.ask(request).await?;
        let kept = Kept { judge: self.name().to_owned(), reply };
        write(&path, &kept).await.map_err(|message| broken(self.name(), &path, &message))?;
        Ok(answered.insert(kept.reply).clone())
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
    folder.join(format!("{}.{KEPT}", hex::encode(hash.finalize())))
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
        assert_eq!(recorded_judges(&folder), Ok(BTreeSet::from(["script:m".to_owned()])));
        let file = path(&folder, "script:m", &requests[0]);
        std::fs::write(&file, "{\"judge\":").unwrap();
        assert!(replay.ask(&requests[0]).await.unwrap_err().to_string().contains("EOF"));
        assert!(recorded_judges(&folder).unwrap_err().contains("EOF"));
    }

    #[tokio::test]
    async fn a_question_that_comes_twice_has_one_answer() {
        let folder = tempfile::tempdir().unwrap();
        let live = Arc::new(Live(AtomicU64::default()));
        let record = Record::new(live.clone(), folder.path());
        let (one, other) = (request("a", None), request("b", None));
        let asked = futures::future::join_all([&one, &one, &other, &one].map(|request| record.ask(request))).await;
        assert_eq!((&asked[0], &asked[1]), (&asked[3], &asked[3]));
        assert_ne!(asked[0], asked[2]);
        assert_eq!(live.0.load(Ordering::SeqCst), 2);
        assert_eq!(Replay::new("script:m", folder.path()).ask(&one).await, asked[0]);
        // A new recording asks anew.
        Record::new(live, folder.path()).ask(&one).await.unwrap();
        assert_ne!(Replay::new("script:m", folder.path()).ask(&one).await, asked[0]);
    }

    #[test]
    fn a_folder_without_replies_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(recorded_judges(folder.path()).unwrap_err().ends_with(": no reply is kept here"));
        assert!(recorded_judges(&folder.path().join("gone")).unwrap_err().contains("No such file"));
    }
}
