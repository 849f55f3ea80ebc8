# Recipes for people who work on Sekisho. CONTRIBUTING.md says when to use which.

# All recipes.
default:
    @just --list

# Everything that a change must pass.
check: format lint tidy deny test docs

# Code is formatted.
format:
    cargo fmt --check

# No warning of the compiler or clippy (pedantic).
lint:
    cargo clippy --all-targets --locked -- -D warnings
    cargo clippy --test kill_story --locked -- -D warnings

# The laws of the house: ladder, sizes, paths in docs, app.yml.
tidy:
    cargo test --locked --test tidy

# Licences, banned crates, sources. `cargo install cargo-deny --locked` brings the tool.
deny:
    cargo deny --all-features check licenses bans sources

# All tests, with what they need; arguments go to `cargo test`.
test *arguments:
    ./scripts/test.sh {{ arguments }}

# The parent's story with kill -9 at every write, before it and after it: takes minutes, says what it met.
kill-story:
    ./scripts/test.sh --test kill_story -- --nocapture --test-threads 1

# Documentation builds without a warning.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked --document-private-items

# Two issues on an in-process GitHub, their verdicts, then a page of them.
demo *arguments:
    cargo run --locked -- demo {{ arguments }}

# The judge beside textlint, then intake beside Probot, memory, cold start: see benches/*/README.md. Release profile; wants a quiet machine.
bench *servers: bench-judge
    benches/intake/run {{ servers }}

# The embedded judge beside textlint on the same texts: see benches/judge/README.md.
bench-judge:
    benches/judge/run

# Feeds a parser of outside bytes with noise; needs nightly and `cargo install cargo-fuzz --locked`.
fuzz target seconds="60":
    cargo +nightly fuzz run {{ target }} -- -max_total_time={{ seconds }}

# Precision and recall of every detector on its corpus, into docs/detectors.md; `just detectors --check` compares only.
detectors *arguments:
    cargo run --quiet --locked --example detectors -- {{ arguments }}

# Replies of the scripted model in tests/data/models, and their baseline, anew: after a change of what models are asked.
tape:
    UPDATE_TAPE=1 cargo test --locked --test models_cli
