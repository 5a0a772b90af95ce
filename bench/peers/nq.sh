#!/usr/bin/env bash
# nq.sh JOBS SCRATCH: prints dispatches/s and finished/s of nq with a queue of its own.
set -euo pipefail
jobs=$1 scratch=$2
if ! command -v nq >/dev/null; then
  echo "nq: not installed (Debian package nq)" >&2
  exit 77
fi
export NQDIR=$scratch
begin=$(date +%s%N)
for ((i = 0; i < jobs; i++)); do nq -q true; done
sent=$(date +%s%N)
nq -w
ended=$(date +%s%N)
awk -v n="$jobs" -v d=$((sent - begin)) -v f=$((ended - begin)) 'BEGIN { print n / (d / 1e9), n / (f / 1e9) }'
