# shellcheck shell=bash
# A small disk that holds the store, and fills. Sourced by run.

boot1_full_disk_loses_nothing_that_was_acknowledged() {
  export LUZIA_STORE=/srv/small/store
  local job ids=() text i
  truncate -s 192M /srv/small.image && mke2fs -q -t ext4 -m 0 /srv/small.image
  mkdir -p /srv/small && mount -o loop /srv/small.image /srv/small
  luzia daemon start >/dev/null
  job=$(job_of root 'until [ -e /tmp/disk-go ]; do sleep 0.1; done')
  until_true 'it runs' is_state root "$job" running
  luzia pause --all
  head -c "$(($(df --output=avail -B1 /srv/small | tail -n 1) - 50000000))" /dev/zero >/srv/small/filler
  # The daemon takes jobs until it keeps what is left for what must not fail; then others take that, too.
  text=$(head -c 90000 /dev/urandom | base64 -w 0)
  for i in {1..20}; do jq -nc --arg t "true $i $text" '{project: "root", agent: "shell", task: $t}'; done >/run/batch
  for i in {1..60}; do
    luzia dispatch --batch /run/batch -q >/run/ids 2>/run/said || break
    mapfile -t -O ${#ids[@]} ids </run/ids
  done
  must "it is refused at last, after ${#ids[@]} jobs" "$i" -lt 60 -a ${#ids[@]} -gt 0
  says disk_full "$(luzia dispatch root true -a shell --json 2>&1 || true)"
  must 'lines of the refusal' "$(wc -l </run/said)" -le 3
  cat /dev/zero 2>/dev/null >/srv/small/filler2 || true
  touch /tmp/disk-go
  sleep 2
  rm /srv/small/filler /srv/small/filler2
  until_true 'jobs are taken again' again
  ends_as root "$job" completed exit_code
  luzia jobs --state queued --limit 0 --json | jq -r ".jobs[].id" | sort >/run/queued
  printf '%s\n' "${ids[@]}" | sort | comm -23 - /run/queued >/run/lost
  must "acknowledged jobs that are lost: $(head -n 3 /run/lost)" ! -s /run/lost
  verified root
  luzia daemon stop
  umount /srv/small
}
again() { job_of root 'echo again' >/dev/null 2>/run/said; }
