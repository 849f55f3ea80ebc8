#!/usr/bin/env bash
# What a fresh Debian or Ubuntu needs before anything is built: a C compiler, Rust, and for the tests Node, Python, jq and nginx.
#   scripts/setup.sh          what `cargo run` needs
#   scripts/setup.sh tests    what the tests need besides
# Safe to run again: what is there stays, and without missing packages nothing is asked of apt.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { command -v "$1" >/dev/null 2>&1 || missing+=("${@:2}"); }
need cc build-essential
need curl curl ca-certificates
if [ "${1:-}" = tests ]; then
  need git git
  need node nodejs
  need npm npm
  need openssl openssl
  need nginx nginx-light
  need jq jq
  python3 -c 'import venv, ensurepip' >/dev/null 2>&1 || missing+=(python3 python3-venv)
fi

if [ "${#missing[@]}" -gt 0 ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Please install what stands for these Debian packages on your system, then run this again: ${missing[*]}" >&2
    exit 1
  fi
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  echo "Installing with apt: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

command -v cargo >/dev/null 2>&1 || [ ! -f "$HOME/.cargo/env" ] || . "$HOME/.cargo/env"
if ! command -v cargo >/dev/null 2>&1; then
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  echo "Rust is missing. Install it with rustup, then run this again:" >&2
  echo "  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --default-toolchain $wanted" >&2
  exit 1
fi
