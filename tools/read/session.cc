#include "tools/read/session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "adapters/socket/client.h"
#include "adapters/socket/socket_path.h"
#include "engine/base/try.h"
#include "projections/query.h"
#include "projections/rows/unreadable.h"
#include "tools/read/daemon_source.h"
#include "tools/read/fleet_reader.h"
#include "tools/read/known_projects.h"
#include "tools/read/machine_source.h"
#include "tools/read/machines_source.h"
#include "tools/read/pages.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

/// Counts rows with unreadable texts.
class CountingSource : public Source {
 public:
  CountingSource(std::unique_ptr<Source> source, Invocation& invocation)
      : source_(std::move(source)), invocation_(invocation) {}
  bool is_daemon() const override { return source_->is_daemon(); }
  Result<Position> end() override { return source_->end(); }
  Result<RowPage> query(const wire::QueryT& query) override {
    auto page = source_->query(query);
    if (!page) return page;
    count(*page);
    return page;
  }
  Result<RowPage> collect(const wire::QueryT& query, std::size_t limit) override {
    auto page = source_->collect(query, limit);
    if (page) count(*page);
    return page;
  }
  Result<std::string> output_from(const std::string& job, std::uint64_t offset) override {
    return source_->output_from(job, offset);
  }
  Result<std::string> verify(const ProgressSink& progress) override { return source_->verify(progress); }
  Result<std::string> rebuild(const ProgressSink& progress) override { return source_->rebuild(progress); }
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override {
    return source_->backup(target, progress);
  }

 private:
  void count(const RowPage& page) {
    for (const std::string& row : page.rows)
      invocation_.note_unreadable(has_unreadable_text(page.type, as_bytes(row)));
    for (const RowPage& part : page.parts) count(part);
  }

  std::unique_ptr<Source> source_;
  Invocation& invocation_;
};

/// The store whose daemon listens on the socket. Empty: unknown, because stores with a long path have their
/// socket elsewhere.
std::string store_of_socket(const std::string& socket) {
  const std::filesystem::path path(absolute_path(socket));
  return path.filename() == "socket" ? path.parent_path().string() : std::string();
}

/// Continues despite a mistake in the configuration if the store is known without it: it was named, or a
/// daemon listens on the default store. Fails if the mistake may concern where the store is (--config or
/// $LUZIA_CONFIG).
Result<SourceOptions> in_spite_of(const Error& mistake, Invocation& invocation, SourceOptions place) {
  const bool chosen =
      invocation.args().has("config") || !variable(invocation.surroundings(), "LUZIA_CONFIG").empty();
  const bool placed = !place.store.empty() || !place.socket.empty();
  if (!mistake.code.starts_with("config_") || (chosen && !placed)) return tl::unexpected(mistake);
  if (!placed) {
    place.store = absolute_path(default_store({}));
    const auto socket = socket_path(place.store);
    if (place.offline || !socket || !Client::connect(*socket, place.silence)) return tl::unexpected(mistake);
  }
  invocation.say(std::string(invocation.program().name) +
                 ": the configuration has an error: " + mistake.message);
  return place;
}

/// Where to read from. Reads the configuration only if it is needed: that costs a third of a millisecond.
Result<SourceOptions> place_of(Invocation& invocation, Format format) {
  const Arguments& args = invocation.args();
  const Surroundings& surroundings = invocation.surroundings();
  SourceOptions place;
  const auto silence = LUZIA_TRY(invocation.silence());
  place.silence = silence;
  place.offline = args.has("offline");
  place.now = invocation.now();
  place.flows_ended_since = flows_kept_since({}, place.now);
  if (const std::string elsewhere = invocation.elsewhere(); elsewhere.starts_with(kSshScheme)) {
    return fail(ErrorKind::usage, "only_here",
                std::string(invocation.program().name) + " reads stores of this machine, not " + elsewhere,
                "luzia reads others; or run it there: ssh HOST luzia-query ...");
  }
  place.store = absolute_path(args.text("store"));
  if (place.store.empty()) {
    place.socket = variable(surroundings, "LUZIA_SOCKET");
    place.store = place.socket.empty() ? absolute_path(variable(surroundings, "LUZIA_STORE"))
                                       : store_of_socket(place.socket);
  }
  const bool placed = !place.store.empty() || !place.socket.empty();
  const bool shows = surroundings.out_stream.terminal && format == Format::table;
  if (placed && !shows && !args.has("config")) return place;
  const auto config = invocation.config();
  if (!config) return in_spite_of(config.error(), invocation, std::move(place));
  place.flows_ended_since = flows_kept_since(**config, place.now);
  if (!placed) place.store = absolute_path(default_store(**config));
  return place;
}

/// Connects to the next daemon of the store, waiting up to 5 s. For programs that start no daemon.
Result<Client> connect_again(const std::string& socket, const SilenceLimit& silence) {
  constexpr std::chrono::milliseconds kAskAgainAfter{50}, kPatience{5'000};
  auto client = Client::connect(socket, silence);
  for (auto left = kPatience; !client && left.count() > 0; left -= kAskAgainAfter) {
    std::this_thread::sleep_for(kAskAgainAfter);
    client = Client::connect(socket, silence);
  }
  return client;
}

/// What was asked, as it was typed, without what only changes how it is shown.
std::string asked_words(const Invocation& invocation) {
  constexpr std::string_view kShowing[] = {"machines", "csv", "columns", "out", "ids", "timing"};
  std::string words(invocation.command().name);
  for (const std::string& word : invocation.args().positionals()) words += " " + word;
  for (const Option& option : invocation.command().options) {
    const std::string_view name = long_name(option);
    if (std::ranges::find(kShowing, name) != std::end(kShowing) || !invocation.args().has(name)) continue;
    words.append(" --").append(name);
    if (option.kind == ValueKind::flag) continue;
    for (const std::string& value : invocation.args().texts(name)) words += " " + value;
  }
  return words;
}

/// Keeps the sites of these names; none: all.
Status keep_sites(std::vector<MachineToAsk>& sites, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::ranges::find(sites, name, &MachineToAsk::name) != sites.end()) continue;
    return fail(ErrorKind::not_found, "no_such_site", "the fleet has no machine '" + name + "'",
                "luzia-fleet status lists them");
  }
  if (names.empty()) return {};
  std::erase_if(sites, [&](const auto& site) { return std::ranges::find(names, site.name) == names.end(); });
  return {};
}

}  // namespace

/// This machine and all that are configured.
Result<std::unique_ptr<Source>> Session::find_machines(const SourceOptions& place) {
  if (invocation_.is_elsewhere()) {
    return fail(ErrorKind::usage, "bad_usage",
                "--machines lists all machines, and " + invocation_.elsewhere() + " is one",
                "leave out --machines, or --on and $LUZIA_ON");
  }
  const auto most = LUZIA_TRY(time_for_machines(invocation_));
  MachineToAsk here{kThisMachine, {}, [this, place] { return find(place); }};
  std::vector<MachineToAsk> machines;
  if (const auto& known = invocation_.surroundings().machines) {
    machines = known();
    here.asked = [this, place] { return std::make_unique<OpenMachine>(find(place)); };
  } else {
    const auto config = LUZIA_TRY(invocation_.config());
    machines = other_machines(*config, most);
  }
  machines.insert(machines.begin(), std::move(here));
  if (machines.size() == 1) {
    invocation_.say(name() + ": no other machine is configured; luzia machine add NAME user@host adds one");
  }
  auto source = std::make_unique<MachinesSource>(std::move(machines), KnownMachines::of_user(),
                                                 asked_words(invocation_), invocation_.now(), most);
  machines_ = source.get();
  return source;
}

/// All sites of the fleet, which has this machine's rows, too.
Result<std::unique_ptr<Source>> Session::find_fleet() {
  if (invocation_.is_elsewhere() || invocation_.args().has("machines") || place_.offline) {
    return fail(ErrorKind::usage, "bad_usage", "--fleet lists the machines that the fleet's database knows",
                "leave out --machines, --offline, and --on and $LUZIA_ON");
  }
  const auto most = LUZIA_TRY(time_for_machines(invocation_));
  const auto& known = invocation_.surroundings().machines;
  auto sites = LUZIA_TRY(known ? Result<std::vector<MachineToAsk>>(known())
                               : fleet_sites(absolute_path(invocation_.args().text("config")), most));
  if (sites.empty()) {
    invocation_.say(name() + ": the fleet has no machine yet; luzia-fleet init --machine NAME adds one");
  }
  LUZIA_TRY(keep_sites(sites, invocation_.args().list("site")));
  auto source = std::make_unique<MachinesSource>(std::move(sites), KnownMachines({}), std::string(),
                                                 invocation_.now(), most);
  machines_ = source.get();
  return source;
}

/// The daemon. If none listens, depending on the program: starts one, or opens the store.
Result<std::unique_ptr<Source>> Session::find(const SourceOptions& place) {
  if (const auto& source = invocation_.surroundings().source) return source();
  const auto open_store = invocation_.program().open_store;
  if (open_store == nullptr) {
    auto client = LUZIA_TRY(invocation_.connect());
    auto again = [this] { return invocation_.connect(); };
    if (invocation_.machine() != nullptr) return far_source(std::move(client), again, kMostCarriedBytes);
    return std::make_unique<DaemonSource>(std::move(client), again);
  }
  if (!place.offline) {
    auto socket = place.socket.empty() ? socket_path(place.store) : Result<std::string>(place.socket);
    if (!socket) return tl::unexpected(socket.error());
    auto client = Client::connect(*socket, place.silence);
    if (client) {
      return std::make_unique<DaemonSource>(std::move(*client), [socket = *socket, silence = place.silence] {
        return connect_again(socket, silence);
      });
    }
    if (client.error().code != "no_daemon" || place.store.empty()) return tl::unexpected(client.error());
  }
  LUZIA_TRY(need_store(place.store));
  return open_store(
      place, [this](const std::string& line) { console().say(name() + ": " + line); }, progress());
}

Result<std::unique_ptr<Source>> Session::open(const SourceOptions& place) {
  const bool of_fleet = invocation_.args().has("fleet");
  const bool several = invocation_.args().has("machines") && machines_ == nullptr;
  auto found = LUZIA_TRY(of_fleet ? find_fleet() : several ? find_machines(place) : find(place));
  return std::make_unique<CountingSource>(std::move(found), invocation_);
}

ProgressSink Session::progress() const {
  return [this](std::string_view what, std::uint64_t done, std::uint64_t total) {
    console().show_progress(what, done, total);
  };
}

Result<Source*> Session::source() {
  if (!source_) {
    source_ = LUZIA_TRY(open(place_));
    if (!place_.offline && !source_->is_daemon()) {
      console().say_to_person(name() + ": no daemon is running: reading the store, as of its last event");
    }
  }
  return source_.get();
}

Result<Source*> Session::still_source() {
  if (still_) return still_.get();
  const bool readable = invocation_.program().open_store != nullptr && !place_.store.empty() &&
                        access((place_.store + "/log").c_str(), R_OK | X_OK) == 0;
  if (!readable) return source();
  SourceOptions beside = place_;
  beside.offline = true;
  still_ = LUZIA_TRY(open(beside));
  return still_.get();
}

void Session::leave_open() {
  if (machines_ == nullptr) (void)source_.release();
  (void)still_.release();
}

wire::QueryT Session::query(wire::View view) const {
  wire::QueryT query = view_query(view, std::make_unique<wire::FilterT>(options_.filter));
  query.cursor = options_.cursor;
  query.at_position = options_.at.position;
  query.at_time_us = options_.at.time_us;
  return query;
}

wire::QueryT Session::history_query(wire::View view) const {
  wire::QueryT history = query(view);
  history.filter->ended = true;
  history.cursor.clear();
  history.all_time = true;
  return history;
}

Result<TimeUs> Session::as_of() {
  if (options_.at.position != 0) {
    auto asked = LUZIA_TRY(source());
    return time_of(*asked, options_.at.position);
  }
  return options_.at.time_us != 0 ? std::min(options_.at.time_us, invocation_.now()) : invocation_.now();
}

Result<TimeUs> Session::seen_until() {
  if (!options_.at.is_now()) return as_of();
  auto asked = LUZIA_TRY(source());
  if (asked->is_daemon()) return invocation_.now();
  if (!last_event_) {
    // If the end of the log cannot be read, the rows are still a valid answer; verify reports what is wrong.
    const auto end = asked->end();
    if (!end || *end == 0) return invocation_.now();
    const auto time = time_of(*asked, *end);
    if (!time) return invocation_.now();
    last_event_ = std::min(*time, invocation_.now());
  }
  return *last_event_;
}

bool Session::is_unwatched() const {
  if (!source_ || source_->is_daemon()) return false;
  if (!place_.offline) return true;  // a daemon was looked for first
  const auto socket = socket_path(place_.store);
  return !socket || !Client::connect(*socket, place_.silence);
}

Result<Moment> Session::exported_moment() {
  auto still = LUZIA_TRY(still_source());
  wire::QueryT any = query(wire::View::jobs);
  any.filter = std::make_unique<wire::FilterT>();
  any.cursor.clear();
  any.limit = 1;
  const auto page = LUZIA_TRY(still->query(any));
  const auto time = LUZIA_TRY(page.position == 0 ? invocation_.now() : time_of(*still, page.position));
  return Moment{page.position, time};
}

Result<TimeUs> Session::time_of(Source& source, Position position) {
  wire::QueryT query = view_query(wire::View::events);
  query.cursor = std::to_string(position - 1);
  query.at_position = position;
  query.limit = 1;
  const auto page = LUZIA_TRY(source.query(query));
  const auto events = LUZIA_TRY(events_of(page));
  return events.empty() ? invocation_.now() : events.front()->time_us();
}

Result<int> run_reading(Invocation& invocation, const std::function<Result<int>(Session&)>& run) {
  auto options = LUZIA_TRY(options_of(invocation.command(), invocation.args()));
  // A program that cannot open stores finds its daemon through Invocation::connect().
  auto place = LUZIA_TRY(invocation.program().open_store == nullptr ? Result<SourceOptions>(SourceOptions())
                                                                    : place_of(invocation, options.format));
  Session session(invocation, std::move(options), std::move(place));
  // Other machines have other projects.
  const bool of_several = invocation.args().has("machines") || invocation.args().has("fleet");
  const Status known = of_several ? Status() : check_projects(session);
  if (invocation.args().has("site") && !invocation.args().has("fleet")) {
    return fail(ErrorKind::usage, "bad_usage", "--site names machines of a fleet", "add --fleet");
  }
  auto code = known ? run(session) : Result<int>(tl::unexpected(known.error()));
  if (const MachinesSource* machines = session.machines(); machines != nullptr && code) {
    for (const std::string& line : {machines->missing_text(), machines->claims_text()}) {
      if (line.empty()) continue;
      session.console().say(line);
      code = std::max(*code, static_cast<int>(ErrorKind::trouble));
    }
  }
  const Status finished = session.console().finish();
  if (invocation.surroundings().ends_with_run) session.leave_open();
  return code && !finished ? tl::unexpected(finished.error()) : code;
}

}  // namespace luzia
