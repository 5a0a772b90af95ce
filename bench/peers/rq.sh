#!/usr/bin/env bash
# rq.sh JOBS SCRATCH: prints dispatches/s and finished/s of rq (Python, Redis) with its own server and two workers.
# A single program dispatches all jobs; Redis keeps them in memory and writes nothing to disk.
set -euo pipefail
jobs=$1 scratch=$2
if ! /usr/bin/python3 -c 'import rq' 2>/dev/null || ! command -v redis-server >/dev/null; then
  echo "rq: not installed (Debian packages python3-rq and redis-server)" >&2
  exit 77
fi
socket=$scratch/redis.sock
redis-server --port 0 --unixsocket "$socket" --dir "$scratch" --save '' --appendonly no >"$scratch/redis.log" &
server=$!
trap 'kill "$server" && wait "$server" || true' EXIT
for ((i = 0; i < 100; i++)); do [ -S "$socket" ] && break; sleep 0.05; done
now() { date +%s%N; }
begin=$(now)
/usr/bin/python3 - "$socket" "$jobs" <<'PYTHON'
import sys
from redis import Redis
from rq import Queue
queue = Queue(connection=Redis(unix_socket_path=sys.argv[1]))
for _ in range(int(sys.argv[2])):
    queue.enqueue("subprocess.call", ["true"])
PYTHON
sent=$(now)
for worker in 1 2; do
  rq worker --burst --quiet --url "unix://$socket" --name "bench-$worker" >"$scratch/worker-$worker.log" 2>&1 &
  workers[worker]=$!
done
wait "${workers[@]}"
ended=$(now)
left=$(/usr/bin/python3 -c 'import sys; from redis import Redis; from rq import Queue
print(len(Queue(connection=Redis(unix_socket_path=sys.argv[1]))))' "$socket")
[ "$left" = 0 ] || { echo "rq: $left jobs were left" >&2; exit 1; }
awk -v n="$jobs" -v d=$((sent - begin)) -v f=$((ended - begin)) 'BEGIN { print n / (d / 1e9), n / (f / 1e9) }'
