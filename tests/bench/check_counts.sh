#!/usr/bin/env bash
# check_counts.sh COUNTED_PARTS RECORDED [--record]: compares each part's instruction count (callgrind) with the
# recorded one. It fails if they differ by more than TOLERANCE percent in either direction, so that gains are recorded
# too (--record) and kept.
set -euo pipefail
program=$1 recorded=$2
TOLERANCE=8
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
    awk '/Collected/ { print $NF; found = 1 } END { exit !found }'
}
each() {
  local few many
  few=$(instructions "$1" 10)
  many=$(instructions "$1" 30)
  echo $(((many - few) / 20))
}
if [ "${3:-}" = --record ]; then
  parts=$(awk '!/^#/ { print $1 }' "$recorded")
  lines=$(grep '^#' "$recorded"; for part in $parts; do echo "$part $(each "$part")"; done)
  printf '%s\n' "$lines" >"$recorded"
  exit
fi
failed=0 checked=0
while read -r part count; do
  [[ $part = \#* ]] && continue
  now=$(each "$part")
  checked=$((checked + 1))
  echo "$part: $now instructions, recorded $count"
  if ((now * 100 > count * (100 + TOLERANCE) || now * 100 < count * (100 - TOLERANCE))); then
    echo "$part is off by over $TOLERANCE %: find why, or record it anew with --record" >&2
    failed=1
  fi
done <"$recorded"
((checked > 0 && failed == 0))
