# shellcheck shell=bash
# Daemons that are restarted, killed and booted anew while jobs run. Sourced by run.

# waiting_job WHO TASK [OPTION...]: its task begins once `go` is there; running when this returns.
waiting_job() {
  local job
  job=$(job_of "$1" "until [ -e $go ]; do sleep 0.1; done; $2" "${@:3}")
  until_true "job $job runs" is_state "$1" "$job" running
  printf '%s\n' "$job"
}

# survives WHO COMMAND...: the command ends the daemon and has another one started. Jobs go on in their cgroups, and
# the limits hold as before.
survives() {
  local who=$1 go=/tmp/go.$RANDOM old plain holds runaway forks held pids folder task
  shift
  old=$(daemon_of "$who")
  plain=$(waiting_job "$who" 'echo went on')
  runaway=$(waiting_job "$who" "$(eats 1G)" --memory 200M --cpu 80%)
  # What it held before the restart counts too.
  task="head -c 150M /dev/zero; until [ -e $go ]; do sleep 0.1; done; head -c 100M /dev/zero; sleep 60"
  holds=$(job_of "$who" "{ $task; } | tail" --memory 200M)
  forks=$(waiting_job "$who" 'f() { f | f & }; f; sleep 60' --processes 50)
  until_true "$holds runs" is_state "$who" "$holds" running
  folder=$(cgroup_of "$who" "$runaway")
  pids=$(pids_of "$plain" "$runaway" "$holds")
  "$@"
  until_true 'another daemon answers' another_daemon "$who" "$old"
  must 'the same processes' "$(pids_of "$plain" "$runaway" "$holds")" = "$pids"
  until_true 'memory.max is set again' value_is "$folder/memory.max" 209715200
  until_true 'cpu.max is set again' value_is "$folder/cpu.max" '80000 100000'
  until_true 'pids.max is set again' value_is "$(cgroup_of "$who" "$forks")/pids.max" 50
  says "$(field "$who" "$runaway" .pid)" "$(cat "$folder/cgroup.procs")"
  held=$(job_of "$who" "$(eats 1G)" --memory 200M)
  ends_as "$who" "$held" killed memory_limit
  as "$who" touch "$go"
  ends_as "$who" "$plain" completed exit_code
  says 'went on' "$(output "$who" "$plain")"
  ends_as "$who" "$runaway" killed memory_limit
  ends_as "$who" "$holds" killed memory_limit
  ends_as "$who" "$forks" killed process_limit
  verified "$who"
  local left
  left=$(find "${folder%/*}" -maxdepth 1 -name 'job-*')
  must 'cgroups that are left' -z "$left"
}
pids_of() { for job in "$@"; do field "$who" "$job" .pid; done; }
another_daemon() {
  local now
  now=$(daemon_of "$1" 2>/dev/null) && [[ $now =~ ^[0-9]+$ && $now != "$2" ]]
}
value_is() { [[ $(cat "$1" 2>/dev/null) == "$2" ]]; }

# From here on dora's daemon belongs to her unit. She had one already, which luzia had started.
boot1_unit_of_a_user_takes_over_from_a_daemon_on_demand() {
  local job old go=/tmp/go.$RANDOM
  job=$(waiting_job dora 'echo went on')
  old=$(daemon_of dora)
  as dora systemctl --user enable --now luziad.socket
  until_true 'another daemon answers' another_daemon dora "$old"
  says '/luziad.service/daemon' "$(cat "/proc/$(daemon_of dora)/cgroup")"
  touch "$go"
  ends_as dora "$job" completed exit_code
}
boot1_jobs_survive_a_restart_of_the_system_unit() { survives root systemctl restart luziad; }
boot1_jobs_survive_a_restart_of_the_unit_of_a_user() { survives dora as dora systemctl --user restart luziad; }
boot1_jobs_of_users_survive_a_restart_of_the_system_unit() { survives ana systemctl restart luziad; }
stop_and_start() { systemctl stop luziad && sleep 1 && systemctl start luziad; }
boot1_jobs_survive_a_stop_and_a_start_of_the_system_unit() { survives root stop_and_start; }
boot1_jobs_survive_luzia_daemon_restart() { survives root luzia daemon restart; }
kill_it() { kill -9 "$(daemon_of "$1")"; }
boot1_systemd_restarts_a_killed_daemon_and_jobs_go_on() {
  local before
  before=$(systemctl show -P NRestarts luziad)
  survives root kill_it root
  must 'restarts' "$(systemctl show -P NRestarts luziad)" -gt "$before"
}
boot1_systemd_restarts_a_killed_daemon_of_a_user() { survives dora kill_it dora; }

boot1_unit_is_no_failure_after_all_that() {
  must 'luziad.service' "$(systemctl is-active luziad)" = active
  says '0 loaded units' "$(systemctl list-units --failed --no-legend | wc -l | sed 's/$/ loaded units/')"
}

# The clock is moved while a job runs, forth and back.
boot1_clock_steps_end_nothing() {
  local job short real
  real=$(date +%s)
  # shellcheck disable=SC2064
  trap "date -s @$((real + 60)) >/dev/null" EXIT
  job=$(job_of root 'sleep 6' --timeout 60s)
  short=$(job_of root 'sleep 60' --timeout 4s)
  until_true 'it runs' is_state root "$short" running
  date -s "@$((real + 2 * 86400))" >/dev/null
  sleep 2
  must 'with the clock ahead' "$(field root "$job" .state)" = running
  date -s "@$((real - 86400))" >/dev/null
  ends_as root "$job" completed exit_code
  ends_as root "$short" timed_out timed_out
  date -s "@$((real + 10))" >/dev/null
  real=$(event root "$job" AttemptEnded .wall_us)
  must 'how long the job of 6 s ran' "$real" -ge 5500000 -a "$real" -lt 60000000
  job=$(job_of root 'echo after it')
  ends_as root "$job" completed exit_code
  verified root
}

# Left behind for the next boots: what runs, what is queued, what sleeps.
leave_jobs() {
  local who
  for who in root ana dora; do
    {
      job_of $who 'echo begun; sleep 1000'
      job_of $who 'trap "echo stopped; exit 0" TERM; echo begun; while :; do sleep 0.2; done' --memory 100M
      job_of $who 'sleep 1000' --sandbox strict
    } >"/var/lib/wall-$who"
    until_true 'they run' all_are $who running
    job_of $who 'echo after the boot' --not-before 30s >"/var/lib/wall-$who-later"
    date +%s >"/var/lib/wall-time"
  done
  cp -f /proc/sys/kernel/random/boot_id /var/lib/wall-boot
  sync
}
all_are() {
  local job
  while read -r job; do is_state "$1" "$job" "$2" || return 1; done <"/var/lib/wall-$1"
}

# What is said of them after it. STATES: a pattern of "state reason".
told_truthfully() {
  local who job told
  must 'it was booted' "$(cat /proc/sys/kernel/random/boot_id)" != "$(cat /var/lib/wall-boot)"
  for who in root ana dora; do
    verified $who
    while read -r job; do
      ended $who "$job"
      told=$(field $who "$job" '"\(.state) \(.reason) \(.reason_text)"')
      luzia_of $who why "$job"
      # An agent that hears of the end may save its work and say that all is well.
      [[ $told =~ $1 || ($told == completed* && $(output $who "$job") == *stopped*) ]] || fail "job $job of $who: $told"
      grep -qs "LUZIA_JOB_ID=$job" /proc/[0-9]*/environ && fail 'it still runs'
      job=$(field $who "$job" '"\(.ended_us / 1000000 | floor)"')
      must 'its end lies between' "$job" -ge "$(cat /var/lib/wall-time)"
    done <"/var/lib/wall-$who"
    job=$(cat "/var/lib/wall-$who-later")
    ends_as $who "$job" completed exit_code
    says 'after the boot' "$(output $who "$job")"
    job=$(job_of $who "$(eats 1G)" --memory 200M)
    ends_as $who "$job" killed memory_limit
  done
}

boot1_jobs_run_when_the_machine_is_to_boot() { leave_jobs; }
before_boot_2() { systemctl reboot; }
boot2_orderly_boot_is_told_truthfully() { told_truthfully '^(lost|killed|failed) '; }
boot2_jobs_run_when_the_machine_loses_its_power() { leave_jobs; }
before_boot_3() {
  echo 1 >/proc/sys/kernel/sysrq
  echo b >/proc/sysrq-trigger
}
boot3_loss_of_power_is_told_truthfully() { told_truthfully '^lost '; }
before_boot_4() {
  report end
  systemctl poweroff
}
