//! The `sekisho` binary: everything it does stands in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(sekisho::cli::run(std::env::args_os()))
}
