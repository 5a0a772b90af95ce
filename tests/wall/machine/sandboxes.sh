# shellcheck shell=bash
# The wall under a daemon of root, with several users, and where the kernel gives less. Sourced by run.

# way WHO SANDBOX WAY...: "escaped", "held", or what else came of it.
way() {
  local who=$1 sandbox=$2 job
  shift 2
  job=$(job_of "$who" "/opt/wall/escapes $*" --sandbox "$sandbox")
  ended "$who" "$job"
  case "$(field "$who" "$job" .exit_code) $(output "$who" "$job")" in
  '0 '*escaped:*) echo escaped ;;
  '1 '*held*) echo held ;;
  *) luzia_of "$who" why "$job" ;;
  esac
}
# only_off WHO WAY...: it works under off, so that it means something, and in no sandbox.
only_off() {
  must "$* of $1 under off" "$(way "$1" off "${@:2}")" = escaped
  held "$@"
}
held() {
  local sandbox
  for sandbox in project strict; do must "$* of $1 under $sandbox" "$(way "$1" $sandbox "${@:2}")" = held; done
}

boot1_wall_of_each_user_holds() {
  local who other
  for who in ana ben dora; do
    only_off $who read "/home/$who/.ssh/id"
    only_off $who link "/home/$who/.ssh/id"
    held $who hard-link "/home/$who/.ssh/id"
    held $who roots "/home/$who/.ssh/id"
    held $who namespace "/home/$who/.ssh/id"
    only_off $who setuid
    for way in trace capabilities kernel device keys; do held $who $way; done
    for other in ana ben cleo dora; do [[ $other == "$who" ]] || held $who read "/home/$other/.ssh/id"; done
  done
  # luzia-run is root's under the system's daemon.
  for way in kill runner-files; do
    only_off dora $way
    must "$way of ana under off" "$(way ana off $way)" = held
    held ana $way
  done
}

boot1_wall_of_root_holds() {
  only_off root read /root/.ssh/id
  only_off root kernel
  only_off root capabilities
  only_off root kill
  only_off root read /var/lib/luzia/store/attempt.key
  only_off root socket /var/lib/luzia/store/socket
  for way in trace runner-files device; do held root $way; done
  held root namespace /root/.ssh/id
  must 'home of another under strict' "$(way root strict read /home/ana/.ssh/id)" = held
}

boot1_one_user_reaches_neither_store_nor_job_of_another() {
  local job other folder file
  other=$(job_of ben 'echo private; sleep 86399')
  until_true 'it runs' is_state ben "$other" running
  folder=$(field ben "$other" .dir)
  for file in "$folder/output.log" /var/lib/luzia/store/attempt.key /var/lib/luzia/store/luziad.log; do
    must "$file, off" "$(way ana off read "$file")" = held
    held ana read "$file"
  done
  held ana other-job 86399
  must 'its own user' "$(way ben off other-job 86399)" = escaped
  held ben other-job 86399
  luzia_of ana job "$other" >/dev/null 2>&1 && fail "ana sees a job of ben"
  luzia_of ana cancel "$other" >/dev/null 2>&1 && fail "ana cancels a job of ben"
  luzia_of ana dispatch ana 'id -un' -a shell --user root >/dev/null 2>&1 && fail "ana becomes root"
  luzia_of ana dispatch ana 'id -un' -a shell --user ben >/dev/null 2>&1 && fail "ana becomes ben"
  must 'still running' "$(field ben "$other" .state)" = running
  luzia_of ben cancel "$other"
  job=$(luzia_of ana dispatch shared -a shell -q 'id -un')
  ends_as ana "$job" completed exit_code
  must 'whom the project names' "$(output ana "$job")" = cleo
}

boot1_network_none_reaches_nothing() {
  local job listener
  perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1:4711") or die; sleep 600' &
  listener=$!
  # shellcheck disable=SC2064
  trap "kill $listener" EXIT
  until_true 'somebody listens' grep -q ' 0100007F:1267 ' /proc/net/tcp
  must 'with the network' "$(way root project port 4711)" = escaped
  job=$(luzia dispatch alone -a shell -q '/opt/wall/escapes port 4711; cut -d: -f1 /proc/net/dev | tail -n +3')
  ended root "$job"
  must 'what is there' "$(output root "$job" | tr -d ' ' | paste -sd ' ')" = 'held lo'
}

# Without namespaces for users, a user's daemon can make no sandbox: it says so, and never leaves it out.
boot1_sandbox_that_cannot_be_made_is_refused() {
  local job sandbox
  sysctl -q kernel.unprivileged_userns_clone=0
  for sandbox in project strict; do
    job=$(job_of dora 'echo ran' --sandbox $sandbox)
    ends_as dora "$job" failed start_failed
    says sandbox_unavailable "$(field dora "$job" .reason_text)"
    must 'it did not run' -z "$(output dora "$job")"
    must "root's daemon needs none" "$(way ana $sandbox read /home/ana/.ssh/id)" = held
    must "root's jobs need none" "$(way root $sandbox read /root/.ssh/id)" = held
  done
  printf '[jobs]\nsandbox = "project"\n' >>/home/dora/.config/luzia/luzia.toml
  as dora luzia daemon reload
  says sandbox "$(as dora luzia doctor 2>&1 | grep -i 'bad\|fail\|warn' || true)"
  sed -i '/^\[jobs\]$/,$d' /home/dora/.config/luzia/luzia.toml
  as dora luzia daemon reload
  sysctl -q kernel.unprivileged_userns_clone=1
  sysctl -q user.max_user_namespaces=0
  job=$(job_of dora 'echo ran' --sandbox project)
  ends_as dora "$job" failed start_failed
  sysctl -q user.max_user_namespaces=10000
  must 'now it can' "$(way dora project read /home/dora/.ssh/id)" = held
}
