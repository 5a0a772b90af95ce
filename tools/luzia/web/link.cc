#include "tools/luzia/web/link.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/descriptor.h"
#include "engine/base/spawning.h"
#include "engine/base/store_file.h"
#include "tools/cli/start_daemon.h"
#include "tools/luzia/run/find_program.h"

namespace luzia {
namespace {

constexpr std::size_t kMostQrBytes = 64 << 10;

/// Runs the program with these descriptors (-1: /dev/null); -1: it could not be started.
pid_t spawn_beside(std::vector<std::string> words, int input, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (input < 0) posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (input >= 0) posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  if (output < 0) posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (output >= 0) posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  const SpawnAttributes attributes;
  const auto argv = exec_pointers(words);
  pid_t pid = -1;
  if (::posix_spawn(&pid, words.front().c_str(), &files, attributes.get(), argv.data(), ::environ) != 0)
    pid = -1;
  posix_spawn_file_actions_destroy(&files);
  return pid;
}

struct Pipe {
  Descriptor read, write;
};

std::optional<Pipe> new_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Without scheme and port, and without the brackets of IPv6.
std::string_view host_of(std::string_view url) {
  url.remove_prefix(std::min(url.size(), url.find("://") + 3));
  url = url.substr(0, url.rfind(':'));
  if (url.starts_with('[') && url.ends_with(']')) url = url.substr(1, url.size() - 2);
  return url;
}

}  // namespace

std::string page_address(const std::string& url, const WebListening& listening) {
  if (listening.hosts.empty()) return url;
  if (listening.behind_proxy) return "https://" + listening.hosts.front();
  if (is_loopback(host_of(url))) return url;
  return url.substr(0, url.find("://") + 3) + listening.hosts.front() + url.substr(url.rfind(':'));
}

std::string how_to_pair(const std::string& page, const WebListening& listening) {
  if (is_loopback(host_of(page))) {
    return listening.behind_proxy ? "on the phone, open the page at your proxy's address and type the code; "
                                    "with hosts in [web] of "
                                    "luzia.toml this link names it"
                                  : "no phone reaches this address, which is this machine's own: set listen "
                                    "= \"[::]:8737\", tls_cert, "
                                    "tls_key and hosts in [web] of luzia.toml, or put a proxy before it "
                                    "(behind_proxy); then luzia "
                                    "web stop, and luzia web pair again";
  }
  return "on the phone, scan the code, or open " + page + " and type the code";
}

std::string qr_code(Invocation& invocation, const std::string& link) {
  const Terminal& terminal = invocation.terminal();
  if (!terminal.out_is_terminal || !terminal.unicode) return {};
  const std::string program = find_own_program("luzia-qr");
  auto in = new_pipe(), out = new_pipe();
  if (program.empty() || !in || !out) return {};
  const pid_t pid = spawn_beside({program}, in->read.get(), out->write.get());
  if (pid < 0) return {};
  in->read.reset();
  out->write.reset();
  const bool given = write_fully(in->write.get(), link);
  in->write.reset();
  const auto drawn = read_up_to(out->read.get(), kMostQrBytes);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return given && drawn && status == 0 ? *drawn : std::string();
}

Status open_in_browser(Invocation& invocation, const std::string& store, const std::string& link) {
  const Surroundings& around = invocation.surroundings();
  const auto none = [](const std::string& why) { return fail(ErrorKind::refused, "no_browser", why); };
  if (variable(around, "DISPLAY").empty() && variable(around, "WAYLAND_DISPLAY").empty()) {
    return none("this terminal belongs to no desktop session");
  }
  const std::string program = find_program("xdg-open"), path = store + ".web.html";
  if (program.empty()) return none("there is no program xdg-open");
  // The link is our own address and code: nothing in it needs to be escaped.
  const std::string page =
      "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
      "<meta http-equiv=\"refresh\" content=\"0; url=" +
      link + "\"><title>Luzia</title>\n";
  if (!write_store_file(path, page)) return none("writing " + path + " failed");
  if (spawn_beside({program, path}, -1, -1) < 0) return none(program + " does not start");
  return {};
}

}  // namespace luzia
