# shellcheck shell=bash
# Limits of attempts, held by the kernel: under the system's unit and under that of a user. Sourced by run.

# tail keeps all that it reads until a line ends, and none does.
eats() { printf '{ head -c %s /dev/zero; sleep 60; } | tail' "$1"; }

boot1_the_unit_of_the_system_starts_with_the_machine() {
  until_true 'luziad.service is active' systemctl is-active --quiet luziad.service
  must 'nobody else has started it' "$(systemctl show -P MainPID luziad)" = "$(daemon_of root)"
  says "/system.slice/luziad.service/daemon" "$(cat "/proc/$(daemon_of root)/cgroup")"
  must 'its oom_score_adj' "$(cat "/proc/$(daemon_of root)/oom_score_adj")" = -500
  local job
  job=$(job_of root 'id -un; cat /proc/self/oom_score_adj')
  ends_as root "$job" completed exit_code
  says $'root\n500' "$(output root "$job")"
  job=$(job_of root true --memory 100M --dry-run) && says '100 MiB of memory' "$job"
}

# memory_runaway WHO: dies within two seconds; ten others and the daemon do not notice.
memory_runaway() {
  local who=$1 others=() daemon job took i
  daemon=$(daemon_of "$who")
  for i in {1..10}; do others+=("$(job_of "$who" "sleep 4; echo $i" --memory 100M)"); done
  job=$(job_of "$who" "$(eats 1G)" --memory 200M)
  ends_as "$who" "$job" killed memory_limit
  took=$(field "$who" "$job" .elapsed_seconds)
  awk -v took="$took" -v s=$SLOW 'BEGIN { exit took > 2 * s }' || fail "it took $took s"
  for i in {1..10}; do ends_as "$who" "${others[i - 1]}" completed exit_code; done
  must 'the daemon lives on' "$(daemon_of "$who")" = "$daemon"
  [[ ! -e $(event "$who" "$job" AttemptLimited .cgroup) ]] || fail 'its cgroup is left'
}
boot1_memory_runaway_of_the_system_dies_alone() { memory_runaway root; }
boot1_memory_runaway_of_a_user_of_the_system_dies_alone() { memory_runaway ana; }
boot1_memory_runaway_of_a_daemon_of_a_user_dies_alone() {
  memory_runaway dora
  says '/user.slice/' "$(cat "/proc/$(daemon_of dora)/cgroup")"
  says '/luziad.service/daemon' "$(cat "/proc/$(daemon_of dora)/cgroup")"
}

boot1_largest_processes_of_a_runaway_are_named() {
  local job who
  for who in root dora; do
    job=$(job_of $who 'for i in 1 2 3 4 5 6 7 8; do head -c 40M /dev/zero; sleep 1.2; done | tail' --memory 200M)
    ends_as $who "$job" killed memory_limit
    says tail "$(event $who "$job" AttemptEnded '.reached.largest | map(.name) | join(" ")')"
    says 'largest: tail (pid ' "$(luzia_of $who why "$job" | tr -s '\n ' ' ')"
  done
}

boot1_files_in_memory_count() {
  local job
  job=$(job_of root 'head -c 300M /dev/zero >/dev/shm/wall; sleep 60' --memory 100M)
  ends_as root "$job" killed memory_limit
  rm -f /dev/shm/wall
}

boot1_memory_runaway_in_a_sandbox_dies_alone() {
  local job sandbox
  for sandbox in project strict; do
    job=$(job_of ana "$(eats 1G)" --memory 200M --sandbox $sandbox)
    ends_as ana "$job" killed memory_limit
    job=$(job_of ana 'head -c 300M /dev/zero >/tmp/x; sleep 60' --memory 200M --sandbox $sandbox)
    ended ana "$job"
    says 'No space' "$(output ana "$job") $(field ana "$job" .reason | sed 's/memory_limit/No space/')"
  done
}

# fork_bomb WHO: meets its limit; somebody else can start processes meanwhile.
fork_bomb() {
  local who=$1 job other folder
  other=$(job_of "$who" 'i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i+1)); sleep 0.05; done')
  job=$(job_of "$who" 'until [ -e go ]; do sleep 0.1; done; rm go; f() { f | f & }; f; sleep 60' --processes 50)
  until_true "it runs" is_state "$who" "$job" running
  folder=$(cgroup_of "$who" "$job")
  must 'pids.max' "$(cat "$folder/pids.max")" = 50
  as "$who" touch "$(field "$who" "$job" .working_dir)/go"
  ends_as "$who" "$job" killed process_limit
  ends_as "$who" "$other" completed exit_code
  until_true 'its cgroup goes' test ! -e "$folder"
}
boot1_fork_bomb_of_the_system_dies_alone() { fork_bomb root; }
boot1_fork_bomb_of_a_user_of_the_system_dies_alone() { fork_bomb ben; }
boot1_fork_bomb_of_a_daemon_of_a_user_dies_alone() { fork_bomb dora; }

# held_back WHO: of three seconds it gets a fifth of a core.
held_back() {
  local who=$1 job used
  job=$(job_of "$who" 'timeout 3 sh -c "while :; do :; done"; true' --cpu 20%)
  until_true "it runs" is_state "$who" "$job" running
  must 'cpu.max' "$(cat "$(cgroup_of "$who" "$job")/cpu.max")" = '20000 100000'
  ends_as "$who" "$job" completed exit_code
  used=$(field "$who" "$job" '.user_seconds + .system_seconds')
  awk -v used="$used" 'BEGIN { exit !(used < 1.2 && used > 0.2) }' || fail "it used $used s"
  must 'warnings' "$(field "$who" "$job" .warnings)" = 0
}
boot1_processor_is_held_back_by_the_system() { held_back root; }
boot1_processor_is_held_back_by_a_daemon_of_a_user() { held_back dora; }

boot1_room_of_a_job_is_limited() {
  local who job
  for who in root ana dora; do
    job=$(job_of "$who" 'head -c 30M /dev/zero >"$LUZIA_JOB_DIR/big"; sleep 60' --disk 10M)
    ends_as "$who" "$job" killed disk_limit
  done
}

# An agent of another user than the daemon's cannot leave its cgroup, nor raise its limits.
boot1_an_agent_cannot_leave_its_cgroup() {
  local job
  job=$(job_of ana "own=/sys/fs/cgroup\$(sed 's/^0:://' /proc/self/cgroup)
    for file in $system/daemon/cgroup.procs $system/cgroup.procs /sys/fs/cgroup/cgroup.procs; do
      { echo \$\$ >\$file; } 2>/dev/null && echo left by \$file
    done
    { echo max >\$own/memory.max; } 2>/dev/null && echo raised
    mkdir \$own/sub 2>/dev/null && echo made a group; ls -ld \$own; exit 0" --memory 100M)
  ends_as ana "$job" completed exit_code
  says 'root root' "$(output ana "$job")"
  [[ $(output ana "$job") != *left* && $(output ana "$job") != *raised* && $(output ana "$job") != *made* ]] ||
    fail "$(output ana "$job")"
}

boot1_doctor_says_who_holds_limits() {
  printf '[jobs]\nmemory = "1G"\n' >>/etc/luzia/luzia.toml
  luzia daemon reload
  says "by the kernel in $system" "$(luzia doctor || true)"
  sed -i '/^\[jobs\]$/,$d' /etc/luzia/luzia.toml
  luzia daemon reload
}
