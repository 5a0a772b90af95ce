#include "tools/cli/invocation.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "adapters/socket/fleet_client.h"
#include "adapters/socket/readable.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/shell_quote.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "tools/cli/start_daemon.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr TimeUs kOddClock = 60 * kSecondUs;

/// Retries with growing pauses, because many processes of a job may wait at once.
Result<Client> wait_for_daemon(const std::string& socket, const SilenceLimit& silence) {
  std::error_code ignored;
  const bool has_store = std::filesystem::exists(std::filesystem::path(socket).parent_path(), ignored);
  const auto deadline = Clock::now() + (has_store ? kPatienceWhileStarting : kPatience);
  milliseconds pause = kFirstRetryAfter;
  while (true) {
    auto client = Client::connect(socket, silence);
    if (client || client.error().code != "no_daemon" || Clock::now() >= deadline) return client;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kRetryEvery);
  }
}

/// Whether the folder is missing or empty. A damaged store is not: the daemon explains what is wrong with it.
bool holds_nothing(const std::string& store) {
  std::error_code ignored;
  const auto type = std::filesystem::status(store, ignored).type();
  if (type == std::filesystem::file_type::not_found) return true;
  return type == std::filesystem::file_type::directory && std::filesystem::is_empty(store, ignored) &&
         !ignored;
}

tl::unexpected<Error> no_store(const Place& place) {
  return fail(ErrorKind::trouble, "no_store", "there is no store at " + place.store,
              "name another store (" + place.named_by + "), or create it: luzia --store " + place.store +
                  " daemon start");
}

}  // namespace

Invocation::Invocation(const Program& program, const Command& command, Arguments arguments,
                       const Surroundings& surroundings)
    : program_(program),
      command_(command),
      surroundings_(surroundings),
      args_(std::move(arguments)),
      creates_(!command.needs_store) {}

TimeUs Invocation::now() const {
  return surroundings_.now != 0 ? surroundings_.now : wall_clock();
}

Result<const Config*> Invocation::config() {
  if (!config_) config_ = load_config(args_.text("config"));
  if (!*config_) return tl::unexpected(config_->error());
  return &**config_;
}

const Config* Invocation::config_of_daemon() {
  if (is_elsewhere()) return nullptr;
  const bool by_surroundings =
      args_.text("store").empty() &&
      (!variable(surroundings_, "LUZIA_SOCKET").empty() || !variable(surroundings_, "LUZIA_STORE").empty());
  if (by_surroundings && !args_.has("config")) return nullptr;
  const auto read = config();
  return read ? *read : nullptr;
}

std::string Invocation::elsewhere() const {
  if (args_.has("on")) return args_.text("on");
  const std::string store = args_.text("store");
  if (!store.empty()) return store.starts_with(kSshScheme) ? store : std::string();
  if (!variable(surroundings_, "LUZIA_SOCKET").empty()) return {};
  if (std::string machine = variable(surroundings_, "LUZIA_ON"); !machine.empty()) return machine;
  const std::string usual = variable(surroundings_, "LUZIA_STORE");
  return usual.starts_with(kSshScheme) ? usual : std::string();
}

Status Invocation::may_leave() const {
  const OnlyHere here = program_.only_here == nullptr ? OnlyHere() : program_.only_here(command_);
  if (here.why.empty()) return {};
  return fail(ErrorKind::refused, "only_here",
              std::string(program_.name) + " " + std::string(command_.name) +
                  " works on this machine only: " + std::string(here.why),
              std::string(here.hint));
}

/// A name, an address, or a label that one machine has.
Result<Machine> Invocation::named_machine(const std::string& words) {
  if (words.starts_with(kSshScheme)) return machine_at(words);
  if (words.starts_with(kFleetScheme)) return machine_of_fleet(words);
  const auto read = LUZIA_TRY(config());
  const auto labelled = machines_with(*read, words);
  if (read->machines.contains(words) || labelled.empty()) return machine_named(*read, words);
  if (labelled.size() == 1) return labelled.front();
  std::string names;
  for (const Machine& machine : labelled) names += (names.empty() ? "" : ", ") + machine.name;
  return fail(ErrorKind::usage, "several_machines",
              "'" + words + "' means several machines (" + names + "), and only dispatch chooses one",
              "name one: --on " + labelled.front().name);
}

Result<Place> Invocation::place() {
  Place place;
  if (const std::string words = elsewhere(); machine_ || !words.empty()) {
    LUZIA_TRY(may_leave());
    if (args_.has("on") && args_.has("store")) {
      return fail(ErrorKind::usage, "bad_usage", "--on names a machine and --store a store",
                  "leave one out; [machines.NAME] store names the store there");
    }
    if (!machine_) {
      auto named = LUZIA_TRY(named_machine(words));
      machine_ = std::move(named);
    }
    place.machine = machine_;
    return place;
  }
  place.config_file = absolute_path(args_.text("config"));
  place.store = absolute_path(args_.text("store"));
  place.named_by = place.store.empty() ? "" : "--store";
  if (place.store.empty()) {
    place.socket = variable(surroundings_, "LUZIA_SOCKET");
    if (!place.socket.empty()) return place;
    place.store = absolute_path(variable(surroundings_, "LUZIA_STORE"));
    place.named_by = place.store.empty() ? "" : "$LUZIA_STORE";
  }
  if (place.store.empty()) {
    const auto read = LUZIA_TRY(config());
    place.store = default_store(*read);
    place.named_by = place.store == default_store({}) ? "" : "[store] path";
  }
  place.socket = LUZIA_TRY(socket_path(place.store));
  return place;
}

std::string Invocation::place_options() const {
  std::string words;
  if (machine_) words = " --on " + shell_quote(machine_->name.empty() ? elsewhere() : machine_->name);
  for (const char* option : {"store", "config"}) {
    if (machine_ && option == std::string_view("store")) continue;
    if (args_.has(option)) words += " --" + std::string(option) + " " + shell_quote(args_.text(option));
  }
  return words;
}

Result<SilenceLimit> Invocation::silence() const {
  if (silence_) return *silence_;
  const auto limit =
      LUZIA_TRY(patience_of(args_.text("patience"), surroundings_.environment("LUZIA_PATIENCE")));
  return SilenceLimit{limit, [this](std::string_view line) { say(line); }};
}

/// Connects to the daemon of the default store despite a mistake in the configuration. The daemon has read
/// its configuration before, so a later mistake must not stop people from looking and canceling. Fails if the
/// mistake may concern where the daemon is (--config or $LUZIA_CONFIG).
Result<Client> Invocation::connect_in_spite_of(const Error& mistake, WhenMistaken when_mistaken) {
  const auto socket = socket_path(default_store({}));
  const bool chosen = args_.has("config") || !variable(surroundings_, "LUZIA_CONFIG").empty();
  if (!mistake.code.starts_with("config_") || chosen || !socket) return tl::unexpected(mistake);
  const auto limit = silence();
  auto client = limit ? Client::connect(*socket, *limit) : tl::unexpected(limit.error());
  if (!client) return tl::unexpected(mistake);
  if (when_mistaken == WhenMistaken::report) {
    say(std::string(program_.name) +
        ": the configuration has an error; the daemon keeps using the one it read before: " +
        mistake.message);
  }
  return client;
}

/// Times are those of the other machine: a clock that is far off makes them odd.
void Invocation::tell_clock(const Machine& machine, TimeUs ahead) const {
  if (std::abs(ahead) < kOddClock) return;
  say("note: the clock of machine " + machine.shown() + " is " + format_duration(std::abs(ahead)) +
      (ahead > 0 ? " ahead" : " behind"));
}

Result<Client> Invocation::connect_to(const Machine& machine, WhenAbsent when_absent) {
  const auto limit = LUZIA_TRY(silence());
  if (!machine.fleet.empty()) {
    std::vector<std::string> program = {find_own_program("luzia-fleet"), "order", "--to", machine.fleet};
    if (args_.has("config")) program.insert(program.end(), {"--config", absolute_path(args_.text("config"))});
    if (args_.has("quiet")) program.emplace_back("--quiet");
    return connect_by_fleet(machine.name, std::move(program), limit);
  }
  const auto absent = when_absent == WhenAbsent::start ? WhenFarAbsent::start : WhenFarAbsent::complain;
  // A network that has just broken may come back: a command that waits for a job goes on then.
  const bool tries_again = was_reached_ && when_absent == WhenAbsent::start;
  const auto deadline = Clock::now() + (tries_again ? kPatienceWhileStarting : std::chrono::seconds(0));
  for (milliseconds pause = kRetryEvery;; pause = std::min(pause * 2, milliseconds(kPatience))) {
    auto far = connect_by_ssh(machine, limit, absent);
    if (far) {
      if (!was_reached_) tell_clock(machine, far->clock_ahead.count());
      was_reached_ = true;
      return std::move(far->client);
    }
    if (far.error().code != "machine_unreachable" || Clock::now() >= deadline) {
      return tl::unexpected(far.error());
    }
    if (pause == kRetryEvery) say(far.error().message + "; trying again");
    wait_readable(-1, -1, pause);
  }
}

Result<Client> Invocation::connect(WhenAbsent when_absent, WhenMistaken when_mistaken) {
  const auto where = place();
  if (!where && is_elsewhere()) return tl::unexpected(where.error());
  if (!where) return connect_in_spite_of(where.error(), when_mistaken);
  if (where->machine) return connect_to(*where->machine, when_absent);
  const auto limit = LUZIA_TRY(silence());
  auto client = Client::connect(where->socket, limit);
  if (client || client.error().code != "no_daemon" || when_absent == WhenAbsent::complain) return client;
  if (!creates_ && !where->named_by.empty() && holds_nothing(where->store)) return no_store(*where);
  if (where->store.empty() || !variable(surroundings_, "LUZIA_JOB_ID").empty()) {
    say("waiting for the daemon: it does not answer, and jobs do not start daemons");
    return wait_for_daemon(where->socket, limit);
  }
  Place starting = *where;
  // Mistakes in the configuration are for the daemon to report.
  if (const auto read = config()) starting.passed_variables = all_passed_variables(**read);
  return start_daemon(starting, limit, [this](std::string_view line) { say(line); });
}

const Terminal& Invocation::terminal() {
  if (!terminal_) {
    bool colors = true, emojis = true;
    if (surroundings_.out_stream.terminal || surroundings_.err_stream.terminal) {
      if (const auto read = config()) {
        colors = (*read)->display.use_colors;
        emojis = (*read)->display.use_emojis;
      }
    }
    terminal_ = judge_terminal(surroundings_, args_.text("color"), colors, emojis);
  }
  return *terminal_;
}

Console& Invocation::console() {
  if (!console_) {
    const bool person = surroundings_.err_stream.terminal && !json();
    const bool progress = person && variable(surroundings_, "TERM") != "dumb";
    console_.emplace(surroundings_.out, surroundings_.err, terminal().style(), progress,
                     surroundings_.out_stream.terminal, person, !json() && !args_.has("csv"),
                     args_.has("quiet"));
  }
  return *console_;
}

void Invocation::say(std::string_view line) const {
  if (args_.has("quiet")) return;
  const std::string shown = make_harmless(line, {.keep_newlines = true}) + "\n";
  std::fputs(shown.c_str(), surroundings_.err);
}

}  // namespace luzia
