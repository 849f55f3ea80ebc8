//! Comments as they stand on GitHub, one golden file each, and the proof that nothing gets out of its place.
//!
//! `UPDATE_GOLDEN=1 cargo test --test render` writes the files anew.

// Helpers of tests may stop at the first surprise too; a list of cases is as long as it is.
#![allow(clippy::expect_used, clippy::too_many_lines)]

#[path = "render/cases.rs"]
mod cases;
#[path = "support/harmless.rs"]
mod harmless;
#[path = "render/hostile.rs"]
mod hostile;

use cases::{Case, REPLIES, cases};
use sekisho::domain::ids::Language;
use sekisho::render::codec::{read_marker, read_record};
use sekisho::render::{reply_comment, verdict_comment};
use std::path::PathBuf;

#[test]
fn verdict_comments_are_as_the_golden_files_say() {
    for language in [Language::Ja, Language::En] {
        for Case { name, record, view } in cases(language) {
            let effect = cases::effect();
            let body = verdict_comment(&record, &view, &effect).expect(name);
            golden(&format!("{name}-{}.md", language.as_str()), &body);
            assert_eq!(read_marker(&body), Some(effect), "{name}");
            assert_eq!(read_record(&body), Ok(Some(record)), "{name}");
        }
    }
}

#[test]
fn replies_are_as_the_golden_files_say() {
    for language in [Language::Ja, Language::En] {
        let mut page = String::new();
        for (name, kind) in &REPLIES {
            let reply = sekisho::domain::view::Reply { language, what: kind() };
            let effect = cases::reply_effect();
            let body = reply_comment(&reply, &effect);
            assert_eq!(read_marker(&body), Some(effect), "{name}");
            assert_eq!(read_record(&body), Ok(None), "{name}");
            page.push_str(&body);
            page.push_str("\n---\n\n");
        }
        golden(&format!("replies-{}.md", language.as_str()), &page);
    }
}

fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).expect("the golden file can be written");
    }
    let expect = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(text, expect, "{name} differs; UPDATE_GOLDEN=1 writes it anew");
}
