#!/usr/bin/env bash
# Sets up what is missing and runs all tests. Arguments go to `cargo test`, such as `--test tidy`.
# Everything that is downloaded for the tests stays under target/.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh tests
[ -n "$(command -v cargo)" ] || . "$HOME/.cargo/env"

export npm_config_cache="$PWD/target/cache/npm" PIP_CACHE_DIR="$PWD/target/cache/pip"
tests/examples/setup.sh
[ ! -x tests/emulator/setup.sh ] || tests/emulator/setup.sh

exec cargo test --locked "$@"
