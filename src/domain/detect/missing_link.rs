//! `missing_link`: a field that holds no link to anything a reader could open.

use super::patterns::{Pattern, patterns};
use super::{Context, Hit, scope};
use crate::domain::contract::DetectorSpec;
use crate::domain::text::{Document, SpanKind, clip};
use std::ops::Range;

patterns! {
    /// References that GitHub turns into links: `#12`, `GH-12`, `owner/repo#3`, `owner/repo@<commit>`.
    REFERENCE = r"(?: ^ | [^a-z0-9_/\#&@.] ) (?: [a-z0-9][a-z0-9\-]* / [a-z0-9_.\-]+ )? \#[1-9][0-9]{0,8} (?: $ | [^a-z0-9_] )
        | \b gh-[1-9][0-9]{0,8} \b
        | (?: ^ | [^a-z0-9_/] ) [a-z0-9][a-z0-9\-]* / [a-z0-9_.\-]+ @ [0-9a-f]{7,40} \b";
    /// Hosts that GitHub links without a scheme.
    BARE = r"\b www\. [a-z0-9\-]+ \. [a-z0-9./\-]+";
    /// Places with a scheme of their own.
    STORE = r"\b (?: s3 | gs | gcs | az | abfss | hdfs | ftp | sftp | dvc ) :// [a-z0-9]";
    /// Hosts that lead nowhere: reserved names, the reader's own machine, placeholders.
    NOWHERE = r"^ (?: [a-z0-9\-]+ \. )* (?: example\.(?:com|org|net|edu|jp|co\.jp) | example | test | invalid | localhost | local ) (?: : \d+ )? $
        | ^ (?: 127\. | 0\.0\.0\.0 | \[::1\] ) | ^ (?: your | some | my-host | my-server ) (?: [\-_.] | $ ) | ^ (?: x+ | y+ | z+ | \.+ | … | url | link | host | todo | tbd ) (?: [.:/] | $ ) | [<>{}\[\]…]";
    /// Parts of a path that stand for something.
    STAND_IN = r"(?-i: / (?: OWNER | ORG | USER | REPO | RUN_ID | ID | XXX+ ) (?: / | $ )) | [<>{}…] | /\.\.\. | %3c";
}

/// Runs the detector: a hit for the fields that `in:` names, taken together; without `in:` for the whole text.
///
/// A heading that is not there is preflight's word. Pictures, mail addresses, anchors of the page, links in comments and
/// block quotes are no links here.
pub(super) fn detect(spec: &DetectorSpec, document: &Document, context: &Context) -> Vec<Hit> {
    let ranges = scope::ranges(spec, document, context);
    if ranges.is_empty() || ranges.iter().any(|range| has_link(document, range)) {
        return Vec::new();
    }
    vec![Hit { range: None, note: spec.within.first().cloned() }]
}

fn has_link(document: &Document, range: &Range<usize>) -> bool {
    let quoted = |at: usize| {
        let after = document.quotes().partition_point(|quote| quote.start <= at);
        after.checked_sub(1).is_some_and(|index| at < document.quotes()[index].end)
    };
    let links = document.links_within(range).iter().filter(|link| !quoted(link.range.start));
    if links.into_iter().any(|link| leads_somewhere(&link.target)) {
        return true;
    }
    document.items_within(range).iter().filter(|item| !item.quoted).any(|item| {
        let text = scope::blanked(item, &[SpanKind::Code, SpanKind::Alt, SpanKind::Url]);
        finds(&REFERENCE, &text)
            || finds(&STORE, item.text())
            || bare_hosts(&text)
            || anchors(&document.source()[item.range.clone()])
    }) || document.fences_within(range).iter().filter(|fence| !fence.quoted).any(|fence| {
        let text = &document.source()[fence.content.clone()];
        text.split_whitespace().any(|word| word.contains("://") && leads_somewhere(word))
    })
}

fn bare_hosts(text: &str) -> bool {
    BARE.as_ref()
        .is_some_and(|bare| bare.find_iter(text).any(|host| leads_somewhere(&format!("https://{}", host.as_str()))))
}

/// How far a target is read, in characters.
const LONGEST_TARGET: usize = 300;

/// Whether raw HTML holds a link: `<a href="…">`.
fn anchors(source: &str) -> bool {
    source.match_indices("href=").any(|(at, _)| {
        let target = clip(source[at + 5..].trim_start_matches(['"', '\'']), LONGEST_TARGET);
        leads_somewhere(&target[..target.find(['"', '\'', '>', ' ']).unwrap_or(target.len())])
    })
}

/// Whether a link's target is a place, not a placeholder.
fn leads_somewhere(target: &str) -> bool {
    let target = target.trim();
    if target.is_empty() || target.starts_with('#') {
        return false;
    }
    let Some((scheme, rest)) = target.split_once("://") else {
        // A path in the repository has a slash or an extension; `url` and `link` are words. `mailto:` is a person.
        return !target.contains(':') && target.contains(['/', '.']) && !finds(&STAND_IN, target) && !is_dots(target);
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    !scheme.eq_ignore_ascii_case("file")
        && !host.is_empty()
        && (!web || !is_dots(&host))
        && !finds(&NOWHERE, &host)
        && !finds(&STAND_IN, &rest[rest.find('/').unwrap_or(rest.len())..])
}

fn is_dots(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '.' | '/' | '…'))
}

fn finds(pattern: &Pattern, text: &str) -> bool {
    super::patterns::is_in(pattern, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contract::{Argument, DetectorId};
    use crate::domain::ids::Language;

    #[track_caller]
    fn check(body: &str, within: &[&str], expect: bool) {
        let within = within.iter().map(ToString::to_string).collect();
        let spec = DetectorSpec { id: DetectorId::MissingLink, argument: Argument::None, within };
        let context = Context {
            fields: Vec::new(),
            language: Language::En,
            references: Vec::new(),
            always_separate: Vec::new(),
            plan: None,
        };
        assert_eq!(!detect(&spec, &Document::parse(body), &context).is_empty(), expect, "{:?}", body.get(..80));
    }

    #[test]
    fn fields_are_taken_together_and_missing_ones_are_not_looked_at() {
        check("# A\nx\n# B\n#12", &["A", "B"], false);
        check("# A\nx\n# B\n#12", &["A"], true);
        check("# B\nx", &["A"], false);
        check("# A\n", &["A"], true);
        check("# A\r\n\r\nhttps://a.dev/x\r\n", &["A"], false);
        check("# A\n```\ncurl https://data.acme.dev/raw.csv\n```", &["A"], false);
        check("# A\n```\nraw\n```", &["A"], true);
        check("", &[], true);
    }

    #[test]
    fn targets_are_places_or_placeholders() {
        for good in [
            "https://a.dev",
            "https://intranet/x",
            "http://a.dev:8080/x",
            "../raw.csv",
            "/a/b",
            "s3://bucket/x",
            "https://u@a.dev/x",
        ] {
            assert!(leads_somewhere(good), "{good}");
        }
        for bad in [
            "",
            "#",
            "#a",
            "url",
            "URL",
            "mailto:a@b.dev",
            "https://",
            "https://example.com/a",
            "https://a.example",
            "https://localhost:1/x",
            "https://your-host.dev/",
            "https://a.dev/<run>",
            "https://a.dev/...",
            "file:///a/b",
            "...",
            "https://xxx.xx/a",
        ] {
            assert!(!leads_somewhere(bad), "{bad}");
        }
    }

    #[test]
    fn hostile_texts_end_soon() {
        for piece in ["a/", "#", "<a href=", "://", "https://example.com ", "> https://a.dev\n", "a/b@"] {
            check(&format!("# B\n\n# A\n{}", piece.repeat((1 << 17) / piece.len())), &["B"], true);
            let body = piece.repeat((1 << 17) / piece.len());
            check(&body, &[], true);
        }
    }
}
