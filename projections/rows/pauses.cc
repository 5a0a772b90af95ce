#include "projections/rows/pauses.h"

#include "engine/base/local_time.h"
#include "engine/event/event.h"
#include "projections/rows/json_object.h"

namespace luzia {

namespace {

std::string since_text(TimeUs moment, TimeUs now) {
  constexpr std::size_t kDate = 10;
  std::string since = local_time(moment, TimePart::minute);
  if (since.substr(0, kDate) == local_time(now).substr(0, kDate)) since.erase(0, kDate + 1);
  return since;
}

/// " draining since 14:05+01:00 (update)"; empty: no drain.
std::string draining_text(const view::QueueSwitch& pause, TimeUs now) {
  if (!pause.draining()) return {};
  std::string words = " draining since " + since_text(pause.draining_since_us(), now);
  const std::string_view note = text(pause.draining_note());
  if (!note.empty()) words.append(" (").append(note).append(")");
  return words;
}

}  // namespace

std::string pause_text(const view::QueueSwitch& pause, TimeUs now) {
  const std::string_view project = text(pause.scope());
  const std::string_view note = text(pause.note());
  std::string words = project.empty() ? "queue" : "project " + std::string(project);
  const std::string draining = draining_text(pause, now);
  if (!draining.empty() && !pause.paused()) return words + draining;
  // The row of a breaker has no start time; its note says why and until when.
  words += pause.since_us() == 0 ? " stopped" : " paused since " + since_text(pause.since_us(), now);
  if (!note.empty()) words.append(" (").append(note).append(")");
  return draining.empty() ? words : words + "," + draining;
}

std::string pause_json(const view::QueueSwitch& pause) {
  JsonObject json;
  json.text("scope", text(pause.scope()).empty() ? "queue" : "project");
  json.text_or_null("project", text(pause.scope()));
  json.boolean("draining", pause.draining());
  // If the queue is both paused and draining, shows the pause, which outlasts the drain.
  const bool drains_only = pause.draining() && !pause.paused();
  const TimeUs since = drains_only ? pause.draining_since_us() : pause.since_us();
  json.text_or_null("note", text(drains_only ? pause.draining_note() : pause.note()));
  json.time("since", "since_us", since);
  return json.take();
}

std::string pauses_json(const std::vector<const view::QueueSwitch*>& pauses) {
  std::string out = "[";
  for (const view::QueueSwitch* pause : pauses) {
    if (out.size() > 1) out += ',';
    out += pause_json(*pause);
  }
  return out + "]";
}

}  // namespace luzia
