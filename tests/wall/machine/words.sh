# shellcheck shell=bash
# What the cases say: people, jobs, and what must hold. Sourced by run.

# How many times slower than on a processor of its own the machine is: 1, or more if the processor is emulated.
SLOW=$(cat "$here/slow")
# shellcheck disable=SC2034 # the cases read it
system=/sys/fs/cgroup/system.slice/luziad.service

fail() {
  printf '%s\n' "$*"
  exit 1
}
# must WHAT TEST...: the test of `test`, and what it means if it does not hold.
must() {
  local what=$1
  shift
  test "$@" || fail "$what (test $*)"
}
# says WORDS TEXT
says() { [[ $2 == *"$1"* ]] || fail "'$1' is missing in: $2"; }
# until_true WHAT COMMAND...: within ten seconds.
until_true() {
  local what=$1 ends=$((SECONDS + 10 * SLOW))
  shift
  until "$@"; do
    ((SECONDS < ends)) || fail "not in time: $what"
    sleep 0.05
  done
}

# as WHO COMMAND...: in a login of that user, with the user's own service manager.
as() {
  local who=$1 id
  shift
  if [[ $who == root ]]; then
    "$@"
    return
  fi
  id=$(id -u "$who")
  runuser -u "$who" -- env -i HOME="/home/$who" USER="$who" LOGNAME="$who" PATH="$PATH" LANG=C.UTF-8 \
    XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" \
    ${LUZIA_STORE:+"LUZIA_STORE=$LUZIA_STORE"} "$@"
}
# Ana, ben and cleo have their jobs run by the system's daemon; dora has a daemon of her own.
luzia_of() {
  local who=$1
  shift
  if [[ $who == ana || $who == ben || $who == cleo ]]; then
    LUZIA_STORE=/var/lib/luzia/store as "$who" luzia "$@"
  else
    as "$who" luzia "$@"
  fi
}
# job_of WHO TASK [OPTION...]: the id of a new shell job in the user's project.
job_of() { luzia_of "$1" dispatch "$1" -a shell -q "${@:2}" </dev/null; }
# field WHO JOB FILTER: of the job's row.
field() { luzia_of "$1" job "$2" --json | jq -r "$3"; }
# event WHO JOB TYPE FILTER: of the job's last event of that type.
event() { luzia_of "$1" events --job "$2" --json | jq -rs "map(select(.type == \"$3\")) | last | .data | $4"; }
ended() { luzia_of "$1" wait "$2" --timeout $((60 * SLOW))s >/dev/null 2>&1 || true; }
is_state() { [[ $(field "$1" "$2" .state) == "$3" ]]; }
# ends_as WHO JOB STATE REASON
ends_as() {
  ended "$1" "$2"
  local end
  end=$(field "$1" "$2" '"\(.state) \(.reason)"')
  must "how job $2 of $1 ends: $(luzia_of "$1" why "$2")" "$end" = "$3 $4"
}
output() { luzia_of "$1" logs "$2" --raw; }
# verified WHO: the store that the user's jobs are in.
verified() {
  local who=$1 said
  [[ $who == dora ]] || who=root
  said=$(as "$who" luzia-query verify 2>&1) || fail "verify: $said"
}
# cgroup_of WHO JOB: the folder in which the kernel holds its first attempt; it must exist.
cgroup_of() {
  local folder
  folder=$(event "$1" "$2" AttemptLimited .cgroup)
  [[ -d $folder ]] || fail "the kernel does not hold job $2 of $1: '$folder'"
  printf '%s\n' "$folder"
}
daemon_of() { luzia_of "$1" daemon status --json | jq .pid; }
