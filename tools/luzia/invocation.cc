#include "tools/luzia/invocation.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "adapters/socket/socket_path.h"
#include "engine/base/shell_quote.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "tools/luzia/start_daemon.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? path : std::filesystem::absolute(path, ignored).lexically_normal().string();
}

/// Many of a job's processes may wait at once, so they knock less and less often.
Result<Client> wait_for_daemon(const std::string& socket, const SilenceLimit& silence) {
  std::error_code ignored;
  const bool has_store = std::filesystem::exists(std::filesystem::path(socket).parent_path(), ignored);
  const auto deadline = Clock::now() + (has_store ? kPatienceWhileStarting : kPatience);
  milliseconds pause = kFirstRetryAfter;
  while (true) {
    auto client = Client::connect(socket, silence);
    if (client || client.error().code != "no_daemon" || Clock::now() >= deadline) {
      return client;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kRetryEvery);
  }
}

/// Nothing at all: what is left of a damaged one is the daemon's to explain.
bool holds_nothing(const std::string& store) {
  std::error_code ignored;
  const auto type = std::filesystem::status(store, ignored).type();
  if (type == std::filesystem::file_type::not_found) return true;
  return type == std::filesystem::file_type::directory && std::filesystem::is_empty(store, ignored) &&
         !ignored;
}

tl::unexpected<Error> no_store(const Place& place) {
  return fail(
      ErrorKind::trouble, "no_store", "there is no store at " + place.store,
      "name another (" + place.named_by + "), or create it: luzia --store " + place.store + " daemon start");
}

}  // namespace

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

Invocation::Invocation(const Command& command, Arguments arguments)
    : command_(command), args_(std::move(arguments)), creates_(!command.needs_store) {}

TimeUs Invocation::now() const {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<TimeUs>(time.tv_sec) * kSecondUs + time.tv_nsec / 1'000;
}

Result<const Config*> Invocation::config() {
  if (!config_) {
    config_ = load_config(args_.text("config"));
  }
  if (!*config_) {
    return tl::unexpected(config_->error());
  }
  return &**config_;
}

const Config* Invocation::config_of_daemon() {
  const bool by_surroundings =
      args_.text("store").empty() &&
      (!environment_variable("LUZIA_SOCKET").empty() || !environment_variable("LUZIA_STORE").empty());
  if (by_surroundings && !args_.has("config")) {
    return nullptr;
  }
  const auto read = config();
  return read ? *read : nullptr;
}

Result<Place> Invocation::place() {
  Place place;
  place.config_file = absolute(args_.text("config"));
  place.store = absolute(args_.text("store"));
  place.named_by = place.store.empty() ? "" : "--store";
  if (place.store.empty()) {
    place.socket = environment_variable("LUZIA_SOCKET");
    if (!place.socket.empty()) {
      return place;
    }
    place.store = absolute(environment_variable("LUZIA_STORE"));
    place.named_by = place.store.empty() ? "" : "$LUZIA_STORE";
  }
  if (place.store.empty()) {
    const auto read = config();
    if (!read) {
      return tl::unexpected(read.error());
    }
    place.store = default_store(**read);
    place.named_by = place.store == default_store({}) ? "" : "[store] path";
  }
  auto socket = socket_path(place.store);
  if (!socket) {
    return tl::unexpected(socket.error());
  }
  place.socket = std::move(*socket);
  return place;
}

std::string Invocation::place_options() const {
  std::string words;
  for (const char* option : {"store", "config"}) {
    if (args_.has(option)) words += " --" + std::string(option) + " " + shell_quote(args_.text(option));
  }
  return words;
}

Result<SilenceLimit> Invocation::silence() const {
  if (silence_) return *silence_;
  const auto limit = patience_of(args_.text("patience"), std::getenv("LUZIA_PATIENCE"));
  if (!limit) return tl::unexpected(limit.error());
  return SilenceLimit{*limit, [this](std::string_view line) { say(line); }};
}

/// The daemon has read its configuration long ago: a mistake that came since must not keep a person from
/// looking and cancelling. Only where the mistake cannot be in where the daemon is.
Result<Client> Invocation::connect_in_spite_of(const Error& mistake, WhenMistaken when_mistaken) {
  const auto socket = socket_path(default_store({}));
  const bool chosen = args_.has("config") || !environment_variable("LUZIA_CONFIG").empty();
  if (!mistake.code.starts_with("config_") || chosen || !socket) {
    return tl::unexpected(mistake);
  }
  const auto limit = silence();
  auto client = limit ? Client::connect(*socket, *limit) : tl::unexpected(limit.error());
  if (!client) {
    return tl::unexpected(mistake);
  }
  if (when_mistaken == WhenMistaken::tell) {
    say("luzia: the configuration is at fault; the daemon goes on with what it has read before: " +
        mistake.message);
  }
  return client;
}

Result<Client> Invocation::connect(WhenAbsent when_absent, WhenMistaken when_mistaken) {
  const auto where = place();
  if (!where) {
    return connect_in_spite_of(where.error(), when_mistaken);
  }
  const auto limit = silence();
  if (!limit) {
    return tl::unexpected(limit.error());
  }
  auto client = Client::connect(where->socket, *limit);
  if (client || client.error().code != "no_daemon" || when_absent == WhenAbsent::complain) {
    return client;
  }
  if (!creates_ && !where->named_by.empty() && holds_nothing(where->store)) {
    return no_store(*where);
  }
  if (where->store.empty() || !environment_variable("LUZIA_JOB_ID").empty()) {
    say("waiting for the daemon: it does not answer, and a job does not start one");
    return wait_for_daemon(where->socket, *limit);
  }
  return start_daemon(*where, *limit, [this](std::string_view line) { say(line); });
}

const Terminal& Invocation::terminal() {
  if (!terminal_) {
    bool colors = true, emojis = true;
    if (::isatty(STDOUT_FILENO) == 1 || ::isatty(STDERR_FILENO) == 1) {
      if (const auto read = config()) {
        colors = (*read)->display.use_colors;
        emojis = (*read)->display.use_emojis;
      }
    }
    terminal_ = look_at_terminal(args_.text("color"), colors, emojis);
  }
  return *terminal_;
}

void Invocation::say(std::string_view line) const {
  if (!args_.has("quiet")) {
    const std::string shown = make_harmless(line, {.keep_newlines = true});
    std::fprintf(stderr, "%s\n", shown.c_str());
  }
}

void print_raw(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print(std::string_view text) {
  static const bool shows = ::isatty(STDOUT_FILENO) == 1;  // as it is for the whole run
  if (shows) return print_raw(spell_out(text, true));
  print_raw(text);
}

void print_line(std::string_view text) {
  print(text);
  std::fputc('\n', stdout);
}

int print_error(const Error& error, bool as_json) {
  std::fflush(stdout);
  if (as_json) {
    const std::string json = error_json(error);
    const bool shows = ::isatty(STDERR_FILENO) == 1;
    std::fprintf(stderr, "%s\n", shows ? spell_out(json, false).c_str() : json.c_str());
  } else {
    std::fprintf(stderr, "luzia: %s\n", make_harmless(error.message, {.keep_newlines = true}).c_str());
    if (!error.hint.empty()) {
      std::fprintf(stderr, "  hint: %s\n", make_harmless(error.hint, {.keep_newlines = true}).c_str());
    }
  }
  return static_cast<int>(error.kind);
}

}  // namespace luzia
