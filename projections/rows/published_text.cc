#include "projections/rows/published_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "engine/base/counted.h"
#include "engine/base/joined_names.h"
#include "engine/base/time.h"
#include "engine/event/event.h"
#include "engine/event/job_state.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

std::string joined_words(std::initializer_list<std::string> parts, std::string_view separator) {
  std::string all;
  for (const std::string& part : parts) {
    if (!part.empty()) all.append(all.empty() ? "" : separator).append(part);
  }
  return all;
}

/// "about 45s left of 1m30s"
std::string time_words(const view::Reported& said) {
  const std::string whole =
      said.estimated_seconds() > 0 ? seconds_text(said.estimated_seconds()) : std::string();
  const auto left = said.remaining_seconds();
  if (!left) return whole.empty() ? whole : "takes about " + whole;
  return "about " + seconds_text(*left) + " left" + (whole.empty() ? "" : " of " + whole);
}

std::string place_words(const view::Reported& said) {
  const std::string place = published_place(said);
  const std::string because(text(said.reason()));
  return joined_words({place.empty() ? place : "waits " + place, because}, ": ");
}

}  // namespace

std::string seconds_text(double seconds) {
  constexpr double kMost = 1e9;  // some 30 years
  return format_duration(static_cast<TimeUs>(std::clamp(seconds, 0.0, kMost) * 1e6));
}

std::string published_place(const view::Reported& said) {
  const std::string ahead = joined_names(said.queue_ahead());
  const std::string position =
      said.queue_position() > 0 ? fmt::format("at position {}", said.queue_position()) : std::string();
  const std::string place = joined_words({position, ahead.empty() ? ahead : "after " + ahead}, " ");
  const std::string wait =
      said.estimated_wait_seconds() > 0 ? "for about " + seconds_text(said.estimated_wait_seconds()) : "";
  return joined_words({place, wait}, ", ");
}

std::string published_result(const view::Job& job) {
  const bool is_judged = job.verdict() != schema::Verdict::none;
  if (!is_judged && job.findings_count() == 0 && job.recommendations_count() == 0) return {};
  return fmt::format("{}, {}, {}", is_judged ? verdict_name(job.verdict()) : "none",
                     counted(job.findings_count(), "finding"),
                     counted(job.recommendations_count(), "recommendation"));
}

std::string published_alert(const view::Reported& said) {
  const std::string alert(text(said.alert()));
  return alert.empty() ? alert : fmt::format("{} ({})", alert, severity_name(said.alert_severity()));
}

std::string published_line(const view::Job& job) {
  const std::string result = published_result(job);
  const std::string verdict = result.empty() ? result : "verdict " + result;
  const auto* said = job.reported();
  if (said == nullptr) return verdict;
  // A tracked task has no other words than these.
  const bool is_task = text(said->description()) == text(job.task());
  const std::string about(is_task ? std::string_view() : text(said->description()));
  if (is_terminal(job.state())) return joined_words({about, published_alert(*said), verdict}, "; ");
  return joined_words({about, time_words(*said), place_words(*said), published_alert(*said),
                       std::string(text(said->recommendation())), verdict},
                      "; ");
}

}  // namespace luzia
