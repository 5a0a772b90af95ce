#include "projections/past_views.h"

#include <algorithm>

#include "engine/base/cancelled.h"
#include "projections/alerts.h"
#include "projections/clock_stretches.h"
#include "projections/devices.h"
#include "projections/flows.h"
#include "projections/jobs.h"
#include "projections/learning.h"
#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/registry.h"
#include "projections/schedules.h"
#include "projections/stream_events.h"
#include "projections/streams.h"
#include "projections/todos.h"

namespace luzia {
namespace {

/// The projections that queries of the past need. Streams and command ids are looked up in the present.
const ProjectionRegistry& past_projections() {
  static const ProjectionRegistry past = {
      make_live_jobs_projection, make_queue_projection,   make_alerts_projection,
      make_flows_projection,     make_jobs_projection,    make_learning_projection,
      make_todos_projection,     make_devices_projection, make_schedules_projection};
  return past;
}

}  // namespace

Result<PastViews> PastViews::fold_all(const EventLog& log, Position at, const std::stop_token& stop,
                                      FoldThreads threads) {
  PastViews past;
  past.store_ = std::make_unique<OverlayStore>();
  LUZIA_TRY(catch_up(log, past_projections(), *past.store_, at, {}, stop, threads));
  past.rows_ = past.store_->snapshot();
  return past;
}

Result<PastViews> PastViews::fold_on(const EventLog& log, std::shared_ptr<const ViewReader> earlier,
                                     Position at, const std::stop_token& stop, FoldThreads threads) {
  PastViews past;
  past.store_ = std::make_unique<OverlayStore>(std::move(earlier));
  // With all projections, as the rows were written: with fewer, they would count as rows of another program.
  LUZIA_TRY(catch_up(log, all_projections(), *past.store_, at, {}, stop, threads));
  past.rows_ = past.store_->snapshot();
  return past;
}

Result<PastViews> PastViews::fold_jobs(const EventLog& log, const ViewReader& present,
                                       const std::vector<std::string>& jobs, Position at) {
  std::vector<std::string> streams;
  for (const std::string& job : jobs) streams.push_back("job/" + job);
  return fold_streams(log, present, streams, at);
}

Result<PastViews> PastViews::fold_flow(const EventLog& log, const ViewReader& present,
                                       const std::string& flow, Position at) {
  std::vector<std::string> streams = {flow_stream(flow)};
  const auto state = find_flow_state(present, flow);
  if (state) {
    for (const auto& step : state->steps) {
      for (const std::string& job : step->jobs) streams.push_back("job/" + job);
    }
  }
  return fold_streams(log, present, streams, at);
}

Result<PastViews> PastViews::fold_streams(const EventLog& log, const ViewReader& present,
                                          const std::vector<std::string>& streams, Position at) {
  std::vector<Position> positions;
  for (const std::string& stream : streams) {
    const auto of_stream = stream_positions(present, stream);
    positions.insert(positions.end(), of_stream.begin(),
                     std::upper_bound(of_stream.begin(), of_stream.end(), at));
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());

  PastViews past;
  past.store_ = std::make_unique<OverlayStore>();
  Fold fold(past_projections(), *past.store_);
  Status read = visit_events(log, positions, [&](const schema::Event& event, Bytes) {
    fold.apply_event(event);
    return true;
  });
  if (read) read = fold.flush();
  if (!read) return tl::unexpected(read.error());
  past.rows_ = past.store_->snapshot();
  return past;
}

Status prepare_past(PastRows& past, const EventLog& log, const ViewReader& present, const wire::QueryT& query,
                    const EarlierRows& earlier, const std::stop_token& stop, FoldThreads threads) {
  const bool of_events = query.view == wire::View::events || query.view == wire::View::why;
  const bool of_some = !query.id.empty() || (query.filter && !query.filter->jobs.empty());
  const bool of_past = query.at_position != 0 || query.at_time_us != 0;
  if (!of_past || of_events || of_some || query.at_position > log.tip().position) return {};
  const auto at = LUZIA_TRY(query.at_position != 0 ? Result<Position>(query.at_position)
                                                   : position_at_time(log, present, query.at_time_us));
  if (past.views && past.at == at) return {};
  auto rows = earlier(at);
  if (!rows) return {};
  auto folded = LUZIA_TRY(PastViews::fold_on(log, std::move(rows), at, stop, threads));
  past = {at, std::make_shared<const PastViews>(std::move(folded))};
  return {};
}

Result<std::vector<std::string>> verify_views(const EventLog& log, const ProjectionRegistry& registry,
                                              const ViewReader& live, ViewStore* scratch,
                                              const std::function<void(FoldProgress)>& progress,
                                              const std::stop_token& stop) {
  const auto matches = LUZIA_TRY(cursor_matches(log, live.cursor()));
  if (!matches) {
    return std::vector<std::string>{"the rows are of another log: no group of this one ends at position " +
                                    std::to_string(live.cursor().position) + " with their chain hash"};
  }
  OverlayStore memory;
  ViewStore& store = scratch ? *scratch : memory;
  LUZIA_TRY(catch_up(log, registry, store, live.cursor().position, progress, stop));
  const auto replayed = store.snapshot();
  std::vector<std::string> differences = compare_rows(live, *replayed, stop);
  if (stop.stop_requested()) return cancelled("comparing rows with their replay");
  LUZIA_TRY(live.status());
  for (std::string& line : differences) line.insert(0, "live rows (left) and replayed rows (right): ");
  return differences;
}

}  // namespace luzia
