#include "tools/luziad/hooks/digest_notice.h"

#include <algorithm>

#include "engine/base/try.h"
#include "projections/hooks.h"
#include "projections/query.h"
#include "projections/rows/digest.h"
#include "projections/rows/json_object.h"
#include "projections/stream_events.h"

namespace luzia {
namespace {

/// Of each kind, in the JSON.
constexpr std::size_t kMostJobsOfDigest = 50;
/// Columns of a window of a chat or of mail.
constexpr std::size_t kDigestWidth = 80;

wire::QueryT query_of(wire::View view, const std::vector<std::string>& projects) {
  wire::QueryT query;
  query.view = view;
  query.limit = kMaxLimit;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->projects = projects;
  return query;
}

/// An agent's limit belongs to no project: whoever hears of some projects only hears of their agents.
void keep_own_agents(DigestSource& source) {
  std::erase_if(source.parked_agents, [&source](const view::AgentLimit* limit) {
    return std::ranges::none_of(
        source.jobs, [limit](const view::Job* job) { return text(job->agent()) == text(limit->agent()); });
  });
}

/// With as many rows of each table as fit.
std::string bounded_text(const DigestSource& source, std::size_t most_bytes) {
  std::string words;
  for (const std::size_t rows : {50U, 20U, 10U, 5U, 3U, 2U, 1U, 0U}) {
    words = digest_text(source, {.width = kDigestWidth}, rows);
    if (words.size() <= most_bytes) break;
  }
  return words;
}

void set_text(const std::string& words, Notice& notice) {
  constexpr std::string_view kName = "LUZIA_TEXT=";
  std::erase_if(notice.variables, [=](const std::string& each) { return each.starts_with(kName); });
  notice.variables.push_back(std::string(kName) + words);
}

}  // namespace

Result<bool> write_digest(const DigestSpan& span, const DigestReader& reader, const EventLog& log,
                          const ViewReader& rows, Notice& notice) {
  QuerySources sources{log, {}, {}};
  sources.now = span.now;
  sources.threads = FoldThreads::one;
  const wire::QueryT jobs = digest_query(query_of(wire::View::overview, reader.projects));
  auto page = LUZIA_TRY(run_query(rows, sources, jobs));
  const Overview overview = LUZIA_TRY(overview_of(std::move(page), jobs));
  const auto limits = LUZIA_TRY(run_query(rows, sources, query_of(wire::View::agent_limits, {})));
  const auto durations =
      LUZIA_TRY(run_query(rows, sources, query_of(wire::View::durations, reader.projects)));
  DigestSource source;
  source.since = span.since;
  source.now = span.now;
  source.after = span.after;
  source.last = span.last;
  take_overview(overview, source);
  source.parked_agents = LUZIA_TRY(rows_of<view::AgentLimit>(limits));
  source.durations = LUZIA_TRY(rows_of<view::Durations>(durations));
  if (!reader.projects.empty()) keep_own_agents(source);
  const std::string summary = digest_summary(source);
  notice.text = bounded_text(source, reader.most_bytes);
  JsonObject words;
  words.text("text", notice.text);
  notice.json.pop_back();
  notice.json += ",\"digest\":" + digest_json(source, kMostJobsOfDigest) + "," + words.take().substr(1);
  set_text(summary.empty() ? "nothing happened" : summary, notice);
  return !summary.empty();
}

Result<DigestSpan> span_since(const EventLog& log, const view::HookCursorT& queue, Position told,
                              TimeUs now) {
  if (told == 0) {
    const TimeUs day_before = now - kDayUs;
    return DigestSpan{queue.registered_us == 0 ? day_before : std::min(day_before, queue.registered_us), now};
  }
  DigestSpan span{now, now, told};
  LUZIA_TRY(visit_events(log, {told}, [&span, now](const schema::Event& event, Bytes) {
    span.since = std::min(event.time_us(), now);
    return true;
  }));
  return span;
}

view::HookCursorT digest_cursor(const ViewReader& rows, const std::string& hook) {
  auto known = hook_cursors(rows);
  const auto row = std::ranges::find(known, hook, &view::HookCursorT::hook);
  return row == known.end() ? view::HookCursorT() : std::move(*row);
}

}  // namespace luzia
