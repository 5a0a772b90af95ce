#include "tools/luziad/upkeep/removal_texts.h"

#include <algorithm>
#include <set>

#include "engine/flow/flow.h"
#include "engine/log/event_texts.h"
#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {
namespace {

using Places = std::set<std::pair<Position, std::uint32_t>>;

/// Whether a text in the flow came from this job.
bool is_output_of(const schema::Event& event, const std::string& job) {
  const auto* flow = event.payload_as_FlowEvent();
  const auto* ended = flow != nullptr ? flow->fact_as_StepEnded() : nullptr;
  return ended != nullptr && text(ended->job()) == job;
}

}  // namespace

Result<JobTexts> texts_of_job(const ViewReader& rows, const EventLog& log, const JobState& job) {
  JobTexts texts;
  Places erased;
  std::vector<std::pair<TextPlace, std::uint64_t>> all;
  const auto take = [&](const schema::Event& event) {
    for (const schema::BlobRef* text : texts_of(event)) {
      all.push_back({{event.position(), text->index()}, text->size()});
    }
    const auto* system = event.payload_as_SystemEvent();
    if (const auto* fact = system != nullptr ? system->fact_as_BlobErased() : nullptr) {
      if (erased.emplace(fact->position(), fact->index()).second) {
        texts.erased.push_back({fact->position(), fact->index()});
      }
    }
    return true;
  };
  Status read = visit_events(log, stream_positions(rows, "job/" + job.job),
                             [&](const schema::Event& event, Bytes) { return take(event); });
  if (read && job.spec && !job.spec->flow.empty()) {
    read = visit_events(
        log, stream_positions(rows, flow_stream(job.spec->flow)),
        [&](const schema::Event& event, Bytes) { return !is_output_of(event, job.job) || take(event); });
  }
  if (read) read = rows.status();
  if (!read) return tl::unexpected(read.error());
  for (const auto& [place, bytes] : all) {
    if (erased.contains({place.event, place.index})) continue;
    texts.left.push_back(place);
    texts.left_bytes += bytes;
  }
  return texts;
}

}  // namespace luzia
