#include "adapters/socket/vigil.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "engine/base/time.h"

namespace luzia {
namespace {

using Duration = Vigil::Duration;

constexpr Duration kFirstPing{1'000};  // of silence after a request
constexpr Duration kPingEvery{5'000};  // while waiting, after the daemon has answered a ping

std::string shown(Duration time) {
  return format_duration(time.count() * kMillisecondUs);
}

/// The process state of proc(5); 0: not a luziad. A service manager may have opened the socket, and then the
/// daemon is unknown.
char state_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t end = text.rfind(") ");
  const bool is_daemon = text.find("(luziad") != std::string::npos;
  return is_daemon && end != std::string::npos && end + 2 < text.size() ? text[end + 2] : '\0';
}

/// "pid 123 does not answer, it is stopped (SIGSTOP)"
std::string condition_of(pid_t pid, char state) {
  const std::string text =
      state != '\0' ? "pid " + std::to_string(pid) + " does not answer" : "it does not answer";
  if (state == 'T') return text + ", it is stopped (SIGSTOP)";
  if (state == 't') return text + ", a debugger holds it";
  if (state == 'D') return text + ", it waits for a disk";
  return text;
}

}  // namespace

Result<Duration> patience_of(const std::string& option, const char* variable) {
  const std::string words = !option.empty() ? option : variable != nullptr ? variable : "";
  if (words.empty()) return kUsualPatience;
  constexpr std::uint64_t kMostMs = 100ULL * 366 * 24 * 3600 * 1000;
  const auto ms = parse_duration_ms(words);
  if (ms && *ms <= kMostMs) return Duration(*ms);
  return fail(ErrorKind::usage, "bad_value",
              std::string(option.empty() ? "LUZIA_PATIENCE" : "--patience") + ": '" + words +
                  "' is not a duration such as 10s or 2m; 0: for ever");
}

void Vigil::owed() {
  if (owed_) return;
  owed_ = true;
  waited_ = Duration(0);
}

void Vigil::alive() {
  if (told_ && silence_.say) silence_.say(whom() + " answers again");
  waited_ = Duration(0);
  owed_ = pinged_ = told_ = false;
  answered_ = true;
}

Duration Vigil::ping_after() const {
  return silence_.limit.count() > 0 ? std::min(kFirstPing, silence_.limit / 2) : kFirstPing;
}

Duration Vigil::slice() const {
  if (!is_kept()) return Duration(-1);
  if (!owed_) return std::max(Duration(1), kPingEvery - waited_);
  Duration until = kPingEvery;
  if (!pinged_) until = std::min(until, ping_after() - waited_);
  if (!told_) until = std::min(until, kTellSilenceAfter - waited_);
  if (limited()) until = std::min(until, silence_.limit - waited_);
  return std::max(Duration(1), until);
}

Result<Vigil::Next> Vigil::waited(Duration time) {
  if (!is_kept()) return Next::wait;
  waited_ += time;
  if (!owed_) {
    if (waited_ < kPingEvery) return Next::wait;
    owed_ = pinged_ = true;
    waited_ = Duration(0);
    return Next::ping;
  }
  if (limited() && waited_ >= silence_.limit) return too_long();
  if (!told_ && waited_ >= kTellSilenceAfter) {
    told_ = true;
    tell();
  }
  if (pinged_ || waited_ < ping_after()) return Next::wait;
  pinged_ = true;
  return Next::ping;
}

std::string Vigil::whom() const {
  if (silence_.machine.empty()) return "the daemon";
  return (silence_.reached ? "the daemon of machine " : "machine ") + silence_.machine;
}

tl::unexpected<Error> Vigil::too_long() const {
  if (silence_.machine.starts_with("fleet:")) {
    return fail(ErrorKind::trouble, "daemon_silent",
                "waiting for " + silence_.machine + ": no machine has done it yet; gave up after " +
                    shown(silence_.limit),
                "the order stands: luzia-fleet orders shows it; --patience 60s waits longer");
  }
  if (!silence_.machine.empty()) {
    return fail(ErrorKind::trouble, "daemon_silent",
                "waiting for " + whom() + ": it does not answer" +
                    (silence_.reached ? ", though ssh reaches the machine" : "") + "; gave up after " +
                    shown(silence_.limit),
                "luzia machine check " + silence_.machine + " says more; --patience 60s waits longer");
  }
  const char state = state_of(daemon_);
  const std::string go_on =
      state == 'T' ? "kill -CONT " + std::to_string(daemon_) + " lets it go on; " : std::string();
  return fail(
      ErrorKind::trouble, "daemon_silent",
      "waiting for the daemon: " + condition_of(daemon_, state) + "; gave up after " + shown(silence_.limit),
      go_on +
          "luzia daemon restart starts another, running jobs are not touched; --patience 60s "
          "waits longer");
}

void Vigil::tell() const {
  if (!silence_.say) return;
  if (silence_.machine.starts_with("fleet:")) {
    return silence_.say("waiting for " + silence_.machine + " to take the order" +
                        (limited() ? ", up to " + shown(silence_.limit) + " (--patience)" : ""));
  }
  silence_.say("waiting for " + whom() + ": " + condition_of(daemon_, state_of(daemon_)) + "; waiting " +
               (limited() ? "up to " + shown(silence_.limit) + " (--patience)" : "until it does"));
}

}  // namespace luzia
