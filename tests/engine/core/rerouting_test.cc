// A limit of one agent that many jobs wait for: they go on with another one in bounded groups of the log,
// each once and in order, also over a restart.
#include "engine/core/rerouting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/scenarios/world.h"

namespace luzia {
namespace {

constexpr std::size_t kWaitingJobs = 2 * kMostReroutesAtOnce + 7;

class ManyReroutes : public testing::Test {
 protected:
  ManyReroutes() { world_.capacity = Capacity{1}; }

  static QueueJob job_of_claude(const std::string& id) {
    QueueJob job = simple_job(id);
    job.spec.agent = "claude";
    auto other = std::make_unique<schema::JobSpecT>(job.spec);
    other->agent = "codex";
    job.spec.fallbacks.push_back(std::move(other));
    return job;
  }
  /// One job runs, and all others wait for its slot.
  void queue_all() {
    ASSERT_TRUE(world_.order("a-first", job_of_claude("a-first")));
    std::vector<ToJob> batch;
    for (std::size_t i = 0; i < kWaitingJobs; ++i) {
      const std::string id = "job" + std::to_string(100'000 + i);
      QueueJob job = job_of_claude(id);
      job.priority = i + 1 == kWaitingJobs ? 9 : 5;
      batch.push_back({id, std::move(job)});
    }
    ASSERT_TRUE(world_.submit({}, std::move(batch)));
    ASSERT_TRUE(world_.monitor("a-first", ReportStarted{1, 100, 101, 7, 8}));
    schema::LimitReachedT limit;
    limit.attempt = 1;
    limit.limit = "five_hour";
    limit.resets_us = kHourUs;
    schema::UsageFactUnion usage;
    usage.Set(std::move(limit));
    RecordOutput output{1, 0, 0, {}, {}, {}};
    output.appended.emplace();
    output.appended->attempt = 1;
    output.appended->to = 10;
    output.appended->checkpoint = std::make_unique<schema::CheckpointT>();
    output.appended->checkpoint->scanned_to = 10;
    output.findings.push_back({std::move(usage), {}});
    output.findings.front().evidence.kind = schema::EvidenceKind::inferred;
    ASSERT_TRUE(world_.monitor("a-first", std::move(output)));
  }
  static std::vector<ToJob> end_of_first() {
    RecordExit exit;
    exit.end.attempt = 1;
    exit.end.exit_code = 1;
    std::vector<ToJob> commands;
    commands.push_back({"a-first", std::move(exit)});
    return commands;
  }
  /// Names of the jobs that went on with another agent, group by group, and those that started after the
  /// first.
  void read_log() {
    const auto groups = world_.log().read_from(1);
    while (const auto group = groups->next().value()) {
      std::vector<std::string> moved;
      for (const schema::Event* event : group->events()) {
        const auto* life = event->payload_as_JobEvent();
        if (life == nullptr) continue;
        const std::string job(text(event->stream()).substr(4));
        if (life->fact_as_JobRerouted() != nullptr) moved.push_back(job);
        const auto* starting = life->fact_as_AttemptStarting();
        if (starting == nullptr || (job == "a-first" && starting->attempt() == 1)) continue;
        if (started_.empty()) moved_before_start_ = moved_.size() + moved.size();
        started_.push_back(job);
      }
      if (moved.empty()) continue;
      sizes_.push_back(moved.size());
      moved_.insert(moved_.end(), moved.begin(), moved.end());
    }
  }
  void expect_all_moved_once_in_order() const {
    EXPECT_EQ(moved_.size(), kWaitingJobs + 1);
    EXPECT_EQ(std::ranges::adjacent_find(moved_, std::greater_equal<>()), moved_.end()) << "each once";
    EXPECT_LE(std::ranges::max(sizes_), kMostReroutesAtOnce);
    ASSERT_FALSE(started_.empty());
    EXPECT_EQ(moved_before_start_, kWaitingJobs + 1) << "a job started before all had their agent";
    EXPECT_EQ(started_.front(), "job" + std::to_string(100'000 + kWaitingJobs - 1)) << "the most urgent one";
  }

  World world_;
  std::vector<std::size_t> sizes_;
  std::vector<std::string> moved_, started_;
  std::size_t moved_before_start_ = 0;
};

TEST_F(ManyReroutes, GoInBoundedGroupsBeforeAnyStarts) {
  queue_all();
  ASSERT_TRUE(world_.submit({}, end_of_first()));
  read_log();
  expect_all_moved_once_in_order();
  EXPECT_EQ(sizes_.size(), 3U);
}

TEST_F(ManyReroutes, GoOnAfterARestartInTheirMiddle) {
  queue_all();
  std::optional<Result<Outcome>> reply;
  world_.submit_only({}, end_of_first(), reply);
  world_.turn();
  world_.restart();
  read_log();
  expect_all_moved_once_in_order();
}

}  // namespace
}  // namespace luzia
