//! The judge: which models are configured, and with `--models` one tiny question to each of them.

use super::report::Check;
use crate::adapters::model::Form;
use crate::app::models::Policy;
use crate::cli::models::{Connection, connect, judge, listed, notices};
use crate::config::{Asked, ConfigProblem, Judge, Models, Tier};
use crate::domain::contract::{Contract, Lack, Side};
use crate::domain::detect::Reading;
use crate::domain::finding::{Answer, Brief, Criterion, CriterionKind, Scope};
use crate::domain::ids::{CriterionId, GateId, Language};
use crate::domain::reply::{self, Budget, Checked, Fault, Questions, Receipt};
use crate::ports::{Budgets, JudgeError, JudgeReply, JudgeRequest};
use crate::render::prompt;
use futures::future::join_all;
use secrecy::ExposeSecret as _;
use std::path::Path;
use std::time::Duration;

/// Who judges, and what of it is likely not meant. Nothing is sent.
pub(super) fn configured(config: &Judge) -> Vec<Check> {
    let models = match config {
        Judge::Rules => return vec![Check::ok("judge", "rules, the embedded judge; no model is asked")],
        Judge::Models(models) => models,
    };
    let what =
        format!("models; a call may take {:?}, and {} of one model run at the same time", models.timeout, models.calls);
    let mut checks = vec![Check::ok("judge", what).with(lines(models))];
    for (name, tier) in named(models) {
        if let Err(why) = judge(tier, models.timeout) {
            checks.push(Check::wrong(
                "judge",
                format!("{name} cannot be asked: {why}"),
                "correct SEKISHO_MODELS or its key",
            ));
        }
    }
    checks.extend(notices(models).into_iter().map(|notice| Check::warning("judge", notice.what, notice.todo)));
    checks
}

/// Aliases of a repository's contract that nobody mapped, or that have no second opinion where one is wanted.
pub(super) fn of_contract(config: &Judge, contract: &Contract) -> Vec<Check> {
    let Judge::Models(models) = config else { return Vec::new() };
    let path = &contract.origin.path;
    let mut checks = Vec::new();
    for (alias, gates) in models.unmapped(contract) {
        let gates = listed(&gates);
        let what =
            format!("SEKISHO_MODELS does not map `{alias}`, which {path} names at {gates}: nothing is judged there");
        let todo = format!("add {alias}=PROVIDER:ID to SEKISHO_MODELS, or name another alias");
        checks.push(Check::wrong("judge", what, todo));
    }
    for (alias, gates) in models.alone(contract) {
        let gates = listed(&gates);
        let what = format!(
            "`{alias}` has no second opinion, which {path} wants at {gates} (`panel: 2`): nothing is judged there"
        );
        let todo = format!("add a model of another family as a further {alias}=PROVIDER:ID to SEKISHO_MODELS");
        checks.push(Check::wrong("judge", what, todo));
    }
    checks
}

/// Asks each model that `SEKISHO_MODELS` names, all at once, whatever `SEKISHO_JUDGE` says.
pub(super) async fn asked(file: Option<&Path>) -> Vec<Check> {
    let models = match Judge::load(file, Some(&Asked::Models)) {
        Ok(Judge::Models(models)) => models,
        Ok(Judge::Rules) => return Vec::new(),
        Err(problems) => {
            let problems = problems.iter().map(ConfigProblem::to_string).collect();
            let todo = "docs/models.md shows how models are set up";
            return vec![Check::wrong("model", "no model can be asked", todo).with(problems)];
        }
    };
    join_all(distinct(&models).into_iter().map(|(names, tier)| ask(names, tier, &models))).await
}

/// A line for each alias, and one for the limits.
fn lines(models: &Models) -> Vec<String> {
    let line = |(name, tier): (String, &Tier)| {
        let key = if tier.key.is_some() { "" } else { ", without a key" };
        format!("{name} = {}{key}", tier.spec())
    };
    let mut lines: Vec<String> = named(models).map(line).collect();
    let Budgets { app, installation, repository } = models.budgets;
    let limits = [(app, "all"), (installation, "each installation"), (repository, "each repository")];
    let limits = limits.into_iter().filter(|(limit, _)| *limit != Budget::default());
    let limits: Vec<String> = limits.map(|(limit, whose)| format!("{limit} for {whose}")).collect();
    lines.push(format!("a day: {}", if limits.is_empty() { "no limit".to_owned() } else { limits.join("; ") }));
    lines
}

/// Each tier with its name: `strong`, its second opinion `strong/2`.
fn named(models: &Models) -> impl Iterator<Item = (String, &Tier)> {
    models.tiers.iter().enumerate().map(|(index, tier)| {
        let place = 1 + models.tiers[..index].iter().filter(|other| other.alias == tier.alias).count();
        (if place == 1 { tier.alias.clone() } else { format!("{}/{place}", tier.alias) }, tier)
    })
}

/// Each model once, with all of its names.
fn distinct(models: &Models) -> Vec<(String, &Tier)> {
    let key = |tier: &Tier| tier.key.as_ref().map(|key| key.expose_secret().to_owned());
    let mut all: Vec<(String, &Tier)> = Vec::new();
    for (name, tier) in named(models) {
        match all.iter_mut().find(|(_, other)| other.spec() == tier.spec() && key(other) == key(tier)) {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => all.push((name, tier)),
        }
    }
    all
}

async fn ask(names: String, tier: &Tier, models: &Models) -> Check {
    let connection = match connect(tier, models.timeout) {
        Ok(connection) => connection,
        Err(why) => return Check::wrong("model", format!("{names}: {why}"), "correct SEKISHO_MODELS or its key"),
    };
    let brief = brief();
    let questions = Questions::of(&brief, &Answer::default());
    let request = match request(&questions) {
        Ok(request) => request,
        Err(why) => return Check::unchecked("model", format!("{names}: {why}"), "report this as a defect"),
    };
    match connection.judge().ask(&request).await {
        Ok(JudgeReply { raw, receipt }) => {
            answered(&names, models, &connection, &receipt, reply::check(&questions, &raw, prompt::kept()))
        }
        Err(error) => failed(&names, tier, models.timeout, &error),
    }
}

/// The same form of request as for an issue, as short as it can be.
fn request(questions: &Questions<'_>) -> Result<JudgeRequest, String> {
    let Policy { most_tokens, limits, .. } = Policy::default();
    let prompt = prompt::prompt(questions, limits).map_err(|error| error.to_string())?;
    let schema = reply::schema(questions);
    Ok(JudgeRequest { prefix: prompt.prefix, data: prompt.data, repair: None, schema, most_tokens })
}

/// One made-up criterion, and a text in which it matches.
fn brief() -> Brief {
    Brief {
        gate: GateId::Start,
        waiting_level: "Whoever takes the task on can begin without asking back.".to_owned(),
        criteria: vec![Criterion {
            id: CriterionId::new("speed_without_number"),
            kind: CriterionKind::Signal,
            side: Side::TooAbstract,
            text: "A word for speed, such as \"quick\", without a number beside it.".to_owned(),
            except: None,
            detect: None,
            lack: Lack::Content,
            absence: false,
            scope: Scope::Whole,
        }],
        fields: Vec::new(),
        subject: Reading::of("# Goal\n\nThe list of orders opens quick as lightning.\n"),
        references: Vec::new(),
        history: Vec::new(),
        always_separate: Vec::new(),
        language: Language::En,
        items: Vec::new(),
        plan: None,
    }
}

fn answered(
    names: &str,
    models: &Models,
    connection: &Connection,
    receipt: &Receipt,
    checked: Result<Checked, Vec<Fault>>,
) -> Check {
    let Receipt { asked, model, usage, latency_ms, .. } = receipt;
    let what = format!("{names}: {asked} answered as {model} in {latency_ms} ms");
    let family = models.family(model).or_else(|| models.family(asked));
    let price = models.price(model).or_else(|| models.price(asked));
    let form = match connection.form() {
        Some(Form::Schema) => "a JSON schema",
        Some(Form::Tool) => "a tool that it must call",
        Some(Form::Object) => "any JSON object; schema and tool were refused",
        None => "not known",
    };
    let details = vec![
        format!("family: {}", family.unwrap_or("not known; SEKISHO_MODEL_FAMILIES says it")),
        format!("tokens: {} read, {} of them from the cache; {} written", usage.input, usage.cached, usage.output),
        match price {
            Some(price) => {
                let (input, output, call) = (price.input, price.output, price.of(usage));
                format!("price: {input} read and {output} written per million tokens; {call} for this call")
            }
            None => "price: not known; SEKISHO_PRICES says it".to_owned(),
        },
        format!("structured output: {form}"),
    ];
    let check = match checked {
        Ok(checked) if checked.answer.findings.iter().any(|finding| finding.matched) => {
            Check::ok("model", format!("{what}; the reply passed every check"))
        }
        Ok(_) => {
            let what = format!("{what}; the reply passed every check, and overlooked the one fault in three lines");
            Check::warning("model", what, "nothing, if this was chance; a larger model sees more")
        }
        Err(faults) => {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            let what = format!("{what}; the reply cannot be used: {first}");
            let todo = "try again; where it stays so, use a model or a server that holds replies to a form";
            Check::wrong("model", what, todo)
        }
    };
    check.with(details)
}

/// What went wrong in one line, and what to do.
fn failed(names: &str, tier: &Tier, timeout: Duration, error: &JudgeError) -> Check {
    let (what, host) = (format!("{names}: {error}"), tier.host());
    match error {
        JudgeError::Limited { .. } => {
            let todo = format!("wait, or look at limits and credit at {host}");
            Check::unchecked("model", what, todo)
        }
        JudgeError::Unreachable { message, .. } if message.starts_with("no answer within") => {
            let todo = format!("is {host} loading the model? SEKISHO_MODEL_TIMEOUT is {timeout:?}");
            Check::unchecked("model", what, todo)
        }
        JudgeError::Unreachable { .. } => {
            let todo =
                format!("may this machine reach {host}, and does it run? Certificates count, and no proxy is used");
            Check::unchecked("model", what, todo)
        }
        JudgeError::Refused { status: 401 | 403, .. } if tier.key.is_none() => Check::wrong(
            "model",
            what,
            format!("no key is sent to {host}; SEKISHO_MODEL_KEYS gives {names} one of its own"),
        ),
        JudgeError::Refused { status: 401 | 403, .. } => {
            Check::wrong("model", what, format!("the key is not {host}'s, has ended, or may not use this model"))
        }
        JudgeError::Refused { status: 404 | 405, .. } => {
            let todo = format!("{host} knows no such model or path; docs/models.md has base addresses");
            Check::wrong("model", what, todo)
        }
        JudgeError::Refused { .. } => Check::wrong("model", what, "what the server says stands before"),
        JudgeError::Unreadable { .. } => {
            let todo =
                format!("the address does not lead to this protocol at {host}; docs/models.md has base addresses");
            Check::wrong("model", what, todo)
        }
        JudgeError::Tape { .. } => Check::unchecked("model", what, "nothing"),
    }
}
