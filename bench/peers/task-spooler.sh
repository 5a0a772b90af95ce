#!/usr/bin/env bash
# task-spooler.sh JOBS SCRATCH: prints dispatches/s and finished/s of task-spooler with a server of its own.
set -euo pipefail
jobs=$1 scratch=$2
ts=$(command -v tsp || command -v ts || true)
if [ -z "$ts" ] || ! "$ts" -h 2>&1 | grep -q TS_SOCKET; then
  echo "task-spooler: not installed (Debian package task-spooler)" >&2
  exit 77
fi
export TS_SOCKET=$scratch/socket TMPDIR=$scratch TS_MAXFINISHED=1000000 TS_SLOTS=2
trap '"$ts" -K' EXIT
begin=$(date +%s%N)
for ((i = 0; i < jobs; i++)); do last=$("$ts" -n true); done
sent=$(date +%s%N)
for ((i = last - 3 > 0 ? last - 3 : 0; i <= last; i++)); do "$ts" -w "$i" >/dev/null || true; done
ended=$(date +%s%N)
awk -v n="$jobs" -v d=$((sent - begin)) -v f=$((ended - begin)) 'BEGIN { print n / (d / 1e9), n / (f / 1e9) }'
