//! The labelled examples at a pull request's head, judged by the contract at that head (chapter 2).

use super::question::{Question, Walked};
use crate::domain::gates::labelled::{self, Labelled};
use crate::domain::reply::Judged;
use crate::domain::run::{Consult, Contracts, Done, Dossier, ExampleFile, HeadContracts};
use crate::domain::view::{ExampleResults, Reason, UnreadableExamples, VerdictView, WrongExample};
use std::collections::BTreeMap;

/// The folder of labelled examples.
pub const FOLDER: &str = "contracts/examples";
/// Examples that one check run judges; the rest is counted.
const MOST: usize = 500;

/// Whether the path is a file of labelled examples.
pub fn holds(path: &str) -> bool {
    let name = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| {
        !name.contains('/') && name.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "yaml" | "yml"))
    })
}

/// Examples on their way to be judged.
#[derive(Default)]
pub(super) struct Asked {
    cases: Vec<Case>,
    results: ExampleResults,
}

struct Case {
    path: String,
    labelled: Labelled,
    now: Now,
}

enum Now {
    Settled(Box<Done>),
    Asks(Box<Question>, Box<Consult>),
}

/// Reads every file and asks the gates. A broken contract judges nothing, so nothing is read for it.
pub(super) fn read(run: &Dossier, files: &[ExampleFile], head: &HeadContracts) -> Asked {
    let mut asked = Asked::default();
    if let Contracts::Broken { .. } = head.own {
        return asked;
    }
    for file in files {
        let stem = file.path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(stem, _)| stem);
        let unreadable = |line: Option<u32>, message: String| UnreadableExamples {
            path: file.path.clone(),
            line: line.unwrap_or(1),
            message,
        };
        match &file.text {
            Err(why) => asked.results.unreadable.push(unreadable(None, (*why).to_owned())),
            Ok(text) => match labelled::yaml(stem, text) {
                Err(error) => asked.results.unreadable.push(unreadable(error.line, error.message)),
                Ok(cases) => cases.into_iter().for_each(|case| asked.ask(run, head, &file.path, case)),
            },
        }
    }
    asked
}

impl Asked {
    fn ask(&mut self, run: &Dossier, head: &HeadContracts, path: &str, labelled: Labelled) {
        if self.cases.len() >= MOST {
            self.results.left_out += 1;
            return;
        }
        let mut question =
            Question::text(run, &head.in_force, labelled.gate, &labelled.text, labelled.against.as_deref());
        let now = match question.walk(&BTreeMap::new()) {
            Walked::Asks(consult) => Some(Now::Asks(Box::new(question), consult)),
            Walked::Ends(done) => Some(Now::Settled(done)),
            Walked::Wants(_) | Walked::Nothing => None,
        };
        match now {
            Some(now) => self.cases.push(Case { path: path.to_owned(), labelled, now }),
            None => self.results.left_out += 1,
        }
    }

    /// What the judges are asked, in the order of their answers.
    pub fn consults(&self) -> impl Iterator<Item = Consult> {
        self.cases.iter().filter_map(|case| match &case.now {
            Now::Asks(_, consult) => Some((**consult).clone()),
            Now::Settled(_) => None,
        })
    }

    /// Each verdict against its label.
    pub fn results(self, answers: &mut impl Iterator<Item = Judged>) -> ExampleResults {
        let mut results = self.results;
        for Case { path, labelled, now } in self.cases {
            let done = match now {
                Now::Settled(done) => Some(done),
                Now::Asks(question, _) => answers.next().and_then(|answer| question.answered(answer, &BTreeMap::new())),
            };
            let unjudged = |view: &VerdictView| view.reasons.iter().any(|one| matches!(one, Reason::Unjudged { .. }));
            // That no model could be asked says nothing of the contract.
            if done.as_ref().and_then(|done| done.view.as_ref()).is_some_and(unjudged) {
                results.left_out += 1;
                continue;
            }
            let got = done.as_ref().and_then(|done| done.record.as_ref()?.verdict);
            if labelled.accepts(got) {
                results.right += 1;
                continue;
            }
            let reasons = done.and_then(|done| done.view).map(|view| view.reasons).unwrap_or_default();
            let Labelled { id, line, gate, expected, .. } = labelled;
            results.wrong.push(WrongExample { path, line, id, gate, expected, got, reasons });
        }
        results
    }
}
