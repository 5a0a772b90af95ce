// Pages of events: history, and the events that explain a job.
#include <algorithm>
#include <deque>
#include <iterator>

#include "engine/flow/flow.h"
#include "projections/clock_stretches.h"
#include "projections/query_pages.h"
#include "projections/rows/event_text.h"
#include "projections/stream_events.h"
#include "projections/streams.h"

namespace luzia {
namespace {

/// Bounds the work for one page: a rare match in a long log must not block the daemon.
constexpr std::size_t kLookedAtPerPage = 100'000;

class EventsPage {
 public:
  EventsPage(const QueryRun& run, const QueryFilter& filter)
      : filter_(filter), subjects_(run.rows, filter), limit_(page_limit(run.query)), at_(run.at) {
    page_.type = wire::RowType::event;
    page_.position = run.at;
  }

  /// False: the page is complete.
  bool offer(const schema::Event& event, Bytes encoded) {
    if (event.position() > at_) return false;
    if (page_.rows.size() == limit_ || bytes_ > kPageBytes || ++looked_at_ > kLookedAtPerPage) {
      page_.next = std::to_string(last_);
      return false;
    }
    last_ = event.position();
    if (!filter_.takes_time(event.time_us()) || !subjects_.takes_stream(text(event.stream()))) return true;
    bytes_ += encoded.size();
    page_.rows.emplace_back(as_text(encoded));
    return true;
  }
  RowPage take() { return std::move(page_); }

 private:
  const QueryFilter& filter_;
  SubjectFilter subjects_;
  std::size_t limit_;
  Position at_;
  Position last_ = 0;
  std::size_t bytes_ = 0, looked_at_ = 0;
  RowPage page_;
};

/// False: the page is complete.
Result<bool> offer_range(EventsPage& page, const EventLog& log, PositionRange range) {
  const auto groups = log.read_from(std::max(range.after, log.base().position) + 1);
  while (true) {
    const auto group = LUZIA_TRY(groups->next());
    if (!group) return true;
    for (std::size_t i = 0; i < group->events().size(); ++i) {
      const schema::Event& event = *group->events()[i];
      if (event.position() > range.last) return true;
      if (event.position() > range.after && !page.offer(event, group->event_bytes(i))) return false;
    }
  }
}

Status offer_log(EventsPage& page, const EventLog& log, const std::vector<PositionRange>& ranges) {
  for (const PositionRange& range : ranges) {
    const auto wants_more = LUZIA_TRY(offer_range(page, log, range));
    if (!wants_more) break;
  }
  return {};
}

std::vector<std::string> streams_of(const std::vector<std::string>& jobs) {
  std::vector<std::string> streams;
  for (const std::string& job : jobs) streams.push_back("job/" + job);
  return streams;
}

/// Positions of the events of these streams between `after` and `at`, ascending.
std::vector<Position> positions_of(const ViewReader& rows, const std::vector<std::string>& streams,
                                   Position after, Position at) {
  std::vector<Position> positions;
  for (const std::string& stream : streams) {
    const auto of_stream = stream_positions(rows, stream);
    positions.insert(positions.end(), std::upper_bound(of_stream.begin(), of_stream.end(), after),
                     std::upper_bound(of_stream.begin(), of_stream.end(), at));
  }
  std::sort(positions.begin(), positions.end());
  return positions;
}

/// Ranges that contain the page's events, without other times as far as that is cheap.
Result<std::vector<PositionRange>> ranges_of(const QueryRun& run, const QueryFilter& filter,
                                             Position cursor) {
  if (filter.since() <= 0) return std::vector<PositionRange>{{cursor, run.at}};
  return positions_since(run.sources.log, run.rows, filter.since(), cursor, run.at);
}

/// What `why` shows of a job: its explaining events, and the positions of their causes in other streams.
/// Keeps the whole lifecycle, and the last `limit` of the rest (warnings).
struct Explanation {
  struct Told {
    Position position;
    TimeUs time;
    std::string encoded;
    auto operator<=>(const Told& other) const { return position <=> other.position; }
  };
  std::vector<Told> life;
  std::deque<Told> rest;
  std::vector<Position> causes;  // ascending
};

Result<Explanation> explain(const EventLog& log, const std::vector<Position>& positions, std::size_t limit) {
  Explanation found;
  Status read = visit_events(log, positions, [&](const schema::Event& event, Bytes encoded) {
    if (!explains_state(event)) return true;
    Explanation::Told told{event.position(), event.time_us(), std::string(as_text(encoded))};
    if (event.payload_type() == schema::Payload::JobEvent) {
      found.life.push_back(std::move(told));
    } else {
      found.rest.push_back(std::move(told));
      if (found.rest.size() > limit) found.rest.pop_front();
    }
    const bool elsewhere = !std::binary_search(positions.begin(), positions.end(), event.cause());
    if (event.cause() != 0 && elsewhere) found.causes.push_back(event.cause());
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  std::sort(found.causes.begin(), found.causes.end());
  found.causes.erase(std::unique(found.causes.begin(), found.causes.end()), found.causes.end());
  return found;
}

}  // namespace

Result<RowPage> events_page(const QueryRun& run) {
  auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  filter.take_removed();  // events of removed jobs stay visible
  const auto cursor = LUZIA_TRY(cursor_number(run.query.cursor));
  std::vector<std::string> streams = streams_of(filter.jobs());
  if (!run.query.id.empty()) {
    const auto flow = LUZIA_TRY(resolve_flow(run.rows, run.query.id, run.sources.may_see));
    streams.push_back(flow_stream(flow));
  }
  EventsPage page(run, filter);
  Status read;
  if (streams.empty()) {
    const auto ranges = LUZIA_TRY(ranges_of(run, filter, cursor));
    read = offer_log(page, run.sources.log, ranges);
  } else {
    read =
        visit_events(run.sources.log, positions_of(run.rows, streams, cursor, run.at),
                     [&](const schema::Event& event, Bytes encoded) { return page.offer(event, encoded); });
  }
  if (!read) return tl::unexpected(read.error());
  return page.take();
}

Result<RowPage> why_page(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  if (filter.jobs().size() != 1) {
    return fail(ErrorKind::usage, "one_job", "why explains one job", "name the job: luzia why JOB");
  }
  const std::size_t limit = page_limit(run.query, kMaxLimit);
  auto found = LUZIA_TRY(
      explain(run.sources.log, positions_of(run.rows, streams_of(filter.jobs()), 0, run.at), limit));
  // Shows the lifecycle and the causes completely, and the latest of the rest up to `limit` in total.
  std::vector<Explanation::Told> shown = std::move(found.life);
  const std::size_t room = limit - std::min(limit, shown.size() + found.causes.size());
  const std::size_t told = std::min(room, found.rest.size());
  std::move(found.rest.end() - static_cast<std::ptrdiff_t>(told), found.rest.end(),
            std::back_inserter(shown));
  Status read = visit_events(run.sources.log, found.causes, [&](const schema::Event& event, Bytes encoded) {
    const bool seen =
        !run.sources.may_see || run.sources.may_see(project_of_stream(run.rows, text(event.stream())));
    if (seen) shown.push_back({event.position(), event.time_us(), std::string(as_text(encoded))});
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  std::sort(shown.begin(), shown.end());

  RowPage page{wire::RowType::event, {}, {}, run.at};
  for (Explanation::Told& each : shown) {
    if (filter.takes_time(each.time)) page.rows.push_back(std::move(each.encoded));
  }
  return page;
}

}  // namespace luzia
