# shellcheck shell=bash
# An empty Debian 12, made by debootstrap in a scratch folder from the mirror that this machine's apt uses, and the table
# of the steps that are tried in it. Sourced, after common.sh, by what proves something on a machine with nothing on it.
#
# The caller sets: log (a file that gets what the steps say), use_ccache (yes, no), if_changed (yes, no).

suite=bookworm table='' scratch='' ccache=''

# not_possible WHY: nothing is proved, and for CI that is no fault of the change.
not_possible() {
  [[ $if_changed == yes ]] || die "$1"
  say "Not tried on an empty Debian: $1"
  exit 0
}

# This machine's own sources of Debian 12: ADDRESS SUITE.
sources() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' |
    awk -v suite=$suite '$3 == "main" && $2 ~ "^" suite "(-updates|-security)?$" { print $1, $2 }' | sort -u
}

# apart COMMAND...: with processes and mounts of its own. When it ends, however it does, all that it has started is
# killed, and its mounts are gone; nobody else has ever seen them, so that removing the scratch folder is safe.
apart() {
  unshare --mount --pid --fork --kill-child --propagation private "$@" </dev/null
}

# As pivot_root has it, not chroot, in which no user namespaces are made. The shell waits for orphans, as init does.
# shellcheck disable=SC2016
enter='
  mount --bind "$1" "$1" && cd "$1"
  mount -t proc proc proc && mount -t sysfs -o ro sysfs sys
  mount -t tmpfs -o mode=1777 tmpfs dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts dev/pts
  mkdir -p ccache old && mount --bind "$2" ccache
  pivot_root . old && cd / && umount -l old && rmdir old
  shift 2
  "$@"
  exit $?'
# inside ROOT SCRIPT [WORD...]: the script in there, as root after a login.
inside() {
  local root=$1 name environment=(HOME=/root USER=root LOGNAME=root SHELL=/bin/bash LANG=C.UTF-8 TERM=dumb
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/ccache)
  shift
  for name in http_proxy https_proxy no_proxy; do [[ -z ${!name:-} ]] || environment+=("$name=${!name}"); done
  [[ ! -e $root$authorities ]] || environment+=("NODE_EXTRA_CA_CERTS=$authorities")
  apart bash -euc "$enter" enter "$root" "$ccache" env -i "${environment[@]}" bash -euo pipefail -c "$@"
}

# Whom npm of this machine trusts besides the usual authorities: a proxy's, for example.
authorities=/etc/ssl/machine-authorities.pem

# make_root ROOT: with this machine's way to its mirrors, and git.
make_root() {
  local root=$1 mirror http_proxy=${http_proxy:-}
  mirror=$(sources | awk -v suite=$suite '$2 == suite { print $1; exit }')
  [[ -n $http_proxy ]] || eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  export http_proxy
  apart timeout 900 debootstrap --variant=minbase --include=git $suite "$root" "$mirror" &&
    sources | sed 's/^/deb /; s/$/ main/' >"$root/etc/apt/sources.list" &&
    { apt-config dump | grep -E '^Acquire::(http|https|Check-|Retries|ForceIPv)' || true; } \
      >"$root/etc/apt/apt.conf.d/99machine" &&
    cat /etc/resolv.conf >"$root/etc/resolv.conf" && cat /etc/hosts >"$root/etc/hosts" || return
  if [[ -n ${NODE_EXTRA_CA_CERTS:-} ]]; then
    mkdir -p "$root/etc/ssl" && cat "$NODE_EXTRA_CA_CERTS" >"$root$authorities" || return
  fi
  if [[ $mirror == https:* ]]; then
    mkdir -p "$root/etc/ssl/certs" && cat /etc/ssl/certs/ca-certificates.crt >"$root/etc/ssl/certs/ca-certificates.crt"
  fi
}

# The caller's objects by their names: neither does ccache change a file that is there, nor do we.
make_ccache() {
  local own
  ccache=$scratch/ccache
  mkdir -m 0755 "$ccache"
  own=$(ccache -k cache_dir 2>/dev/null) && [[ $use_ccache == yes && -d $own ]] || return 0
  { cp -al "$own/." "$ccache" 2>/dev/null || cp -a "$own/." "$ccache"; } && CCACHE_DIR=$ccache ccache -z >/dev/null
}

# tried NAME ROOT COMMAND...: a row of the table, and whether it has succeeded.
tried() {
  local name=$1 root=$2 begun=$SECONDS verdict=''
  shift 2
  say "$name"
  printf '\n== %s\n' "$name" >>"$log"
  "$@" >>"$log" 2>&1 || verdict='  FAILED'
  table+=$(printf '%-42s %8d %9d %8d%s' "$name" $((SECONDS - begun)) \
    "$(grep -c '^Status: install ok installed' "$root/var/lib/dpkg/status" 2>/dev/null || true)" \
    "$(du -smx "$root" 2>/dev/null | cut -f1)" "$verdict")$'\n'
  [[ -z $verdict ]]
}

# step NAME ROOT COMMAND...: the same; the first that fails is the last.
step() {
  tried "$@" && return
  local name=$1
  print_table
  tail -n 40 "$log" >&2
  die "$name failed; the whole of it: $log"
}

print_table() {
  printf '\n%-42s %8s %9s %8s\n%s' step seconds packages MiB "$table"
}

clean_up() {
  # Nothing is mounted there, but if somebody has: not through it.
  [[ -z $scratch ]] || rm -rf --one-file-system "$scratch"
}

check_possible() {
  [[ $EUID -eq 0 ]] || not_possible "only root can make one"
  apart mount -t proc proc /proc 2>/dev/null || not_possible "this root may not mount anything"
  [[ -n $(sources) ]] || not_possible "apt of this machine has no source of Debian $suite"
  (install_packages fresh) || not_possible "there is no debootstrap"
}

# begin_scratch: the folder of the roots; it goes when the script ends.
begin_scratch() {
  mkdir -p "$repository/build"
  : >"$log"
  trap clean_up EXIT
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/luzia-fresh.XXXXXX")
  chmod 0755 "$scratch"
}
