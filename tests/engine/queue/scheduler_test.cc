// Which queued jobs start, in what order, and when.
#include "engine/queue/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace luzia {
namespace {

using Names = std::vector<std::string>;

JobState queued_job(const std::string& id, const std::string& project, std::uint8_t priority, Position at,
                    TimeUs not_before = 0) {
  JobState job;
  job.job = id;
  job.spec = std::make_unique<schema::JobSpecT>();
  job.spec->project = project;
  job.state = schema::JobState::queued;
  job.priority = priority;
  job.queued_position = at;
  job.not_before_us = not_before;
  return job;
}

TEST(Scheduler, HigherPriorityThenFirstComeAcrossProjects) {
  Queue queue;
  queue.note(queued_job("a", "red", 5, 1));
  queue.note(queued_job("b", "blue", 5, 2));
  queue.note(queued_job("c", "red", 7, 3));
  queue.note(queued_job("d", "blue", 7, 4));
  EXPECT_EQ(queue.starts({3}, 0), (Names{"c", "d", "a"}));
  EXPECT_EQ(queue.starts({9}, 0), (Names{"c", "d", "a", "b"}));
}

TEST(Scheduler, RunningJobsTakeOfTheCapacity) {
  Queue queue;
  JobState running = queued_job("r", "red", 5, 1);
  queue.note(running);
  running.state = schema::JobState::running;
  queue.note(running);
  queue.note(queued_job("a", "red", 5, 2));
  queue.note(queued_job("b", "red", 5, 3));
  EXPECT_EQ(queue.starts({2}, 0), (Names{"a"}));
  EXPECT_EQ(queue.starts({1}, 0), Names{});
  EXPECT_EQ(queue.queued(), 2U);
  running.state = schema::JobState::completed;
  queue.note(running);
  EXPECT_EQ(queue.starts({2}, 0), (Names{"a", "b"}));
}

TEST(Scheduler, APausedProjectHoldsOnlyItsOwn) {
  Queue queue;
  queue.note(queued_job("a", "red", 9, 1));
  queue.note(queued_job("b", "blue", 1, 2));
  queue.set_paused("red", true);
  EXPECT_EQ(queue.starts({5}, 0), (Names{"b"}));
  queue.set_paused("", true);
  EXPECT_EQ(queue.starts({5}, 0), Names{});
  queue.set_paused("", false);
  queue.set_paused("red", false);
  EXPECT_EQ(queue.starts({5}, 0), (Names{"a", "b"}));
}

TEST(Scheduler, ADelayedJobWaitsForItsTimeAndThenKeepsItsTurn) {
  Queue queue;
  queue.note(queued_job("a", "red", 5, 1, 100));
  queue.note(queued_job("b", "red", 5, 2));
  queue.note(queued_job("c", "red", 5, 3, 200));
  EXPECT_EQ(queue.next_start_time(0), 100);
  EXPECT_EQ(queue.starts({5}, 99), (Names{"b"}));
  EXPECT_EQ(queue.starts({5}, 100), (Names{"a", "b"}));
  EXPECT_EQ(queue.next_start_time(100), 200);
  EXPECT_EQ(queue.starts({5}, 200), (Names{"a", "b", "c"}));
  EXPECT_EQ(queue.next_start_time(200), 0);
}

TEST(Scheduler, AChangeOfTheJobChangesItsPlace) {
  Queue queue;
  JobState job = queued_job("a", "red", 5, 1, 100);
  queue.note(job);
  queue.note(queued_job("b", "red", 6, 2));
  EXPECT_EQ(queue.starts({5}, 150), (Names{"b", "a"}));
  job.not_before_us = 300;
  queue.note(job);
  EXPECT_EQ(queue.starts({5}, 150), (Names{"b"}));
  job.priority = 9;
  job.not_before_us = 0;
  queue.note(job);
  EXPECT_EQ(queue.starts({5}, 150), (Names{"a", "b"}));
  job.held = true;
  queue.note(job);
  EXPECT_EQ(queue.starts({5}, 150), (Names{"b"}));
  job.held = false;
  job.after = {"b"};
  queue.note(job);
  EXPECT_EQ(queue.starts({5}, 150), (Names{"b"}));
}

TEST(Scheduler, AgreesWithSortingEverythingWhateverHappens) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Queue queue;
  std::map<std::string, JobState> jobs;
  std::set<std::string> paused;
  for (TimeUs now = 1; now < 3000; ++now) {
    const std::string id = std::to_string(pick(60));
    JobState job = queued_job(id, std::to_string(pick(4)), static_cast<std::uint8_t>(pick(10)),
                              static_cast<Position>(now), pick(3) == 0 ? now + pick(40) : 0);
    job.held = pick(5) == 0;
    if (pick(4) == 0) job.state = schema::JobState::completed;
    queue.note(job);
    jobs.insert_or_assign(id, std::move(job));
    const std::string project = std::to_string(pick(4));
    const bool pause = pick(2) == 0;
    queue.set_paused(project, pause);
    if (pause) {
      paused.insert(project);
    } else {
      paused.erase(project);
    }
    std::vector<const JobState*> expected;
    for (const auto& [name, each] : jobs) {
      if (each.state == schema::JobState::queued && !each.held && each.not_before_us <= now &&
          !paused.contains(each.spec->project))
        expected.push_back(&each);
    }
    std::ranges::sort(expected, [](const JobState* a, const JobState* b) {
      return std::pair(-a->priority, a->queued_position) < std::pair(-b->priority, b->queued_position);
    });
    Names names;
    for (const JobState* each : expected) names.push_back(each->job);
    ASSERT_EQ(queue.starts({1000}, now), names) << "at step " << now;
  }
}

}  // namespace
}  // namespace luzia
