//! The fields of a webhook's JSON that are used, each of them optional and borrowed from the bytes where that can be.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A text that is borrowed from the payload where it holds no escape.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

#[derive(Deserialize)]
pub(super) struct Payload<'a> {
    #[serde(borrow, default)]
    pub(super) action: Option<Text<'a>>,
    #[serde(default)]
    pub(super) installation: Option<Id>,
    #[serde(borrow, default)]
    pub(super) repository: Option<Repository<'a>>,
    #[serde(borrow, default)]
    pub(super) sender: Option<Account<'a>>,
    #[serde(borrow, default)]
    pub(super) issue: Option<Subject<'a>>,
    #[serde(borrow, default)]
    pub(super) pull_request: Option<Subject<'a>>,
    #[serde(borrow, default)]
    pub(super) comment: Option<Comment<'a>>,
    #[serde(borrow, default)]
    pub(super) label: Option<Label<'a>>,
    #[serde(borrow, default)]
    pub(super) check_run: Option<CheckRun<'a>>,
    #[serde(borrow, default)]
    pub(super) check_suite: Option<CheckSuite<'a>>,
    #[serde(borrow, default)]
    pub(super) parent_issue: Option<Subject<'a>>,
    /// The parent's repository, where the event is told from the child's side.
    #[serde(borrow, default)]
    pub(super) parent_issue_repo: Option<Repository<'a>>,
    #[serde(borrow, default)]
    pub(super) blocked_issue: Option<Subject<'a>>,
    /// The blocked issue's repository, where the event is told from the other side.
    #[serde(borrow, default)]
    pub(super) blocked_issue_repo: Option<Repository<'a>>,
    #[serde(default)]
    pub(super) changes: Option<Changes>,
    #[serde(borrow, default, rename = "ref")]
    pub(super) git_ref: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Id {
    #[serde(default)]
    pub(super) id: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Repository<'a> {
    #[serde(default)]
    pub(super) id: Option<u64>,
    #[serde(borrow, default)]
    pub(super) full_name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) default_branch: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Account<'a> {
    #[serde(borrow, default)]
    pub(super) login: Option<Text<'a>>,
}

/// An issue or a pull request.
#[derive(Default, Deserialize)]
pub(super) struct Subject<'a> {
    #[serde(default)]
    pub(super) number: Option<u64>,
    #[serde(borrow, default)]
    pub(super) updated_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) body: Option<Text<'a>>,
    /// The address of its parent, in the API.
    #[serde(borrow, default)]
    pub(super) parent_issue_url: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct CheckSuite<'a> {
    #[serde(default)]
    pub(super) app: Option<Id>,
    #[serde(borrow, default)]
    pub(super) pull_requests: Option<Vec<Subject<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct CheckRun<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) external_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) pull_requests: Option<Vec<Subject<'a>>>,
}

#[derive(Deserialize)]
pub(super) struct Comment<'a> {
    #[serde(default)]
    pub(super) id: Option<u64>,
    #[serde(borrow, default)]
    pub(super) body: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) created_at: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(super) updated_at: Option<Text<'a>>,
    #[serde(default)]
    pub(super) performed_via_github_app: Option<Id>,
}

#[derive(Deserialize)]
pub(super) struct Label<'a> {
    #[serde(borrow, default)]
    pub(super) name: Option<Text<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Changes {
    #[serde(default)]
    pub(super) title: Changed,
    #[serde(default)]
    pub(super) body: Changed,
    #[serde(default)]
    pub(super) base: Changed,
}

/// A text, or anything else.
#[derive(Deserialize)]
#[serde(untagged)]
enum From {
    Text(String),
    Other(IgnoredAny),
}

/// GitHub says `{"from": …}`, a stand-in says `true`; `false` and `null` say no. With the text from before, if it is told.
#[derive(Default)]
pub(super) struct Changed(pub(super) bool, pub(super) Option<String>);

impl<'de> Deserialize<'de> for Changed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Changed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, changed: bool) -> Result<Changed, E> {
                Ok(Changed(changed, None))
            }
            fn visit_unit<E>(self) -> Result<Changed, E> {
                Ok(Changed(false, None))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_str<E>(self, _: &str) -> Result<Changed, E> {
                Ok(Changed(true, None))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Changed, A::Error> {
                let mut from = None;
                while let Some(key) = map.next_key::<String>()? {
                    match map.next_value::<From>()? {
                        From::Text(text) if key == "from" => from = Some(text),
                        From::Text(_) | From::Other(_) => {}
                    }
                }
                Ok(Changed(true, from))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Changed, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Changed(true, None))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
