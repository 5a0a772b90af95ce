#include "projections/rows/waiting_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/joined_names.h"
#include "engine/event/event.h"
#include "engine/event/job_state.h"

namespace luzia {
namespace {

/// For a limit whose slots are all taken: "2 of 2 slots of project web are taken, one of them by a job ...".
/// `named`: number of subjects that name the limit; the others hold its slots while they wait for a person.
std::string taken_text(const view::Waiting& waiting, const std::string& of_what, std::size_t named) {
  const std::size_t subjects = waiting.subjects() == nullptr ? 0 : waiting.subjects()->size();
  const std::size_t asking = subjects - std::min(subjects, named);
  std::string words = fmt::format("{0} of {0} slots{1} are taken", waiting.limit(), of_what);
  if (asking == 0) return words;
  const bool all = asking >= waiting.limit();
  return words + fmt::format(", {} by {} (luzia inbox{})", all ? "all" : std::to_string(asking),
                             asking == 1 ? "a job that waits for a person" : "jobs that wait for a person",
                             all ? "; [queue] waiting_holds_slot = false lets others start meanwhile" : "");
}

std::string first_subject(const view::Waiting& waiting) {
  return waiting.subjects() == nullptr || waiting.subjects()->size() == 0 ? ""
                                                                          : waiting.subjects()->Get(0)->str();
}

bool starts_next(const view::Waiting& waiting) {
  return waiting.what() == view::WaitsFor::turn && waiting.limit() == 0 && waiting.ahead() == 0;
}

std::string for_budget(const std::string& project, const std::string& until) {
  return fmt::format(
      "until {}: the budget of {} for this day is used up; go on now: luzia resume {} --budget", until,
      project.empty() ? "all projects together" : project,
      project.empty() ? "--all" : "--project " + project);
}

std::string for_what(const view::Waiting& waiting, TimeUs now) {
  using view::WaitsFor;
  const std::string subject = first_subject(waiting), until = local_moment(waiting.until_us(), now);
  switch (waiting.what()) {
    case WaitsFor::release:
      if (!subject.empty())
        return "for a fleet: it is held until the fleet accepts order " + order_id(subject);
      return "to be resumed: it is held (luzia resume)";
    case WaitsFor::dependencies:
      return "for " + joined_names(waiting.subjects()) + " to complete";
    case WaitsFor::time:
      return "until " + until;
    case WaitsFor::open_queue:
      return "because nothing starts now: " + subject;
    case WaitsFor::disk_room:
      return "because nothing starts now: no room: " + subject;
    case WaitsFor::resume:
      return "because the queue is paused; start jobs again: luzia resume --all";
    case WaitsFor::project_resume:
      return fmt::format("because the queue of {0} is paused; start jobs again: luzia resume --project {0}",
                         subject);
    case WaitsFor::breaker:
      return fmt::format(
          "until {0}: {1} is stopped after quick failures in a row; start jobs again now: luzia resume "
          "--project "
          "{1}",
          until, subject);
    case WaitsFor::project_limit:
      return "for a slot: " + taken_text(waiting, " of project " + subject, 1);
    case WaitsFor::agent_limit:
      return "for a slot: " + taken_text(waiting, " of agent " + subject, 1);
    case WaitsFor::tag_limit:
      return "for a slot: " + taken_text(waiting, " for tag " + subject, 1);
    case WaitsFor::usage_limit:
      return fmt::format(
          "until {0}: the usage limit of agent {1} is reached; go on now: luzia resume --agent {1}", until,
          subject);
    case WaitsFor::login:
      return fmt::format(
          "for a login: that of agent {0} is refused; log in, and it goes on by itself (or luzia resume "
          "--agent {0}); at the latest it tries again at {1}",
          subject, until);
    case WaitsFor::spacing:
      return fmt::format(
          "for the agent's next start, because starts of {0} are spaced ([agents.{0}] start_spacing)",
          subject);
    case WaitsFor::project_budget:
      return for_budget(subject, until);
    case WaitsFor::drain:
      return "because the daemon is draining: nothing starts until 'luzia daemon drain --off'";
    case WaitsFor::turn:
      return waiting.limit() == 0 ? "for its turn" : "for its turn: " + taken_text(waiting, "", 0);
  }
  return "for something that this program does not know";
}

}  // namespace

std::string waiting_text(const view::Waiting& waiting, TimeUs now) {
  if (starts_next(waiting)) return "waits for nothing: it starts next";
  std::string text = "waits " + for_what(waiting, now);
  if (waiting.ahead() > 0) {
    const std::string first = joined_names(waiting.first_ahead());
    text += fmt::format("; {} {} first", waiting.ahead(), waiting.ahead() == 1 ? "comes" : "come");
    if (!first.empty())
      text += ": " + first + (waiting.ahead() > waiting.first_ahead()->size() ? ", ..." : "");
  }
  // If the estimate says that it should have started by now, history knows nothing of what holds the slot.
  // Then no estimate is shown.
  if (const auto wait = waiting.estimated_wait_ms(); wait && *wait >= 1'000 && waiting.until_us() == 0) {
    text += "; starts in about " + format_duration(static_cast<TimeUs>(*wait) * kMillisecondUs);
  }
  return text;
}

std::string blocked_by(const view::Waiting& waiting) {
  return starts_next(waiting) ? "" : view::EnumNameWaitsFor(waiting.what());
}

}  // namespace luzia
