#include "tools/luzia/machines/install_package.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/shell_quote.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

// Exit codes of the script.
constexpr int kInstalled = 0, kNoDpkg = 10, kNoPackage = 11, kOtherArchitecture = 12, kMayNot = 13,
              kNoRoom = 14;

/// Looks before it takes the package of $1 bytes, and removes it in any case. Its last line is what it has
/// found or done. A connection that ends cuts the package, which is then left, and never disturbs dpkg, which
/// prints into a file.
constexpr const char* kInstallScript = R"sh(
command -v dpkg >/dev/null && command -v dpkg-deb >/dev/null || exit 10
as=
if [ "$(id -u)" != 0 ]; then
  sudo -n dpkg --version >/dev/null 2>&1 || exit 13
  as="sudo -n "
fi
file=$(mktemp "${TMPDIR:-/tmp}/luzia-XXXXXXXX.deb") || exit 14
trap 'rm -f "$file" "$file.said"' EXIT
trap '' PIPE
cat > "$file" || exit 14
[ $(wc -c < "$file") = "$1" ] || { echo "only a part of it arrived"; exit 14; }
name=$(dpkg-deb -f "$file" Package) || exit 11
[ "$name" = luzia ] || { echo "it is a package of $name"; exit 11; }
needs=$(dpkg-deb -f "$file" Architecture) has=$(dpkg --print-architecture)
[ "$needs" = all ] || [ "$needs" = "$has" ] || { echo "for $needs, and the machine is $has"; exit 12; }
version=$(dpkg-deb -f "$file" Version)
(trap - PIPE; ${as}dpkg -i "$file") </dev/null >"$file.said" 2>&1
code=$?
cat "$file.said"
[ $code = 0 ] || exit 15
echo "luzia $version ($needs) by ${as}dpkg -i"
)sh";

struct OpenedPackage {
  Descriptor file;
  std::int64_t bytes = 0;
};

/// Opens the file if it looks like a Debian package.
Result<OpenedPackage> open_package(const std::string& file) {
  constexpr std::string_view kMagic = "!<arch>\ndebian-binary";
  Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) {
    Error error = fail_errno(errno, "unreadable", "--install: " + file).value();
    error.kind = ErrorKind::usage;
    return tl::unexpected(std::move(error));
  }
  std::array<char, kMagic.size()> begin{};
  struct stat status {};
  const bool is_file = ::fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t count = is_file ? ::pread(opened.get(), begin.data(), begin.size(), 0) : 0;
  if (std::string_view(begin.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))) != kMagic) {
    return fail(ErrorKind::usage, "not_a_package", "--install: " + file + " is no Debian package",
                "tools/package makes one");
  }
  return OpenedPackage{std::move(opened), status.st_size};
}

std::string final_line(std::string_view said) {
  said = trimmed(said);
  const std::size_t end = said.rfind('\n');
  return without_control_characters(std::string(end == said.npos ? said : said.substr(end + 1)));
}

}  // namespace

Result<std::string> install_package(const Invocation& invocation, const Machine& machine,
                                    const std::string& file, const SshRunLimits& limits) {
  const auto opened = LUZIA_TRY(open_package(file));
  invocation.say("sending " + file + " to " + machine.destination +
                 ", to install it there by dpkg -i (as root, or sudo -n)");
  const std::string command = "sh -c " + shell_quote(kInstallScript) + " sh " + std::to_string(opened.bytes);
  auto run = run_by_ssh(machine, command, opened.file.get(), limits);
  if (!run) {
    if (run.error().hint.empty()) {
      run.error().hint = "what dpkg has begun there goes on: ssh " + machine.destination + " dpkg -s luzia";
    }
    return tl::unexpected(run.error());
  }
  const std::string line = final_line(run->said), itself = "machine " + machine.shown() + ": ";
  switch (run->code) {
    case kInstalled:
      return line;
    case kNoDpkg:
      return fail(ErrorKind::trouble, "no_dpkg", itself + "it has no dpkg, so it takes no Debian package",
                  "build luzia there");
    case kNoPackage:
      return fail(ErrorKind::usage, "not_a_package", "--install: " + file + ": " + line,
                  "tools/package makes one of luzia");
    case kOtherArchitecture:
      return fail(ErrorKind::refused, "other_architecture", itself + file + " is " + line,
                  "give a package for it");
    case kMayNot:
      return fail(ErrorKind::refused, "may_not_install",
                  itself + "its account is not root, and may not run dpkg by sudo without a password",
                  "install it by hand: ssh -t " + machine.destination + " sudo dpkg -i FILE.deb");
    case kNoRoom:
      return fail(ErrorKind::trouble, "not_installed",
                  itself + "the package could not be kept there: " + line);
    default:
      return fail(ErrorKind::trouble, "not_installed", itself + "dpkg -i failed: " + line,
                  "missing packages: ssh -t " + machine.destination + " sudo apt-get -f install");
  }
}

}  // namespace luzia
