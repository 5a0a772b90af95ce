// What happened in a span of time, for the morning after: what ended and how, what waits for a person, what
// was used, and what looks odd. As JSON and for people. Any thread.
#pragma once

#include <string>
#include <vector>

#include "projections/rows/overview.h"

namespace luzia {

/// What a digest is made of. The rows must outlive it.
struct DigestSource {
  TimeUs since = 0, now = 0;
  // Of a series of digests: only ends recorded from after `after` up to `last` count, even if they were
  // noticed long after they happened. 0: no such bound.
  Position after = 0, last = 0;
  std::vector<const view::Job*> jobs;  // live ones, and those that ended since
  bool is_cut = false;                 // earlier ends of that time are not among them
  StatusNotes notes;
  std::vector<const view::AgentLimit*> parked_agents;
  std::vector<const view::Durations*> durations;  // of everything that ever ran
  Position position = 0;
};

/// What to ask for the jobs of a digest: `query`, of view overview. Its filter's times are not used, because
/// jobs count by when they ended, not by when they were queued.
wire::QueryT digest_query(wire::QueryT query);
/// Takes the answer. `source.since` is set.
void take_overview(const Overview& overview, DigestSource& source);

/// Something about one job that is not as usual, in words. Not made harmless.
struct Oddity {
  const view::Job* job;
  std::string what;
};
/// Runs that took more than three times the median of their project and agent (and five minutes more),
/// further attempts, and a job that took more than half of all cost. In the order of `jobs`.
std::vector<Oddity> oddities(const DigestSource& source);

/// {"since","since_us","until","until_us","is_cut","counts":{"completed","proved","refuted","failed",
/// "stopped","waiting","working","parked","queued"},"usage":{"cost_usd","tokens","run_s"},"waiting":[{"job",
/// "asks"}],"failed":[jobs],"completed":[jobs],"parked_agents":[{"agent","limit","until"}],"odd":[{"job",
/// "what"}],"position"}. Each list has at most the first `most` entries.
std::string digest_json(const DigestSource& source, std::size_t most = ~std::size_t{0});

/// A summary, then a table for each group that has jobs, and the commands that go on. Each table has at most
/// the first `most` rows, and says how many are left out.
std::string digest_text(const DigestSource& source, const TableStyle& style,
                        std::size_t most = ~std::size_t{0});

/// "2 completed (1 proved), 1 failed"; empty: nothing happened, and nothing is left to do.
std::string digest_summary(const DigestSource& source);

}  // namespace luzia
