// One run of a program: its arguments, where the store is, how to write output. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/config/config.h"
#include "adapters/socket/client.h"
#include "tools/cli/arguments.h"
#include "tools/cli/console.h"
#include "tools/cli/machines.h"
#include "tools/cli/surroundings.h"
#include "tools/cli/terminal.h"

namespace luzia {

/// Where the store and the daemon of this invocation are.
struct Place {
  std::string store;  // empty: only the socket is known ($LUZIA_SOCKET), or it is on another machine
  std::string socket;
  std::string config_file;  // --config made absolute, else empty
  std::string named_by;     // what named the store, such as "--store"; empty: it is the default store
  std::vector<std::string> passed_variables = {};  // that a daemon started here inherits for its agents
  std::optional<Machine> machine = {};  // where store and daemon are; none: here, as all of the above
};

enum class WhenAbsent { start, complain };
/// Who reports a mistake in the configuration if the daemon can be found despite it: this program (`report`),
/// or the daemon in its answer (`leave_to_daemon`).
enum class WhenMistaken { report, leave_to_daemon };

class Invocation {
 public:
  /// Program, command and surroundings must outlive it.
  Invocation(const Program& program, const Command& command, Arguments arguments,
             const Surroundings& surroundings);

  const Program& program() const { return program_; }
  const Surroundings& surroundings() const { return surroundings_; }
  const Command& command() const { return command_; }
  const Arguments& args() const { return args_; }
  bool json() const { return args_.has("json"); }
  TimeUs now() const;

  /// The configuration, read at the first call; most commands need it only to find the store.
  Result<const Config*> config();
  /// The configuration, if the daemon probably uses the same one. Null: it cannot be read, or only the
  /// environment locates the daemon, as inside a job.
  const Config* config_of_daemon();
  /// Finds the store: --on, --store, then $LUZIA_SOCKET (inside jobs), then $LUZIA_ON, $LUZIA_STORE, then the
  /// configuration. A store that begins with ssh:// is on another machine. Errors: `no_such_machine`,
  /// `several_machines` (usage) for a label, `only_here` (refused): the command is about this machine.
  Result<Place> place();
  /// Whether options or environment name another machine, known or not. Inexpensive.
  bool is_elsewhere() const { return machine_ || !elsewhere().empty(); }
  /// The words that name it: of --on, $LUZIA_ON, or an address; empty: it is this one.
  std::string elsewhere() const;
  /// place() is on this machine from now on.
  void use_machine(Machine machine) { machine_ = std::move(machine); }
  /// Where the last connection went; null: to this machine.
  const Machine* machine() const { return machine_ ? &*machine_ : nullptr; }
  /// `only_here` (refused): the command cannot be about another machine.
  Status may_leave() const;
  /// Connects to the daemon. If none listens, starts one. Inside a job it starts none, because the daemon
  /// would die with the job: it says so and waits 30 s for one, or 5 s if there is no store. `no_store`: the
  /// command needs a store, and the one that was named does not exist. Another machine that was reached
  /// before is tried again for 30 s, unless `complain`. Its errors are those of connect_by_ssh().
  Result<Client> connect(WhenAbsent when_absent = WhenAbsent::start,
                         WhenMistaken when_mistaken = WhenMistaken::report);
  /// How long to wait for a silent daemon: --patience, else $LUZIA_PATIENCE, else the default. `bad_value`
  /// (usage).
  Result<SilenceLimit> silence() const;
  /// Overrides --patience, for callers that must not wait long.
  void be_patient(SilenceLimit silence) { silence_ = std::move(silence); }
  /// The --on, --store and --config options of this invocation, to append to suggested commands: " --store
  /// DIR"; empty: none was given.
  std::string place_options() const;
  /// From now on connect() fails with `no_store` (trouble) if the named store does not exist.
  void create_nothing() { creates_ = false; }
  /// The properties of stdout. Reads the configuration only if stdout or stderr is a terminal.
  const Terminal& terminal();
  /// The output of this invocation.
  Console& console();

  /// Counts rows of the command's answer that have unreadable texts. The rest of these rows has been printed;
  /// run_program() then ends with an error.
  void note_unreadable(std::uint64_t rows) { unreadable_ += rows; }
  std::uint64_t unreadable() const { return unreadable_; }

  /// Writes a line for people to stderr, unless --quiet. Made harmless.
  void say(std::string_view line) const;

 private:
  Result<Machine> named_machine(const std::string& words);
  void tell_clock(const Machine& machine, TimeUs ahead) const;
  Result<Client> connect_to(const Machine& machine, WhenAbsent when_absent);
  Result<Client> connect_in_spite_of(const Error& mistake, WhenMistaken when_mistaken);

  const Program& program_;
  const Command& command_;
  const Surroundings& surroundings_;
  Arguments args_;
  bool creates_;
  std::optional<Result<Config>> config_;
  std::optional<Terminal> terminal_;
  std::optional<Console> console_;
  std::optional<SilenceLimit> silence_;
  std::optional<Machine> machine_;
  bool was_reached_ = false;  // that machine, once
  std::uint64_t unreadable_ = 0;
};

}  // namespace luzia
