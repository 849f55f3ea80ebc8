//! Comments of anyone: a line that is found is a command.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sekisho::domain::command::{CommentKind, command_line, parse_command, wakes};

fuzz_target!(|body: &str| {
    let line = command_line(body);
    assert_eq!(matches!(wakes(body), CommentKind::Command(_)), line.is_some());
    if let Some(line) = line {
        assert!(parse_command(&line).is_some());
    }
});
