# shellcheck shell=bash
# What the scripts share: their voice, the packages, and how a preset is built. Sourced, never run.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Cached objects may be shared between clones in different folders: paths below the root are hashed relative to it.
export CCACHE_BASEDIR="$repository" CCACHE_NOHASHDIR=true CCACHE_COMPILERCHECK=content
export CCACHE_SLOPPINESS="pch_defines,time_macros,include_file_mtime,include_file_ctime"

program_name=$(basename "$0")

# Talk goes to stderr: stdout is for what a script wants.
say() {
  if [[ -t 2 && -z ${NO_COLOR:-} ]]; then printf '\033[1m== %s\033[0m\n' "$*" >&2; else printf '== %s\n' "$*" >&2; fi
}

# die MESSAGE [EXIT_CODE]
die() {
  printf '%s: %s\n' "$program_name" "$1" >&2
  exit "${2:-1}"
}

# The comment at the top of the script that runs.
print_help() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
}

# packages_of GROUP...: the Debian packages of these groups.
packages_of() {
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group { print $2 }' "$repository/tools/dev/packages"
  done
}

# What another installed package provides (NodeSource's nodejs: npm) is not missing.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}, ${Provides}\n' |
    sed -n 's/^installed //p' | tr -s ', ' '\n\n' | sed 's/(.*//')
  comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$installed")
}

# as_root COMMAND...: runs it as it is for root, else by sudo.
as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" \
    </dev/null >&2
}

# install_packages GROUP...: installs what these groups lack. Does nothing, and needs no rights, when all is there.
install_packages() {
  command -v dpkg-query >/dev/null ||
    die "this is no Debian system (no dpkg): install what tools/dev/packages lists by hand, then use --no-install"
  local wanted missing
  mapfile -t wanted < <(packages_of "$@")
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  [[ ${#missing[@]} -eq 0 ]] && return
  if [[ $EUID -ne 0 ]] && ! { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; }; then
    die "packages are missing and only root or sudo can install them: apt-get install ${missing[*]}"
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  local updated=no
  if apt-cache policy "${missing[@]}" 2>/dev/null | grep -q 'Candidate: (none)' ||
    [[ $(apt-cache policy "${missing[@]}" 2>/dev/null | grep -c 'Candidate:') -ne ${#missing[@]} ]]; then
    apt_get update || die "apt-get update failed: is the network there?"
    updated=yes
  fi
  apt_get install -y --no-install-recommends "${missing[@]}" && return
  # Lists that are too old name files that the mirror no longer has.
  [[ $updated == no ]] || die "apt-get could not install: ${missing[*]}"
  apt_get update && apt_get install -y --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install: ${missing[*]}"
}

# build PRESET [CMAKE BUILD OPTION...]: configures (quietly, unless it fails), then builds.
build() {
  local preset=$1 log="$repository/build/$1.configure.log" quiet=()
  shift
  mkdir -p "$repository/build"
  say "Configuring $preset"
  (cd "$repository" && cmake --preset "$preset") >"$log" 2>&1 || {
    cat "$log" >&2
    die "cmake --preset $preset failed"
  }
  say "Building $preset"
  [[ -t 2 ]] || quiet=(-- --quiet)
  (cd "$repository" && cmake --build --preset "$preset" "$@" "${quiet[@]}" >&2) || die "the build failed: $preset"
}
