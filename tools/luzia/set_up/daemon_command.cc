// daemon: start, stop, restart, status, reload, drain and scrub. Jobs continue whatever happens to the
// daemon.
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/pauses.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/set_up/reload.h"
#include "tools/luzia/set_up/silent_daemon.h"
#include "tools/luzia/web/web_program.h"

namespace luzia {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Option kDaemonOptions[] = {
    {"--drain", ValueKind::flag, "", "stop: wait until no job runs"},
    {"--force", ValueKind::flag, "", "stop, restart: kill a daemon that neither answers nor exits"},
    {"--off", ValueKind::flag, "", "drain: let jobs start again"},
};
constexpr int kMostStarts = 5;
constexpr auto kStopPatience = std::chrono::seconds(15);
constexpr auto kLookAtStopEvery = std::chrono::milliseconds(20);

void print_daemon(Invocation& invocation, const wire::WelcomeT& welcome, const std::string& description,
                  const std::vector<const view::QueueSwitch*>& pauses, const Place& place) {
  if (!invocation.json()) {
    print_line("running, pid " + std::to_string(welcome.pid) + ", version " + make_harmless(welcome.version));
    print_line(place.machine ? "machine " + make_harmless(place.machine->shown())
                             : "socket " + make_harmless(place.socket));
    print(description.empty() ? "" : make_harmless(description, {.keep_newlines = true}) + "\n");
    for (const view::QueueSwitch* pause : pauses) {
      print_line(make_harmless(pause_text(*pause, invocation.now())));
    }
    return;
  }
  JsonObject json;
  json.boolean("running", true);
  json.number("pid", welcome.pid);
  json.text("version", welcome.version);
  json.number("position", welcome.position);
  json.text("socket", place.socket);
  json.text_or_null("store", place.store);
  json.text("description", description);
  json.at("paused").raw(pauses_json(pauses));
  print_line(json.take());
}

Result<int> show_daemon(Invocation& invocation, Client& client, bool prints = true) {
  const auto place = invocation.place();
  auto welcome = ask_control(client, wire::ControlAction::ping);
  if (!place || !welcome) return tl::unexpected(place ? welcome.error() : place.error());
  if (!prints) return 0;
  const std::string description = ask_description(client).message;
  const auto* known = (*welcome)->reply.AsWelcome();
  // If the query fails (another version, or trouble), pauses are not shown.
  const auto switches = ask_rows(client, pauses_query(invocation.args()));
  print_daemon(invocation, known == nullptr ? wire::WelcomeT() : *known, description,
               pauses_of(switches ? &*switches : nullptr), *place);
  return 0;
}

/// Prints what is known about a daemon that does not answer, then returns the error.
Result<int> show_silent(Invocation& invocation, const Error& why) {
  const auto place = invocation.place();
  const std::string store = place ? place->store : std::string();
  const auto pid = daemon_of(store);
  const std::string state = pid ? process_state(*pid) : std::string();
  if (!invocation.json()) {
    print_line("does not answer" + (pid ? ", pid " + std::to_string(*pid) : std::string()) +
               (state == "stopped" ? ", stopped (SIGSTOP)" : ""));
    return tl::unexpected(why);
  }
  JsonObject json;
  json.boolean("running", true);
  json.boolean("answers", false);
  json.optional("pid", pid);
  json.text_or_null("process_state", state);
  json.text_or_null("store", store);
  print_line(json.take());
  return tl::unexpected(why);
}

Result<int> show_status(Invocation& invocation) {
  auto client = invocation.connect(WhenAbsent::complain);
  if (client) {
    client->forgo_hello();
    const auto shown = show_daemon(invocation, *client);
    const bool silent = !shown && shown.error().code == "daemon_silent";
    return silent ? show_silent(invocation, shown.error()) : shown;
  }
  if (client.error().code == "daemon_silent") return show_silent(invocation, client.error());
  if (client.error().code != "no_daemon") return tl::unexpected(client.error());
  print_line(invocation.json() ? "{\"running\":false}" : "not running");
  return 1;
}

Result<int> start_and_show(Invocation& invocation) {
  auto client = invocation.connect();
  if (!client) return tl::unexpected(client.error());
  // With --quiet print nothing: the user asked for a start, not for the status.
  const bool prints = invocation.json() || !invocation.args().has("quiet");
  // The daemon may be stopping right now: then show the next one.
  auto shown = show_daemon(invocation, *client, prints);
  for (int again = 0; !shown && shown.error().code == "connection_lost" && again < kMostStarts; ++again) {
    client = invocation.connect();
    if (!client) return tl::unexpected(client.error());
    shown = show_daemon(invocation, *client, prints);
  }
  return shown;
}

/// Whether the process has ended. A zombie counts: it has no program and holds nothing any more.
bool has_ended(pid_t pid) {
  char program[1];
  return ::readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), program, sizeof program) < 0 &&
         errno == ENOENT;
}

/// Stops the daemon. Returns whether one was running.
Result<bool> stop(Invocation& invocation) {
  const auto place = invocation.place();
  const auto end_silent = [&](const Error& why) -> Result<bool> {
    const Status ended = end_silent_daemon(invocation, place ? place->store : std::string(),
                                           invocation.args().has("force"), why);
    return ended ? Result<bool>(true) : tl::unexpected(ended.error());
  };
  auto client = invocation.connect(WhenAbsent::complain);
  if (!client && client.error().code == "daemon_silent") return end_silent(client.error());
  if (!client) {
    return client.error().code == "no_daemon" ? Result<bool>(false) : tl::unexpected(client.error());
  }
  const pid_t holder = place ? daemon_of(place->store).value_or(0) : 0;
  client->forgo_hello();  // an upgrade stops a daemon of another version
  const auto stopping = ask_control(*client, wire::ControlAction::stop);
  if (!stopping && stopping.error().code == "daemon_silent") return end_silent(stopping.error());
  if (!stopping && stopping.error().code != "connection_lost") return tl::unexpected(stopping.error());
  // The daemon closes our connection first; it releases the store when it exits.
  const auto deadline = Clock::now() + kStopPatience;
  for (bool connected = true; Clock::now() < deadline;) {
    connected = connected && client->receive(kLookAtStopEvery).has_value();
    if (connected) continue;
    if (holder == 0 || has_ended(holder)) return true;
    std::this_thread::sleep_for(kLookAtStopEvery);
  }
  return fail(ErrorKind::trouble, "daemon_slow", "stopping the daemon: it is still running after 15 s",
              "see luziad.log in the store");
}

/// Asks the daemon for a longer task. `reported` receives each progress message; if it returns true, the wait
/// ends.
Status ask_for_work(Client& client, wire::ControlAction action, const std::string& argument,
                    const std::function<bool(const std::string& words, bool last)>& reported) {
  wire::ControlT request;
  request.action = action;
  request.argument = argument;
  LUZIA_TRY(client.send(request_of(std::move(request))));
  while (true) {
    const auto frame = LUZIA_TRY(client.next());
    const auto* progress = frame->reply_as_Progressed();
    if (progress == nullptr) continue;
    if (reported(make_harmless(text(progress->message())), progress->last())) return {};
  }
}

/// Asks the daemon to drain and prints its messages. `until_empty`: waits until no job runs. Returns whether
/// a daemon was running.
Result<bool> begin_drain(Invocation& invocation, bool until_empty) {
  auto client = invocation.connect(WhenAbsent::complain);
  if (!client) {
    return client.error().code == "no_daemon" ? Result<bool>(false) : tl::unexpected(client.error());
  }
  const Status drained =
      ask_for_work(*client, wire::ControlAction::drain, {}, [&](const auto& words, bool last) {
        invocation.say(words);
        return last || !until_empty;
      });
  return drained ? Result<bool>(true) : tl::unexpected(drained.error());
}

/// Ends draining. Starts a daemon if necessary, because draining survives a kill; but creates no store.
Result<int> end_drain(Invocation& invocation) {
  invocation.create_nothing();
  auto client = LUZIA_TRY(invocation.connect());
  const Status ended = ask_for_work(client, wire::ControlAction::drain, "off", [&](const auto& words, bool) {
    invocation.say(words);
    return true;
  });
  return ended ? Result<int>(0) : tl::unexpected(ended.error());
}

Result<int> drain(Invocation& invocation) {
  if (invocation.args().has("off")) return end_drain(invocation);
  const auto begun = LUZIA_TRY(begin_drain(invocation, false));
  invocation.say(begun ? "new jobs are accepted and wait; luzia daemon drain --off lets them start"
                       : "no daemon is running");
  return begun ? 0 : 1;
}

/// Makes the daemon read and verify the whole store, and prints the result.
Result<int> scrub(Invocation& invocation) {
  invocation.create_nothing();
  auto client = LUZIA_TRY(invocation.connect());
  const Status done = ask_for_work(client, wire::ControlAction::scrub, {}, [](const auto& words, bool last) {
    if (last) print_line(words);
    return last;
  });
  return done ? Result<int>(0) : tl::unexpected(done.error());
}

Result<int> stop_daemon(Invocation& invocation) {
  const bool drains = invocation.args().has("drain");
  if (drains) {
    LUZIA_TRY(begin_drain(invocation, true));
  }
  const bool stopped = LUZIA_TRY(stop(invocation));
  const char* done = drains ? "stopped; no job runs" : "stopped; running jobs continue";
  invocation.say(stopped ? done : "no daemon is running");
  // One that the daemon kept has ended with it; this one was started by hand.
  const auto place = invocation.place();
  if (!place || place->store.empty()) return 0;
  if (const auto web = find_web(place->store); web && *web) {
    invocation.say("luzia-web still runs, at " + make_harmless((*web)->url) +
                   ", and has nothing to show: luzia web stop");
  }
  return 0;
}

Result<int> restart(Invocation& invocation) {
  // With a mistake in the configuration the next daemon would not start: keep this one.
  LUZIA_TRY(invocation.config());
  LUZIA_TRY(stop(invocation));
  return start_and_show(invocation);
}

Result<int> run_daemon(Invocation& invocation) {
  const std::string& what = invocation.args().positionals().front();
  const bool fits = (what == "drain" || !invocation.args().has("off")) &&
                    (what == "stop" || !invocation.args().has("drain")) &&
                    (what == "stop" || what == "restart" || !invocation.args().has("force"));
  if (!fits) {
    return fail(ErrorKind::usage, "bad_usage",
                "daemon " + what + ": --off belongs to drain, --drain to stop, --force to stop and restart",
                "luzia daemon --help");
  }
  static constexpr std::pair<std::string_view, Result<int> (*)(Invocation&)> kActions[] = {
      {"status", show_status}, {"start", start_and_show}, {"restart", restart}, {"reload", reload_daemon},
      {"drain", drain},        {"scrub", scrub},          {"stop", stop_daemon}};
  for (const auto& [name, run] : kActions) {
    if (name == what) return run(invocation);
  }
  return fail(ErrorKind::usage, "bad_usage",
              "daemon: '" + what + "' is not start, stop, restart, reload, drain, scrub or status",
              "luzia daemon --help");
}

}  // namespace

Result<int> reload_daemon(Invocation& invocation) {
  auto client = LUZIA_TRY(invocation.connect(WhenAbsent::complain, WhenMistaken::leave_to_daemon));
  auto reloaded = ask_control(client, wire::ControlAction::reload);
  if (!reloaded) {
    Error error = reloaded.error();
    if (error.code.starts_with("config_")) {
      error.message += "; nothing has changed, the daemon keeps the configuration it read before";
    }
    return tl::unexpected(std::move(error));
  }
  invocation.say("the daemon has read its configuration again");
  return 0;
}

const Command kDaemonCommand = {
    "daemon",
    "Set up",
    "start | stop [--drain] [--force] | restart [--force] | reload | drain [--off] | scrub | status",
    "start, stop or inspect the daemon, which starts when needed",
    "Stopping or restarting the daemon does not affect running jobs: the next daemon finds them again. "
    "After drain no job starts: running ones continue to their end, new ones are accepted and wait. This "
    "lasts until drain --off or a regular stop (after a kill the next daemon keeps draining). stop --drain "
    "drains, waits until no job runs, and stops. scrub reads the whole store now and checks every hash, as "
    "the daemon does automatically every [store] scrub. status exits with code 1 if no daemon runs and with "
    "5 if it does not answer; stop and restart then end it by signals.",
    "luzia daemon status\nluzia daemon reload\nluzia daemon stop --drain",
    kDaemonOptions,
    {1, 1},
    run_daemon,
    false,
    {},
    "start|stop|restart|reload|status|drain|scrub"};

}  // namespace luzia
