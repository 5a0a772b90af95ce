#include "projections/rows/attention.h"

#include <fmt/format.h>

#include "projections/rows/json.h"
#include "projections/rows/json_writer.h"
#include "projections/rows/row_tables.h"

namespace luzia {
namespace {

enum Place : std::size_t { kNeedsInput, kWorking, kQueued, kParked, kEnded };

Place place_of(schema::JobState state) {
  using schema::JobState;
  switch (state) {
    case JobState::waiting:
      return kNeedsInput;
    case JobState::starting:
    case JobState::running:
      return kWorking;
    case JobState::none:
    case JobState::queued:
      return kQueued;
    case JobState::parked:
      return kParked;
    case JobState::completed:
    case JobState::failed:
    case JobState::killed:
    case JobState::timed_out:
    case JobState::lost:
      break;
  }
  return kEnded;
}

}  // namespace

std::vector<AttentionGroup> group_by_attention(const std::vector<const view::Job*>& jobs) {
  std::vector<AttentionGroup> groups = {{"needs_input", "Needs input", Colour::yellow, {}},
                                        {"working", "Working", Colour::green, {}},
                                        {"queued", "Queued", Colour::blue, {}},
                                        {"parked", "Parked", Colour::cyan, {}},
                                        {"ended", "Ended", Colour::dim, {}}};
  for (const view::Job* job : jobs) groups[place_of(job->state())].jobs.push_back(job);
  return groups;
}

std::string status_json(const std::vector<AttentionGroup>& groups, TimeUs now, Position position) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.key("time");
  json.text(format_rfc3339(now));
  json.key("time_us");
  json.number(now);
  json.key("position");
  json.number(position);
  json.key("counts");
  json.begin_object();
  for (const AttentionGroup& group : groups) {
    json.key(group.key);
    json.number(group.jobs.size());
  }
  json.end_object();
  for (const AttentionGroup& group : groups) {
    json.key(group.key);
    json.begin_array();
    for (const view::Job* job : group.jobs) json.raw(job_json(*job, now));
    json.end_array();
  }
  json.end_object();
  return out;
}

std::string status_text(const std::vector<AttentionGroup>& groups, TimeUs now, const TableStyle& style) {
  std::string out;
  for (const AttentionGroup& group : groups) {
    if (group.jobs.empty()) continue;
    if (!out.empty()) out += '\n';
    out += coloured(fmt::format("{} ({})", group.title, group.jobs.size()), group.colour, style.colour);
    out += '\n';
    out += jobs_table(group.jobs, now).text(style);
  }
  return out;
}

}  // namespace luzia
