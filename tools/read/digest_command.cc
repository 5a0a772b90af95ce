// digest: what happened in a span of time, such as a night, and what to do about it.
#include "engine/base/try.h"
#include "projections/rows/digest.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/overview.h"

namespace luzia {
namespace {

constexpr TimeUs kNight = 12 * kHourUs;

Result<int> run_digest(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const Overview overview =
      LUZIA_TRY(ask_overview(*source, digest_query(session.query(wire::View::overview))));
  wire::QueryT agents = session.query(wire::View::agent_limits);
  agents.filter->since_us = 0;
  const auto limits = LUZIA_TRY(collect_pages(*source, agents, 0));
  wire::QueryT times = session.query(wire::View::durations);
  times.filter->since_us = 0;
  const auto durations = LUZIA_TRY(collect_pages(*source, times, 0));
  DigestSource digest;
  digest.now = LUZIA_TRY(session.seen_until());
  const TimeUs since = session.options().filter.since_us;
  digest.since = since != 0 ? since : digest.now - kNight;
  take_overview(overview, digest);
  digest.parked_agents = LUZIA_TRY(rows_of<view::AgentLimit>(limits));
  digest.durations = LUZIA_TRY(rows_of<view::Durations>(durations));
  Console& console = session.console();
  if (session.options().format == Format::json) {
    LUZIA_TRY(console.write_line(digest_json(digest)));
    return 0;
  }
  ShownRows shown(session, jobs_of_rows(overview.jobs));
  const std::string text = digest_text(digest, shown.style());
  shown.keep();
  LUZIA_TRY(console.write(text));
  report_place(session, overview.page);
  return 0;
}

constexpr Option kDigestOptions[] = {
    {"--since", ValueKind::moment, "TIME", "from then on (default: the last 12 hours): 22:00, yesterday, 8h"},
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kAtOption};

}  // namespace

const Command kDigestCommand = {
    "digest",
    "Look",
    "[--since TIME] [filters] [--at TIME]",
    "sum up a night: what ended, what waits for you, what looks odd",
    "Jobs count if they ended since then. Not as usual: a run of more than three times the median of its "
    "project and agent, further attempts, and a job that took more than half of the cost.",
    "luzia digest --since 22:00\n"
    "luzia digest --since 22:00 --project web --json\n"
    "luzia digest --since yesterday --at 08:00",
    kDigestOptions,
    {},
    reading<run_digest>,
    kNeedsStore,
    "it sums up everything since a moment: luzia jobs lists single jobs"};

}  // namespace luzia
