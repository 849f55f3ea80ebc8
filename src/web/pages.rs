//! The demo's pages: issues and their rendered comments, plain HTML without a script.
//!
//! Where the content comes from is the caller's ([`PageSource`]); it hands bodies over as sanitised HTML. The addresses
//! are those that GitHub gives the same things (`/owner/name/issues/3#issuecomment-7`), so that links inside comments
//! work where the forge's web address is this server's.

use crate::domain::ids::Language;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};
use tera::{Context, Tera};

/// Gives the newest content of a page.
pub trait PageSource: Send + Sync {
    /// The repository as it is now.
    fn page(&self) -> Page;
}

/// A repository's issues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// `owner/name`.
    pub repository: String,
    /// Its issues, in the order that they are shown.
    pub issues: Vec<IssueView>,
}

/// An issue or a pull request with its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueView {
    /// Its number.
    pub number: u64,
    /// Issue or pull request.
    pub kind: Kind,
    /// Its title, as plain text.
    pub title: String,
    /// Its labels.
    pub labels: Vec<LabelView>,
    /// Who opened it.
    pub author: String,
    /// Open or closed.
    pub state: OpenState,
    /// Its body as sanitised HTML; empty where there is none.
    pub body_html: String,
    /// Its comments, oldest first.
    pub comments: Vec<CommentView>,
}

/// Issue or pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An issue.
    Issue,
    /// A pull request.
    PullRequest,
}

/// Open or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenState {
    /// Open.
    Open,
    /// Closed.
    Closed,
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelView {
    /// Its name, as plain text.
    pub name: String,
    /// Six hex digits; anything else shows as grey.
    pub colour: String,
}

/// A comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentView {
    /// Its id, for its address.
    pub id: u64,
    /// Who wrote it; a login that ends in `[bot]` is shown as a bot.
    pub author: String,
    /// Its body as sanitised HTML.
    pub body_html: String,
    /// Whether it is folded away.
    pub folding: Folding,
    /// When it was written.
    pub when: DateTime<Utc>,
}

/// Whether a comment is folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Shown.
    Shown,
    /// Hidden as outdated; a reader can open it.
    Outdated,
}

/// `GET /` shows every thread, `GET /owner/name/issues/N` (or `pull/N`) one; `GET /style.css` belongs to them. Any other
/// address is a 404 page, so merge this router last.
pub fn router(source: Arc<dyn PageSource>) -> Router {
    Router::new()
        .route("/", get(all))
        .route("/style.css", get(style))
        .route("/{owner}/{name}/issues/{number}", get(one))
        .route("/{owner}/{name}/pull/{number}", get(one))
        .fallback(|| async { not_found() })
        .with_state(source)
}

async fn all(State(source): State<Arc<dyn PageSource>>) -> Response {
    threads(&source.page(), None)
}

async fn one(
    State(source): State<Arc<dyn PageSource>>,
    Path((owner, name, number)): Path<(String, String, String)>,
) -> Response {
    let page = source.page();
    let here = page.repository.eq_ignore_ascii_case(&format!("{owner}/{name}"));
    let issue = number.parse().ok().filter(|number| here && page.issues.iter().any(|issue| issue.number == *number));
    issue.map_or_else(not_found, |number| threads(&page, Some(number)))
}

async fn style(State(source): State<Arc<dyn PageSource>>) -> Response {
    let mut css = STYLE.to_owned();
    let page = source.page();
    let colours: BTreeSet<String> =
        page.issues.iter().flat_map(|issue| &issue.labels).filter_map(|label| hex(&label.colour)).collect();
    for colour in colours {
        let on = if is_light(&colour) { "#1f2328" } else { "#fff" };
        // Writing to a String cannot fail.
        let _ = writeln!(css, ".c{colour} {{ --c: #{colour}; --on: {on}; }}");
    }
    guarded(StatusCode::OK, ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], css))
}

fn not_found() -> Response {
    page_from(StatusCode::NOT_FOUND, "not-found.html", &Context::new())
}

fn threads(page: &Page, only: Option<u64>) -> Response {
    let index: Vec<Entry<'_>> = page.issues.iter().map(|issue| Entry::of(page, issue, only)).collect();
    let shown = page.issues.iter().filter(|issue| only.is_none_or(|number| number == issue.number));
    let issues: Vec<Thread<'_>> = shown.map(|issue| Thread::of(page, issue)).collect();
    let title = match issues.as_slice() {
        [thread] if only.is_some() => format!("{} · #{} · {}", thread.title, thread.number, page.repository),
        _ => format!("Issues · {}", page.repository),
    };
    let mut context = Context::new();
    context.insert("title", &title);
    context.insert("repository", &page.repository);
    context.insert("index", &index);
    context.insert("issues", &issues);
    page_from(StatusCode::OK, "threads.html", &context)
}

const STYLE: &str = include_str!("../../templates/pages/style.css");

static TEMPLATES: LazyLock<tera::TeraResult<Tera>> = LazyLock::new(|| {
    let mut tera = Tera::new();
    tera.add_raw_templates([
        ("threads.html", include_str!("../../templates/pages/threads.html")),
        ("not-found.html", include_str!("../../templates/pages/not-found.html")),
    ])?;
    Ok(tera)
});

fn page_from(status: StatusCode, template: &str, context: &Context) -> Response {
    let rendered = match &*TEMPLATES {
        Ok(tera) => tera.render(template, context).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match rendered {
        Ok(html) => guarded(status, Html(html)),
        Err(error) => {
            tracing::error!(template, error, "a page could not be rendered");
            guarded(StatusCode::INTERNAL_SERVER_ERROR, "The page could not be rendered; the log says why.\n")
        }
    }
}

/// Headers that keep the page to itself: no script, no foreign content, no frame around it.
fn guarded(status: StatusCode, body: impl IntoResponse) -> Response {
    const GUARDS: [(HeaderName, HeaderValue); 4] = [
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(
                "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ),
        ),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, GUARDS, body).into_response()
}

/// A line of the list at the side.
#[derive(Serialize)]
struct Entry<'a> {
    number: u64,
    title: &'a str,
    lang: &'static str,
    state: &'static str,
    href: String,
    current: bool,
}

impl<'a> Entry<'a> {
    fn of(page: &Page, issue: &'a IssueView, only: Option<u64>) -> Self {
        Self {
            number: issue.number,
            title: &issue.title,
            lang: lang(&issue.title),
            state: state(issue.state).0,
            href: href(page, issue),
            current: only == Some(issue.number),
        }
    }
}

/// An issue as the template reads it.
#[derive(Serialize)]
struct Thread<'a> {
    number: u64,
    kind: &'static str,
    title: &'a str,
    lang: &'static str,
    href: String,
    state: &'static str,
    state_word: &'static str,
    author: &'a str,
    initial: String,
    count: String,
    labels: Vec<Chip<'a>>,
    body_html: &'a str,
    body_lang: &'static str,
    comments: Vec<Post<'a>>,
}

#[derive(Serialize)]
struct Chip<'a> {
    name: &'a str,
    colour: String,
}

#[derive(Serialize)]
struct Post<'a> {
    id: u64,
    author: &'a str,
    initial: String,
    bot: bool,
    minimised: bool,
    when: String,
    when_words: String,
    body_html: &'a str,
    lang: &'static str,
}

impl<'a> Thread<'a> {
    fn of(page: &Page, issue: &'a IssueView) -> Self {
        let (state, state_word) = state(issue.state);
        Self {
            number: issue.number,
            kind: if issue.kind == Kind::Issue { "issue" } else { "pull request" },
            title: &issue.title,
            lang: lang(&issue.title),
            href: href(page, issue),
            state,
            state_word,
            author: &issue.author,
            initial: initial(&issue.author),
            count: match issue.comments.len() {
                1 => "1 comment".to_owned(),
                count => format!("{count} comments"),
            },
            labels: issue.labels.iter().map(Chip::of).collect(),
            body_html: &issue.body_html,
            body_lang: lang(&issue.body_html),
            comments: issue.comments.iter().map(Post::of).collect(),
        }
    }
}

impl<'a> Chip<'a> {
    fn of(label: &'a LabelView) -> Self {
        Self { name: &label.name, colour: hex(&label.colour).unwrap_or_default() }
    }
}

impl<'a> Post<'a> {
    fn of(comment: &'a CommentView) -> Self {
        Self {
            id: comment.id,
            author: comment.author.trim_end_matches("[bot]"),
            initial: initial(&comment.author),
            bot: comment.author.ends_with("[bot]"),
            minimised: comment.folding == Folding::Outdated,
            when: comment.when.to_rfc3339_opts(SecondsFormat::Secs, true),
            when_words: comment.when.format("on %-d %b %Y, %H:%M UTC").to_string(),
            body_html: &comment.body_html,
            lang: lang(&comment.body_html),
        }
    }
}

fn state(state: OpenState) -> (&'static str, &'static str) {
    match state {
        OpenState::Open => ("open", "Open"),
        OpenState::Closed => ("closed", "Closed"),
    }
}

fn href(page: &Page, issue: &IssueView) -> String {
    let kind = if issue.kind == Kind::Issue { "issues" } else { "pull" };
    format!("/{}/{kind}/{}", page.repository, issue.number)
}

/// The language of a text, so that a screen reader speaks it and a browser picks its glyphs.
fn lang(text: &str) -> &'static str {
    Language::of(text).as_str()
}

fn initial(login: &str) -> String {
    login.chars().next().map_or_else(String::new, |first| first.to_uppercase().to_string())
}

/// Six lower-case hex digits, or nothing: a label's colour reaches a style sheet.
fn hex(colour: &str) -> Option<String> {
    let valid = colour.len() == 6 && colour.chars().all(|digit| digit.is_ascii_hexdigit());
    valid.then(|| colour.to_lowercase())
}

/// Whether dark text reads better on it (perceived lightness, as in ITU-R BT.601).
fn is_light(colour: &str) -> bool {
    let part = |at: usize| u32::from_str_radix(&colour[at..at + 2], 16).unwrap_or_default();
    299 * part(0) + 587 * part(2) + 114 * part(4) > 150_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    struct Sample;

    impl PageSource for Sample {
        fn page(&self) -> Page {
            let when = DateTime::from_timestamp(1_775_044_800, 0).unwrap();
            let comment = |id, author: &str, body_html: &str, folding| CommentView {
                id,
                author: author.to_owned(),
                body_html: body_html.to_owned(),
                folding,
                when,
            };
            let issue = IssueView {
                number: 1,
                kind: Kind::Issue,
                title: "<b>Export</b>".to_owned(),
                labels: vec![
                    LabelView { name: "gate:start".to_owned(), colour: "1D76DB".to_owned() },
                    LabelView { name: "x".to_owned(), colour: "red;}body{".to_owned() },
                ],
                author: "hanako".to_owned(),
                state: OpenState::Open,
                body_html: "<p>目的</p>".to_owned(),
                comments: vec![
                    comment(7, "sekisho[bot]", "<p>Returned</p>", Folding::Outdated),
                    comment(8, "sekisho[bot]", "<p>Passed</p>", Folding::Shown),
                ],
            };
            let change = IssueView {
                number: 2,
                kind: Kind::PullRequest,
                title: "Change".to_owned(),
                labels: Vec::new(),
                state: OpenState::Closed,
                body_html: String::new(),
                comments: Vec::new(),
                ..issue.clone()
            };
            Page { repository: "acme/widgets".to_owned(), issues: vec![issue, change] }
        }
    }

    async fn get_page(path: &str) -> (StatusCode, String) {
        let routed = match path.strip_prefix("/acme/widgets/") {
            None if path == "/" => all(State(Arc::new(Sample))).await,
            None => style(State(Arc::new(Sample))).await,
            Some(rest) => {
                let number = rest.rsplit('/').next().unwrap_or_default().to_owned();
                one(State(Arc::new(Sample)), Path(("ACME".to_owned(), "widgets".to_owned(), number))).await
            }
        };
        let csp = routed.headers().get(header::CONTENT_SECURITY_POLICY).unwrap().to_str().unwrap();
        assert!(csp.starts_with("default-src 'none'; style-src 'self';") && !csp.contains("script"));
        let status = routed.status();
        let body = routed.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn the_page_shows_every_thread_escaped() {
        let (status, html) = get_page("/").await;
        assert_eq!(status, StatusCode::OK);
        for expected in [
            "&lt;b&gt;Export&lt;",
            r#"<div class="body" lang="ja"><p>目的</p></div>"#,
            r#"<li class="chip c1d76db">gate:start</li>"#,
            r#"<li class="chip c">x</li>"#,
            r#"id="issuecomment-7""#,
            "Hidden as outdated",
            r#"<time datetime="2026-04-01T12:00:00Z">on 1 Apr 2026, 12:00 UTC</time>"#,
            r#"href="/acme/widgets/pull/2""#,
            "No description.",
            "opened this pull request · 0 comments",
        ] {
            assert!(html.contains(expected), "{expected} is not in\n{html}");
        }
        assert!(!html.contains("<script") && !html.contains("style="));
    }

    #[tokio::test]
    async fn one_thread_has_github_s_address() {
        let (status, html) = get_page("/acme/widgets/issues/1").await;
        assert_eq!(status, StatusCode::OK);
        assert!(html.contains("aria-current") && !html.contains(r#"id="issue-2""#));
        for missing in ["/acme/widgets/issues/9", "/acme/widgets/issues/x"] {
            assert_eq!(get_page(missing).await.0, StatusCode::NOT_FOUND, "{missing}");
        }
    }

    #[tokio::test]
    async fn only_real_colours_reach_the_style_sheet() {
        let (_, css) = get_page("/style.css").await;
        assert!(css.ends_with(".c1d76db { --c: #1d76db; --on: #fff; }\n"));
    }

    #[test]
    fn text_on_a_chip_is_readable() {
        for (colour, light) in
            [("ffffff", true), ("ededed", true), ("fbca04", true), ("0e8a16", false), ("000000", false)]
        {
            assert_eq!(is_light(colour), light, "{colour}");
        }
    }
}
