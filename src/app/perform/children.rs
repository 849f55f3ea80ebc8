//! The children of a passed split: filed one by one, put below their parent, told what they wait for (chapter 3).
//!
//! Each is an entry of the ledger that was stored with the split's record, so whatever a crash left open is found and
//! finished by the next job of the lane. What the forge refuses is closed with its words; the gate reads them.

use super::{Performed, WorkError};
use crate::app::{App, place, shown};
use crate::domain::effect::{ChildDraft, ChildFooter, CloseReason, EffectId, EffectKind, IssueDraft};
use crate::domain::event::{Lane, PAUSE, Wake};
use crate::domain::gates::child_label;
use crate::domain::ids::{IssueId, IssueNumber, RunId};
use crate::domain::record::Record;
use crate::domain::restore::Kept;
use crate::domain::run::{Filed, Filing, Issue};
use crate::ports::{ForgeError, Intent, LedgerEntry};
use crate::render;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is needed to put a child below its parent: its place in the plan.
#[derive(Serialize, Deserialize)]
struct Link {
    child: u64,
}

/// What is needed to tell a child what it waits for: both places in the plan.
#[derive(Serialize, Deserialize)]
struct Dependency {
    child: u64,
    on: u64,
}

/// What came of an entry.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct Outcome {
    /// The child's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    issue: Option<IssueNumber>,
    /// The child's id, which links and dependencies are made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<IssueId>,
    /// The forge's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// Whether the server has no such thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_offered: Option<bool>,
}

/// The entries of a split's children, in the order in which they are made: every child, every link, every dependency.
pub(super) fn intents(lane: &Lane, record: &Record, children: &[ChildDraft]) -> Vec<Intent> {
    let entry = |kind, ordinal: usize, payload| Intent {
        id: EffectId { run: record.run.clone(), kind, ordinal: u32::try_from(ordinal).unwrap_or(u32::MAX) },
        lane: lane.clone(),
        payload,
    };
    let waits = children.iter().flat_map(|child| child.blocked_by.iter().map(|on| (child.index, *on)));
    let drafts = children.iter().enumerate().map(|(at, child)| entry(EffectKind::Child, at, json!(child)));
    let links =
        children.iter().enumerate().map(|(at, child)| entry(EffectKind::Link, at, json!(Link { child: child.index })));
    let waits =
        waits.enumerate().map(|(at, (child, on))| entry(EffectKind::Dependency, at, json!(Dependency { child, on })));
    drafts.chain(links).chain(waits).collect()
}

/// The same entries for a record that its comment gave back: what was filed is closed with the record's numbers, what was
/// not is open again, and each child that stands all the same is found by its footer.
pub(in crate::app) fn regained(lane: &Lane, record: &Record, children: &Kept) -> Vec<LedgerEntry> {
    let (drafts, filed) = match children {
        Kept::Nothing => return Vec::new(),
        Kept::Filed(drafts) => (drafts, true),
        Kept::Unfiled(drafts) => (drafts, false),
    };
    let entry = |intent: Intent| {
        let number = record.children.get(intent.id.ordinal as usize).and_then(|child| child.number);
        let issue = number.filter(|_| intent.id.kind == EffectKind::Child);
        let result = filed.then(|| json!(Outcome { issue, ..Outcome::default() }));
        LedgerEntry { intent, sent_at: None, result }
    };
    intents(lane, record, drafts).into_iter().map(entry).collect()
}

impl App {
    /// Files one child, unless it stands already. The parent is looked at before each: a pause holds the rest.
    ///
    /// `filed` keeps what the App has filed, so that sixty children do not list it sixty times.
    pub(super) async fn settle_child(
        &self,
        wake: &Wake,
        entry: LedgerEntry,
        filed: &mut Option<Vec<Issue>>,
    ) -> Result<Performed, WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        let id = &intent.id;
        let Ok(draft) = serde_json::from_value::<ChildDraft>(intent.payload) else {
            self.store.settle(id, &json!({"refused": "unreadable"})).await?;
            return Ok(Performed::Done);
        };
        if self.issue(wake).await?.has_label(PAUSE) {
            return Ok(Performed::Held);
        }
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
            *filed = None;
        }
        let known = match filed {
            Some(known) => known,
            None => filed.insert(self.forge.own_issues(&place(wake)).await?),
        };
        let footer = ChildFooter { parent: wake.lane.number, run: id.run.clone(), index: draft.index };
        if let Some(found) = self.standing(wake, known, &footer, &draft).await? {
            self.settle_as(id, &found).await?;
            return Ok(Performed::Done);
        }
        let label = child_label();
        self.make_label(wake, &id.run, u32::MAX - id.ordinal, &label).await?;
        let body = footer.below(&render::child_body(&draft));
        let request = IssueDraft { title: draft.title.clone(), body, labels: vec![label.name] };
        self.store.sent(id, self.clock.now()).await?;
        match self.forge.create_issue(&place(wake), &request).await {
            Ok(issue) => {
                self.settle_as(id, &issue).await?;
                known.push(issue);
            }
            Err(error) => self.settle_refused(id, error).await?,
        }
        Ok(Performed::Done)
    }

    /// The child that stands already: its footer's, else an open child of this parent that the App filed under the same
    /// title. The lowest number stays; later doubles are closed with a link.
    async fn standing(
        &self,
        wake: &Wake,
        known: &[Issue],
        footer: &ChildFooter,
        draft: &ChildDraft,
    ) -> Result<Option<Issue>, WorkError> {
        let of = |issue: &&Issue| ChildFooter::of(&issue.body).as_ref() == Some(footer);
        let mut marked: Vec<&Issue> = known.iter().filter(of).collect();
        marked.sort_by_key(|issue| issue.number);
        if let Some((first, doubles)) = marked.split_first() {
            for double in doubles.iter().filter(|double| double.open) {
                tracing::warn!(lane = shown(&wake.lane), kept = %first.number, closed = %double.number, "filed twice");
                let body = format!("Duplicate of #{}", first.number);
                self.forge.create_comment(&place(wake), double.number, &body).await?;
                self.forge.close_issue(&place(wake), double.number, CloseReason::Duplicate).await?;
            }
            return Ok(Some((*first).clone()));
        }
        let same_title = |issue: &&Issue| {
            let of = ChildFooter::of(&issue.body);
            issue.open
                && issue.title.trim() == draft.title.trim()
                && of.is_some_and(|of| of.parent == footer.parent && of.run != footer.run)
        };
        Ok(known.iter().filter(same_title).min_by_key(|issue| issue.number).cloned())
    }

    /// Puts a child below its parent. What a crash may have done already is seen in the list.
    pub(super) async fn settle_link(&self, wake: &Wake, entry: LedgerEntry) -> Result<(), WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        let id = &intent.id;
        let link = serde_json::from_value::<Link>(intent.payload).ok();
        let numbers = self.filed(&id.run).await?;
        let Some((number, issue)) = link.and_then(|link| numbers.get(&link.child).copied()) else {
            return Ok(self.store.settle(id, &json!({"skipped": true})).await?);
        };
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
        }
        let place = place(wake);
        let below = self.forge.sub_issues(&place, wake.lane.number).await;
        let below = match below {
            Ok(below) => below,
            Err(error) => return self.settle_refused(id, error).await,
        };
        if below.iter().any(|child| child.number == number) {
            return Ok(self.store.settle(id, &json!({"issue": number})).await?);
        }
        self.store.sent(id, self.clock.now()).await?;
        match self.forge.add_sub_issue(&place, wake.lane.number, issue).await {
            Ok(()) => Ok(self.store.settle(id, &json!({"issue": number})).await?),
            Err(error) => self.settle_refused(id, error).await,
        }
    }

    /// Tells a child what it waits for.
    pub(super) async fn settle_dependency(&self, wake: &Wake, entry: LedgerEntry) -> Result<(), WorkError> {
        let LedgerEntry { intent, sent_at, .. } = entry;
        let id = &intent.id;
        let waits = serde_json::from_value::<Dependency>(intent.payload).ok();
        let numbers = self.filed(&id.run).await?;
        let both = waits.and_then(|waits| Some((*numbers.get(&waits.child)?, *numbers.get(&waits.on)?)));
        let Some(((number, _), (on, issue))) = both else {
            return Ok(self.store.settle(id, &json!({"skipped": true})).await?);
        };
        if let Some(sent) = sent_at {
            self.let_settle(sent).await;
        }
        let place = place(wake);
        let stands = match self.forge.blocked_by(&place, number).await {
            Ok(stands) => stands,
            Err(error) => return self.settle_refused(id, error).await,
        };
        if stands.contains(&on) {
            return Ok(self.store.settle(id, &json!({"issue": on})).await?);
        }
        self.store.sent(id, self.clock.now()).await?;
        match self.forge.add_blocked_by(&place, number, issue).await {
            Ok(()) => Ok(self.store.settle(id, &json!({"issue": on})).await?),
            Err(error) => self.settle_refused(id, error).await,
        }
    }

    /// What became of a split's children, as its gate wants to know it.
    pub(in crate::app) async fn filing(&self, run: &RunId) -> Result<Filing, WorkError> {
        let mut filing = Filing::default();
        for entry in self.store.entries(run).await? {
            let outcome = entry.result.as_ref().map(outcome);
            let settled = outcome.is_some();
            let Outcome { issue, refused, not_offered, .. } = outcome.unwrap_or_default();
            match entry.intent.id.kind {
                EffectKind::Child => {
                    let Ok(draft) = serde_json::from_value::<ChildDraft>(entry.intent.payload) else { continue };
                    filing.children.push(Filed { draft, number: issue });
                }
                EffectKind::Link | EffectKind::Dependency => {
                    filing.not_offered |= not_offered == Some(true);
                }
                _ => continue,
            }
            filing.refused.extend(refused);
            filing.open |= !settled;
        }
        filing.children.sort_by_key(|filed| filed.draft.index);
        Ok(filing)
    }

    /// Numbers and ids of the children that stand, by place in the plan.
    async fn filed(&self, run: &RunId) -> Result<BTreeMap<u64, (IssueNumber, IssueId)>, WorkError> {
        let entries = self.store.entries(run).await?;
        let children = entries.iter().filter(|entry| entry.intent.id.kind == EffectKind::Child);
        let filed = children.filter_map(|entry| {
            let draft: ChildDraft = serde_json::from_value(entry.intent.payload.clone()).ok()?;
            let Outcome { issue, id, .. } = outcome(entry.result.as_ref()?);
            Some((draft.index, (issue?, id?)))
        });
        Ok(filed.collect())
    }

    async fn settle_as(&self, id: &EffectId, issue: &Issue) -> Result<(), WorkError> {
        let made = Outcome { issue: Some(issue.number), id: Some(issue.id), ..Outcome::default() };
        Ok(self.store.settle(id, &json!(made)).await?)
    }

    /// What the forge refuses as it is will be refused again: the entry is closed with its words, and the gate decides.
    async fn settle_refused(&self, id: &EffectId, error: ForgeError) -> Result<(), WorkError> {
        let outcome = match &error {
            ForgeError::NotOffered { .. } => Outcome { not_offered: Some(true), ..Outcome::default() },
            ForgeError::Refused { .. } | ForgeError::NotFound { .. } | ForgeError::Forbidden { .. } => {
                Outcome { refused: Some(error.to_string()), ..Outcome::default() }
            }
            _ => return Err(error.into()),
        };
        Ok(self.store.settle(id, &json!(outcome)).await?)
    }
}

fn outcome(result: &Value) -> Outcome {
    serde_json::from_value(result.clone()).unwrap_or_default()
}
