#!/usr/bin/env bash
# Sets up what is missing, builds Sekisho and runs its demo: no network, no key. Arguments go to `sekisho demo`, such as --once.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
[ -n "$(command -v cargo)" ] || . "$HOME/.cargo/env"
exec cargo run --locked -- demo "$@"
