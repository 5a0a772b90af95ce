// Reads: runs a read command of the command line with --json, so that shapes and filters are the same. The
// answer is what the command prints. Any thread; waits for the daemon if the source that it reads from does.
#pragma once

#include "tools/cli/arguments.h"
#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/routes.h"
#include "tools/read/machines_source.h"
#include "tools/read/options.h"

namespace luzia::web {

/// What a command reads from.
struct ReadPlace {
  std::string socket;                                        // of the daemon
  std::function<Result<std::unique_ptr<Source>>()> open;     // called once a run
  std::function<std::vector<MachineToAsk>()> machines = {};  // of a list over other machines, too
};
/// Reads over the door's connections, with the rights of the device. `door` must outlive it.
ReadPlace place_at(const DaemonDoor& door, const std::string& device);

/// A command whose words are understood. Runs any number of times, each as at the same moment.
class ReadCommand {
 public:
  /// `command` must outlive it. Errors are those of the command line.
  static Result<ReadCommand> parse(const Command& command, const std::vector<std::string>& words);
  /// The command of a route, with the parameters of the request.
  static Result<ReadCommand> parse(const Match& match, const Request& request);

  /// Returns what it prints.
  Result<std::string> run(const ReadPlace& place) const;

 private:
  ReadCommand(const Command& command, Arguments arguments, TimeUs now)
      : command_(&command), arguments_(std::move(arguments)), now_(now) {}

  const Command* command_;
  Arguments arguments_;
  TimeUs now_;
};

/// What the command printed, as the answer to the request. Lists that go on have a Link header.
Answer answer_of(Result<std::string> printed, const Request& request);

/// Runs the command with these words, and returns what it prints.
Result<std::string> run_command(const ReadPlace& place, const Command& command,
                                const std::vector<std::string>& words);

/// The options that the parameters of a request stand for. `more`: words that follow. Errors as words_of(),
/// and those of the command line.
Result<Options> options_in(const Command& command, const Request& request,
                           const std::vector<std::string>& more = {});

/// The error that a command printed with --json, when it ended with this exit code.
Error printed_error(const std::string& text, int code);

/// The words that the parameters of a request stand for. Each value is one word with its option, so none can
/// be taken for an option of its own. `bad_value` (usage): a limit beyond 1 to 1000.
Result<std::vector<std::string>> words_of(const Command& command, const Request& request);

/// The cursor of the next page that a list names; empty: none.
std::string next_cursor(std::string_view list);
/// The address of the next page, for a Link header.
std::string next_page(const Request& request, std::string_view cursor);

}  // namespace luzia::web
