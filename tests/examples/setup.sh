#!/usr/bin/env bash
# Installs the example webhook payloads of npm's @octokit/webhooks-examples, at the locked version, into target/webhook-examples.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into="$here/../../target/webhook-examples"
mkdir -p "$into"
cmp -s "$here/package-lock.json" "$into/ready" && exit 0
cp "$here/package.json" "$here/package-lock.json" "$into/"
(cd "$into" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
cp "$here/package-lock.json" "$into/ready"
