# shellcheck shell=bash
# A small disk that holds the store, and fills. Sourced by run.

boot1_full_disk_loses_nothing_that_was_acknowledged() {
  export LUZIA_STORE=/srv/small/store
  local job ids=() id said i
  truncate -s 96M /srv/small.image && mke2fs -q -t ext4 -m 0 /srv/small.image
  mkdir -p /srv/small && mount -o loop /srv/small.image /srv/small
  luzia daemon start
  job=$(job_of root 'until [ -e /tmp/disk-go ]; do sleep 0.1; done; echo went on')
  until_true 'it runs' is_state root "$job" running
  dd if=/dev/zero of=/srv/small/filler bs=1M 2>/dev/null || true
  dd if=/dev/zero of=/srv/small/filler2 bs=1K 2>/dev/null || true
  for i in {1..300}; do
    id=$(job_of root "true $i $(head -c 3000 /dev/zero | tr '\0' x)" --not-before 1h 2>/run/wall-said) || break
    ids+=("$id")
  done
  must "it is refused at last, after ${#ids[@]}" "$i" -lt 300
  said=$(cat /run/wall-said)
  says 'space' "$said"
  must 'lines of the refusal' "$(wc -l <<<"$said")" -le 2
  touch /tmp/disk-go
  sleep 2
  rm /srv/small/filler /srv/small/filler2
  for i in {1..20}; do
    luzia daemon start >/dev/null 2>&1 && id=$(job_of root 'echo again' 2>/run/wall-said) && break
    sleep 1
  done
  ends_as root "$id" completed exit_code
  ends_as root "$job" completed exit_code
  for id in "${ids[@]}"; do must "acknowledged job $id" "$(field root "$id" .state)" = queued; done
  verified root
  luzia daemon stop
  umount /srv/small
}
