//! Where a person finds a contract's problem: the line of its file, at the commit that it was read at.

use crate::domain::contract::Problem;
use crate::domain::view::LinkedProblem;

/// The problem with its address below a commit's page.
pub(super) fn linked(page: &str, problem: &Problem) -> LinkedProblem {
    let path: Vec<String> = problem.path.split('/').map(encoded).collect();
    let url = Some(format!("{page}/{}#L{}", path.join("/"), problem.line.max(1)));
    LinkedProblem { problem: problem.clone(), url }
}

/// A path segment in an address: everything but unreserved characters is percent-encoded.
fn encoded(segment: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte as char);
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
