// One run of a program: its arguments, where the store is, how to speak. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/config/config.h"
#include "adapters/socket/client.h"
#include "tools/cli/arguments.h"
#include "tools/cli/console.h"
#include "tools/cli/surroundings.h"
#include "tools/cli/terminal.h"

namespace luzia {

/// Where the daemon of this invocation is.
struct Place {
  std::string store;  // empty: known by its socket only ($LUZIA_SOCKET)
  std::string socket;
  std::string config_file;  // --config made absolute, else empty
  std::string named_by;     // who named the store: "--store"; empty: nobody, it is where stores are
};

enum class WhenAbsent { start, complain };
/// What to do about a mistake in the configuration that does not keep us from the daemon: a person is told,
/// unless the daemon's own answer is going to name it.
enum class WhenMistaken { tell, leave_to_daemon };

class Invocation {
 public:
  /// All but the arguments outlive it.
  Invocation(const Program& program, const Command& command, Arguments arguments,
             const Surroundings& surroundings);

  const Program& program() const { return program_; }
  const Surroundings& surroundings() const { return surroundings_; }
  const Command& command() const { return command_; }
  const Arguments& args() const { return args_; }
  bool json() const { return args_.has("json"); }
  TimeUs now() const;

  /// Read once; most commands need it only to find the store.
  Result<const Config*> config();
  /// The same, where it may be the daemon's; null: the surroundings alone tell where that is, as in a job, or
  /// it cannot be read.
  const Config* config_of_daemon();
  /// --store, then $LUZIA_SOCKET (inside jobs), then $LUZIA_STORE, then the configuration.
  Result<Place> place();
  /// A connection to the daemon. Where none listens one is started, except inside a job: it would die with
  /// the job, so the client says so and waits for the next one: 30 s, or 5 s where there is no store. A
  /// command that needs a store starts none where somebody has named one that is not there: `no_store`.
  Result<Client> connect(WhenAbsent when_absent = WhenAbsent::start,
                         WhenMistaken when_mistaken = WhenMistaken::tell);
  /// As --patience, $LUZIA_PATIENCE or the usual say; `bad_value` (usage).
  Result<SilenceLimit> silence() const;
  /// In place of --patience, for those who do not wait.
  void be_patient(SilenceLimit silence) { silence_ = std::move(silence); }
  /// The options that have named the store and the configuration, for commands that are suggested:
  /// " --store DIR"; empty: none did.
  std::string place_options() const;
  /// From now on connect() creates no store that somebody has named: `no_store` (trouble).
  void create_nothing() { creates_ = false; }
  /// How stdout looks; asks the configuration only where somebody looks at it.
  const Terminal& terminal();
  /// Where values and talk go.
  Console& console();

  /// Rows of answers that are the point of the command had texts that could not be read; what else they say
  /// has been printed.
  void note_unreadable(std::uint64_t rows) { unreadable_ += rows; }
  std::uint64_t unreadable() const { return unreadable_; }

  /// A line for the person, on stderr, unless --quiet. Made harmless.
  void say(std::string_view line) const;

 private:
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
  std::uint64_t unreadable_ = 0;
};

}  // namespace luzia
