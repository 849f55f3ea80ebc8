//! Profiles of the public `tasuki` plugin: list-style `gates` and no `kind` (chapter 2). Known by their shape, not read yet.

use super::report::{At, Report};
use super::shape::Keys;
use super::tree::Value;

/// Whether a file without `kind` has the shape of such a profile.
pub(super) fn is_profile(map: Keys<'_>) -> bool {
    map.get("gates").is_some_and(|node| matches!(node.value, Value::List(_)))
}

/// Says that the file is set aside.
pub(super) fn notice(report: &mut Report<'_>) {
    let message = "this is a profile with list-style `gates`, a shape that a later version reads; it is ignored";
    report.notice("tasuki", At::FILE, message, "kind: handoff, and `gates` as a map");
}
