// machine: lists the machines that ssh reaches, adds, checks and removes them.
#include <cstdlib>
#include <optional>
#include <utility>

#include "adapters/config/toml_text.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/config_text.h"
#include "tools/luzia/families.h"
#include "tools/luzia/machines/install_package.h"
#include "tools/luzia/run/machine_room.h"
#include "tools/luzia/signals.h"
#include "tools/luzia/verbs.h"

namespace luzia {
namespace {

constexpr Option kMachineOptions[] = {
    {"--label", ValueKind::list, "LABEL", "add: a label, for luzia --on LABEL dispatch"},
    {"--max-running", ValueKind::number, "N",
     "add: dispatch counts at most so many slots there (default: as the machine says)"},
    {"--no-check", ValueKind::flag, "", "add: without reaching it first"},
    {"--install", ValueKind::text, "FILE", "add: install this Debian package of luzia there first", "",
     Completes::file},
    {"--timeout", ValueKind::duration, "D",
     "add --install: how long that may take (default 10m, 0: no limit)"},
};

constexpr TimeUs kClockTolerance = 2 * kSecondUs;

std::string machine_table(const std::string& name) {
  return "[machines." + toml_key(name) + "]";
}

std::string address_of(const Machine& machine) {
  return machine.destination + (machine.port == 0 ? "" : ":" + std::to_string(machine.port));
}

std::string joined_labels(const Machine& machine) {
  std::string all;
  for (const std::string& label : machine.labels) all += (all.empty() ? "" : ", ") + label;
  return all;
}

void write_machine(JsonObject& object, const Machine& machine) {
  object.text("name", machine.name);
  object.text("destination", machine.destination);
  object.number_or_null("port", machine.port);
  object.text_or_null("store", machine.store);
  object.strings("labels", machine.labels);
  object.number_or_null("max_running", machine.max_running);
}

std::string machine_json(const Machine& machine) {
  JsonObject object;
  write_machine(object, machine);
  return object.take();
}

Result<int> list_machines(Invocation& invocation, const Words&) {
  const auto config = LUZIA_TRY(invocation.config());
  const auto machines = configured_machines(*config);
  if (invocation.json()) {
    JsonObject all;
    all.array("machines", machines, machine_json);
    print_line(all.take());
    return 0;
  }
  if (machines.empty()) {
    invocation.say("no machines yet; what next: luzia machine add NAME user@host");
    return 0;
  }
  Table table({{"MACHINE"}, {"SSH"}, {"STORE", Align::left, 10, true}, {"LABELS"}});
  for (const Machine& machine : machines) {
    table.add(
        {{machine.name, Colour::bold}, {address_of(machine)}, {machine.store}, {joined_labels(machine)}});
  }
  print(table.text(invocation.terminal().style()));
  return 0;
}

/// What a check has found.
struct MachineCheck {
  ProxyGreeting greeting;
  std::string daemon_version;
  TimeUs clock_ahead = 0;
  MachineRoom room;
};

Result<MachineCheck> checked(const Machine& machine, const SilenceLimit& silence) {
  auto far = LUZIA_TRY(connect_by_ssh(machine, silence));
  const auto answer = LUZIA_TRY(ask_control(far.client, wire::ControlAction::ping));
  const auto* welcome = answer->reply.AsWelcome();
  auto room = LUZIA_TRY(room_of(machine, far));
  return MachineCheck{far.greeting, welcome == nullptr ? std::string() : welcome->version,
                      far.clock_ahead.count(), std::move(room)};
}

/// In words, what may surprise; the connection works nevertheless.
std::vector<std::string> differences_of(const MachineCheck& check) {
  std::vector<std::string> all;
  if (check.greeting.version != LUZIA_VERSION) {
    all.push_back("luzia " + check.greeting.version + " there, " LUZIA_VERSION " here");
  }
  if (check.daemon_version != check.greeting.version) {
    all.push_back("its daemon is still " + check.daemon_version + ": luzia daemon restart");
  }
  if (std::abs(check.clock_ahead) > kClockTolerance) {
    all.push_back("its clock is " + format_duration(std::abs(check.clock_ahead)) +
                  (check.clock_ahead > 0 ? " ahead" : " behind"));
  }
  if (check.room.paused) all.emplace_back("its queue is paused");
  return all;
}

std::string check_json(const Machine& machine, const Result<MachineCheck>& check) {
  JsonObject object;
  write_machine(object, machine);
  object.boolean("ok", check.has_value());
  if (!check) {
    object.begin("error");
    object.text("code", check.error().code);
    object.text("message", check.error().message);
    object.text("hint", check.error().hint);
    object.end();
    return object.take();
  }
  object.text("version", check->greeting.version);
  object.text("daemon_version", check->daemon_version);
  object.seconds("clock_ahead_seconds", check->clock_ahead);
  object.number("slots", check->room.slots);
  object.number("running", check->room.running);
  object.number("queued", check->room.queued);
  object.number("load_percent", check->room.load_percent);
  object.strings("differences", differences_of(*check));
  return object.take();
}

/// What is said of a machine beside its name, a row each.
std::vector<std::string> check_rows(const Result<MachineCheck>& check) {
  if (!check) return {check.error().message, check.error().hint};
  std::vector<std::string> rows = {"luzia " + check->greeting.version + ", " + room_text(check->room)};
  for (std::string& difference : differences_of(*check)) rows.push_back(std::move(difference));
  return rows;
}

Result<int> check_machines(Invocation& invocation, const Words& words) {
  const auto config = LUZIA_TRY(invocation.config());
  std::vector<Machine> machines = configured_machines(*config);
  if (!words.empty()) {
    auto named = LUZIA_TRY(machine_named(*config, words.front()));
    machines = {std::move(named)};
  }
  const auto silence = LUZIA_TRY(invocation.silence());
  std::vector<std::optional<Result<MachineCheck>>> checks(machines.size());
  for_machines(machines, [&](std::size_t index, const Machine& machine) {
    checks[index] = checked(machine, {silence.limit, {}, {}, true});
  });
  bool all_good = true;
  Table table({{"MACHINE"}, {"STATE"}, {"FOUND", Align::left, 20, true}});
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const Result<MachineCheck>& check = *checks[i];
    all_good = all_good && check.has_value();
    objects.push_back(check_json(machines[i], check));
    std::string name = machines[i].name, state = check ? "ok" : "failed";
    for (const std::string& row : check_rows(check)) {
      if (row.empty()) continue;
      table.add({{std::exchange(name, ""), Colour::bold},
                 {std::exchange(state, ""), check ? Colour::green : Colour::red},
                 {row}});
    }
  }
  if (invocation.json()) {
    std::string all;
    for (const std::string& object : objects) all += (all.empty() ? "" : ",") + object;
    print_line("{\"machines\":[" + all + "]}");
  } else if (machines.empty()) {
    invocation.say("no machines yet; what next: luzia machine add NAME user@host");
  } else {
    print(table.text(invocation.terminal().style()));
  }
  return all_good ? 0 : static_cast<int>(ErrorKind::trouble);
}

/// The table's keys, each on a line.
std::string keys_of(const std::string& address, const std::vector<std::string>& all_labels,
                    std::optional<std::uint64_t> most) {
  std::string keys = "ssh = " + toml_string(address) + "\n", labels;
  for (const std::string& label : all_labels) labels += (labels.empty() ? "" : ", ") + toml_string(label);
  if (!labels.empty()) keys += "labels = [" + labels + "]\n";
  if (most) keys += "max_running = " + std::to_string(*most) + "\n";
  return keys;
}

/// Installs the package of --install there. Returns 0, or the exit code of the signal that stopped it.
Result<int> install_there(Invocation& invocation, const Machine& machine) {
  constexpr std::uint64_t kUsualMs = 10 * 60'000;
  const std::chrono::milliseconds most(invocation.args().duration_ms("timeout").value_or(kUsualMs));
  const StopSignals stop;
  const auto installed =
      install_package(invocation, machine, invocation.args().text("install"), {most, stop.fd()});
  if (installed) {
    invocation.say("installed " + *installed + " on " + machine.destination);
    return 0;
  }
  const Error& error = installed.error();
  const int signal = error.code == "interrupted" ? stop.take() : 0;
  if (signal == 0) return tl::unexpected(error);
  invocation.say(error.message + "; " + error.hint);
  return kSignalBase + signal;
}

Result<int> add_machine(Invocation& invocation, const Words& words) {
  const std::string &name = words[0], &address = words[1];
  const Arguments& args = invocation.args();
  if (args.has("timeout") && !args.has("install")) {
    return fail(ErrorKind::usage, "bad_usage", "--timeout is how long --install may take",
                "--patience D is for the daemon there");
  }
  const auto config = LUZIA_TRY(invocation.config());
  if (config->machines.contains(name)) {
    return fail(ErrorKind::usage, "machine_exists", "machine '" + name + "' already exists",
                "luzia machine list shows it; luzia machine rm " + name + " removes it");
  }
  // What the configuration would refuse is refused before it is written.
  const std::string table = machine_table(name),
                    keys = keys_of(address, args.list("label"), args.number("max-running"));
  std::string others;
  for (const auto& [each, machine] : config->machines) {
    others += machine_table(each) + "\n" + keys_of(machine.ssh, machine.labels, std::nullopt);
  }
  const auto read = LUZIA_TRY(parse_config(others + table + "\n" + keys, "the new machine"));
  const auto machine = LUZIA_TRY(machine_named(read, name));
  std::string found;
  if (args.has("install")) {
    if (const int code = LUZIA_TRY(install_there(invocation, machine)); code != 0) return code;
  }
  if (!args.has("no-check")) {
    const auto silence = LUZIA_TRY(invocation.silence());
    const auto check = checked(machine, silence);
    if (!check) {
      Error error = check.error();
      error.message += "; it was not added";
      error.hint += "; --no-check adds it nevertheless";
      return tl::unexpected(std::move(error));
    }
    for (const std::string& row : check_rows(check)) found += (found.empty() ? ": " : "; ") + row;
  }
  const std::string file = config_files(args.text("config")).back().path;
  LUZIA_TRY(add_config_table(file, table, keys));
  print_line(invocation.json() ? machine_json(machine) : make_harmless(name));
  invocation.say("machine " + name + " is configured from now on (" + file + ")" + found +
                 "; what next: luzia --on " + name + " status");
  return 0;
}

Result<int> remove_machine(Invocation& invocation, const Words& words) {
  const auto config = LUZIA_TRY(invocation.config());
  const auto machine = LUZIA_TRY(machine_named(*config, words.front()));
  const auto files = config_files(invocation.args().text("config"));
  Status removed;
  // The last file wins, so it is the first to look in.
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    removed = remove_config_table(file->path, machine_table(machine.name));
    if (!removed && removed.error().code == "not_in_file") continue;
    LUZIA_TRY(removed);
    invocation.say("machine " + machine.name + " is removed (" + file->path + "); its jobs go on there");
    return 0;
  }
  return tl::unexpected(removed.error());
}

constexpr Verb kMachineVerbs[] = {
    {"list", "", 0, 0, list_machines},
    {"add",
     "NAME DESTINATION [--label LABEL] [--max-running N] [--install FILE.deb [--timeout D]] [--no-check]", 2,
     2, add_machine, "label max-running install timeout no-check"},
    {"check", "[NAME]", 0, 1, check_machines},
    {"rm", "NAME", 1, 1, remove_machine},
};

}  // namespace

const Command kMachineCommand = {
    "machine",
    "Set up",
    "[list]\n"
    "add NAME DESTINATION [--label LABEL] [--max-running N] [--install FILE.deb [--timeout D]] [--no-check]\n"
    "check [NAME]\nrm NAME",
    "reach the daemons of other machines by ssh",
    "luzia --on NAME COMMAND then asks the daemon of that machine, by ssh with your keys, known hosts and "
    "configuration. DESTINATION is user@host, a Host of ~/.ssh/config, or ssh://user@host:port/store. add "
    "connects first, and writes [machines.NAME] into the configuration; with --install it first sends the "
    "package there and runs dpkg -i, as root or with sudo -n, if the architecture is the same. check says "
    "which Luzia is there, how busy it is, and what differs: version, clock, a paused queue; its exit code "
    "is 5 if one cannot be "
    "reached. Connections never ask for a password: use a key, and an agent or a ControlMaster.",
    "luzia machine add build2 ana@build2.example.org --label gpu\n"
    "luzia machine check\n"
    "luzia --on build2 status\n"
    "luzia --on any dispatch web \"fix the failing test\"",
    kMachineOptions,
    {0, 3, Completes::machine},
    run_verbs<kMachineVerbs>,
    false,
    "it is about machines, not about jobs\nluzia --on NAME jobs takes these filters",
    "list|add|check|rm"};

}  // namespace luzia
