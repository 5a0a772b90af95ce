#include "adapters/socket/fleet_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/spawning.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

/// The program luzia-fleet that carries a connection.
class FleetCarrier : public Carrier {
 public:
  FleetCarrier(std::string to, pid_t pid) : to_(std::move(to)), pid_(pid) {}
  /// The connection is closed already: the program says what stands, and ends. It speaks first.
  ~FleetCarrier() override {
    constexpr int kLooks = 200, kLookMs = 5;
    for (int i = 0; i < kLooks && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++i) ::poll(nullptr, 0, kLookMs);
  }
  FleetCarrier(const FleetCarrier&) = delete;
  FleetCarrier& operator=(const FleetCarrier&) = delete;

  Error of_machine(Error error) const override {
    error.message = to_ + ": " + error.message;
    return error;
  }
  Error explained(Error error) override {
    error.kind = ErrorKind::trouble;
    // Whoever repeats a command by itself would place the order again and again.
    if (error.code == "connection_lost") error.code = "fleet_lost";
    error.hint = "luzia-fleet orders shows what became of it";
    return of_machine(std::move(error));
  }
  void give_up() override {}

 private:
  std::string to_;
  pid_t pid_;
};

}  // namespace

Result<Client> connect_by_fleet(const std::string& to, std::vector<std::string> program,
                                SilenceLimit silence) {
  const auto no_program = [&to](int why) {
    return fail_errno(why, "no_fleet_program", "reaching " + to + ": starting luzia-fleet",
                      "it is installed with luzia where libpq is there");
  };
  if (program.empty() || program.front().empty()) return no_program(ENOENT);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return no_program(errno);
  Descriptor ours(ends[0]);
  const Descriptor theirs(ends[1]);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, theirs.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, theirs.get(), STDOUT_FILENO);
  const SpawnAttributes attributes;
  const auto words = exec_pointers(program);
  pid_t pid = 0;
  const int trouble = ::posix_spawn(&pid, words.front(), &files, attributes.get(), words.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (trouble != 0) return no_program(trouble);
  silence.machine = to;
  return Client::over(std::move(ours), std::move(silence), std::make_unique<FleetCarrier>(to, pid));
}

}  // namespace luzia
