#include "projections/rows/waiting_text.h"

#include <fmt/format.h>

#include "engine/event/event.h"

namespace luzia {
namespace {

std::string listed(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* names) {
  std::string out;
  if (names == nullptr) return out;
  for (const auto* name : *names) out.append(out.empty() ? "" : ", ").append(name->string_view());
  return out;
}

std::string for_what(const view::Waiting& waiting, TimeUs now, std::string (*shown)(TimeUs)) {
  using view::WaitsFor;
  const std::string subjects = listed(waiting.subjects());
  switch (waiting.what()) {
    case WaitsFor::release:
      return "to be released: it is held";
    case WaitsFor::dependencies:
      return "for " + subjects + " to complete";
    case WaitsFor::time:
      return "until " + shown(waiting.until_us()) + ", in " +
             format_duration(std::max<TimeUs>(0, waiting.until_us() - now));
    case WaitsFor::open_queue:
      return "because nothing starts now: " + subjects;
    case WaitsFor::resume:
      return "because the queue is paused";
    case WaitsFor::project_resume:
      return "because the queue of " + subjects + " is paused";
    case WaitsFor::breaker:
      return fmt::format("until {}: {} is stopped after failures in a row", shown(waiting.until_us()),
                         subjects);
    case WaitsFor::project_limit:
      return fmt::format("for a place: {} of project {} may run at once", waiting.limit(), subjects);
    case WaitsFor::agent_limit:
      return fmt::format("for a place: {} of agent {} may run at once", waiting.limit(), subjects);
    case WaitsFor::tag_limit:
      return fmt::format("for a place: {} with tag {} may run at once", waiting.limit(), subjects);
    case WaitsFor::usage_limit:
      return fmt::format("until {}: the usage limit of agent {} is reached", shown(waiting.until_us()),
                         subjects);
    case WaitsFor::project_budget:
      return fmt::format("until {}: the budget of {} for this day is used up", shown(waiting.until_us()),
                         subjects.empty() ? "all projects together" : subjects);
    case WaitsFor::drain:
      return "because the daemon is draining: nothing starts until 'luzia daemon drain --off'";
    case WaitsFor::turn:
      return fmt::format("for its turn: {} may run at once", waiting.limit());
  }
  return "for something that this program does not know";
}

}  // namespace

std::string waiting_text(const view::Waiting& waiting, TimeUs now, std::string (*shown)(TimeUs)) {
  std::string text = "waits " + for_what(waiting, now, shown);
  if (waiting.ahead() > 0) {
    text += fmt::format(
        "; {} {} first: {}{}", waiting.ahead(), waiting.ahead() == 1 ? "comes" : "come",
        listed(waiting.first_ahead()),
        waiting.first_ahead() != nullptr && waiting.ahead() > waiting.first_ahead()->size() ? ", ..." : "");
  }
  // Where history would have it begin by now it knows nothing of what holds the place.
  if (const auto wait = waiting.estimated_wait_ms(); wait && *wait >= 1'000 && waiting.until_us() == 0) {
    text += "; starts in about " + format_duration(static_cast<TimeUs>(*wait) * kMillisecondUs);
  }
  return text;
}

}  // namespace luzia
