// Which queued jobs start, in what order, and when.
#include "engine/queue/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>

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

Names started(Queue& queue, Capacity capacity, TimeUs now) {
  queue.set_capacity(std::move(capacity));
  return queue.starts(now);
}

TEST(Scheduler, HigherPriorityThenFirstComeAcrossProjects) {
  Queue queue;
  queue.note(queued_job("a", "red", 5, 1));
  queue.note(queued_job("b", "blue", 5, 2));
  queue.note(queued_job("c", "red", 7, 3));
  queue.note(queued_job("d", "blue", 7, 4));
  EXPECT_EQ(started(queue, {3}, 0), (Names{"c", "d", "a"}));
  EXPECT_EQ(started(queue, {9}, 0), (Names{"c", "d", "a", "b"}));
}

TEST(Scheduler, RunningJobsTakeSlots) {
  Queue queue;
  JobState running = queued_job("r", "red", 5, 1);
  queue.note(running);
  running.state = schema::JobState::running;
  queue.note(running);
  queue.note(queued_job("a", "red", 5, 2));
  queue.note(queued_job("b", "red", 5, 3));
  EXPECT_EQ(started(queue, {2}, 0), (Names{"a"}));
  EXPECT_EQ(started(queue, {1}, 0), Names{});
  EXPECT_EQ(queue.queued(), 2U);
  running.state = schema::JobState::completed;
  queue.note(running);
  EXPECT_EQ(started(queue, {2}, 0), (Names{"a", "b"}));
}

TEST(Scheduler, PausedProjectHoldsOnlyItsOwnJobs) {
  Queue queue;
  queue.note(queued_job("a", "red", 9, 1));
  queue.note(queued_job("b", "blue", 1, 2));
  queue.stops().set_paused("red", true);
  EXPECT_EQ(started(queue, {5}, 0), (Names{"b"}));
  queue.stops().set_paused("", true);
  EXPECT_EQ(started(queue, {5}, 0), Names{});
  queue.stops().set_paused("", false);
  queue.stops().set_paused("red", false);
  EXPECT_EQ(started(queue, {5}, 0), (Names{"a", "b"}));
}

TEST(Scheduler, DelayedJobKeepsItsTurn) {
  Queue queue;
  queue.note(queued_job("a", "red", 5, 1, 100));
  queue.note(queued_job("b", "red", 5, 2));
  queue.note(queued_job("c", "red", 5, 3, 200));
  EXPECT_EQ(queue.next_start_time(0), 100);
  EXPECT_EQ(started(queue, {5}, 99), (Names{"b"}));
  EXPECT_EQ(started(queue, {5}, 100), (Names{"a", "b"}));
  EXPECT_EQ(queue.next_start_time(100), 200);
  EXPECT_EQ(started(queue, {5}, 200), (Names{"a", "b", "c"}));
  EXPECT_EQ(queue.next_start_time(200), 0);
}

TEST(Scheduler, ChangedJobIsReordered) {
  Queue queue;
  JobState job = queued_job("a", "red", 5, 1, 100);
  queue.note(job);
  queue.note(queued_job("b", "red", 6, 2));
  EXPECT_EQ(started(queue, {5}, 150), (Names{"b", "a"}));
  job.not_before_us = 300;
  queue.note(job);
  EXPECT_EQ(started(queue, {5}, 150), (Names{"b"}));
  job.priority = 9;
  job.not_before_us = 0;
  queue.note(job);
  EXPECT_EQ(started(queue, {5}, 150), (Names{"a", "b"}));
  job.held = true;
  queue.note(job);
  EXPECT_EQ(started(queue, {5}, 150), (Names{"b"}));
  job.held = false;
  job.after = {"b"};
  queue.note(job);
  EXPECT_EQ(started(queue, {5}, 150), (Names{"b"}));
}

/// A second, simple implementation of the same rules: sort everything after every start.
class PlainQueue {
 public:
  PlainQueue(const std::map<std::string, JobState>& jobs, const Capacity& capacity,
             const std::set<std::string>& paused, TimeUs now)
      : capacity_(capacity), paused_(paused), now_(now) {
    for (const auto& [id, job] : jobs) {
      const bool waits = job.state == schema::JobState::waiting && capacity.waiting_holds_slot;
      if (job.state == schema::JobState::running || waits) running_.push_back(&job);
      if (job.state == schema::JobState::queued && !job.held && job.not_before_us <= now)
        waiting_.push_back(&job);
    }
  }
  Names starts() {
    Names names;
    while (capacity_.closed.empty() && running_.size() < capacity_.max_running) {
      std::erase_if(waiting_, [this](const JobState* job) { return !may_start(*job); });
      if (waiting_.empty()) break;
      const auto first = std::ranges::min_element(waiting_, {}, [this](const JobState* job) {
        return std::tuple(-level(*job), load(job->spec->project), job->queued_position);
      });
      names.push_back((*first)->job);
      running_.push_back(*first);
      waiting_.erase(first);
    }
    return names;
  }

 private:
  int level(const JobState& job) const {
    const auto grown = capacity_.ageing == 0 ? 0 : (now_ - job.queued_us) / capacity_.ageing;
    return static_cast<int>(std::min<TimeUs>(9, job.priority + grown));
  }
  template <class Has>
  std::uint32_t running(Has has) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(running_, has));
  }
  std::uint32_t of_project(const std::string& name) const {
    return running([&](const JobState* job) { return job->spec->project == name; });
  }
  double load(const std::string& project) const {
    const auto share = capacity_.share.find(project);
    return of_project(project) / (share == capacity_.share.end() ? 1.0 : share->second);
  }
  bool may_start(const JobState& job) const {
    const auto& spec = *job.spec;
    if (paused_.contains(spec.project)) return false;
    if (capacity_.max_per_project != 0 && of_project(spec.project) >= capacity_.max_per_project) return false;
    const auto agent = capacity_.of_agent.find(spec.agent);
    if (agent != capacity_.of_agent.end() &&
        running([&](const JobState* other) { return other->spec->agent == spec.agent; }) >= agent->second)
      return false;
    return std::ranges::none_of(spec.tags, [&](const std::string& tag) {
      const auto limit = capacity_.of_tag.find(tag);
      return limit != capacity_.of_tag.end() && running([&](const JobState* other) {
                                                  return std::ranges::count(other->spec->tags, tag) > 0;
                                                }) >= limit->second;
    });
  }

  const Capacity& capacity_;
  const std::set<std::string>& paused_;
  TimeUs now_;
  std::vector<const JobState*> running_, waiting_;
};

class RandomQueue {
 public:
  explicit RandomQueue(unsigned seed) : random_(seed) {}
  std::uint32_t pick(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  Capacity capacity() {
    Capacity capacity{pick(12)};
    capacity.max_per_project = pick(2) == 0 ? 0 : 1 + pick(3);
    if (pick(2) == 0) capacity.of_agent["1"] = 1 + pick(3);
    if (pick(2) == 0) capacity.of_tag["gpu"] = 1 + pick(2);
    if (pick(3) == 0) capacity.of_tag["net"] = 1 + pick(2);
    if (pick(2) == 0) capacity.share["2"] = 1 + pick(3);
    capacity.ageing = pick(2) == 0 ? 0 : 20;
    if (pick(10) == 0) capacity.closed = "closed";
    capacity.waiting_holds_slot = pick(2) == 0;
    return capacity;
  }
  JobState job(TimeUs now) {
    const std::uint32_t which = pick(60);  // its project, agent and tags stay as dispatched
    JobState job =
        queued_job(std::to_string(which), std::to_string(which % 4), static_cast<std::uint8_t>(pick(10)),
                   static_cast<Position>(now), pick(3) == 0 ? now + pick(40) : 0);
    job.queued_us = now;
    job.spec->agent = std::to_string(which % 3);
    if (which % 5 == 0) job.spec->tags.emplace_back("gpu");
    if (which % 7 < 3) job.spec->tags.emplace_back("net");
    job.held = pick(5) == 0;
    if (pick(4) == 0) job.state = schema::JobState::completed;
    if (pick(4) == 0) job.state = schema::JobState::running;
    if (pick(8) == 0) job.state = schema::JobState::waiting;
    return job;
  }

 private:
  std::mt19937 random_;
};

/// Checks that nothing blocks a job that starts, and that every queued job has a reason if none starts.
void expect_reasons(const Queue& queue, const std::map<std::string, JobState>& jobs, const Names& starts,
                    TimeUs now) {
  for (const auto& [id, job] : jobs) {
    const auto reason = queue.reason(job, now);
    if (!reason) continue;
    const bool is_free = reason->what == WaitsFor::turn && reason->limit == 0;
    const bool begins = std::ranges::count(starts, id) > 0;
    ASSERT_TRUE(is_free || !begins) << id << " at step " << now;
    ASSERT_TRUE(!is_free || !starts.empty()) << id << " at step " << now;
  }
}

TEST(Scheduler, AgreesWithASimpleSort) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    RandomQueue random(seed);
    Queue queue;
    std::map<std::string, JobState> jobs;
    std::set<std::string> paused;
    Capacity capacity;
    for (TimeUs now = 1; now < 1'000; ++now) {
      JobState job = random.job(now);
      queue.note(job);
      jobs.insert_or_assign(job.job, std::move(job));
      if (random.pick(10) == 0) capacity = random.capacity();
      const std::string project = std::to_string(random.pick(4));
      const bool pause = random.pick(3) == 0;
      queue.stops().set_paused(project, pause);
      if (pause) {
        paused.insert(project);
      } else {
        paused.erase(project);
      }
      const Names names = started(queue, capacity, now);
      ASSERT_EQ(names, PlainQueue(jobs, capacity, paused, now).starts())
          << "seed " << seed << " at step " << now;
      expect_reasons(queue, jobs, names, now);
    }
  }
}

/// A stream of urgent jobs would fill every slot; the job of the lowest priority runs nevertheless.
TEST(Scheduler, NoJobStarves) {
  constexpr TimeUs kAgeing = 10;
  Queue queue({.max_running = 1, .ageing = kAgeing});
  JobState low = queued_job("low", "red", 0, 1);
  low.queued_us = 1;
  queue.note(low);
  for (TimeUs now = 2; now < 1'000; ++now) {
    JobState urgent = queued_job("urgent" + std::to_string(now), "red", 9, static_cast<Position>(now));
    urgent.queued_us = now;
    queue.note(urgent);
    const Names names = queue.starts(now);
    ASSERT_EQ(names.size(), 1U);
    if (names.front() == "low") {
      EXPECT_LE(now, 1 + 9 * kAgeing + 1);
      return;
    }
    // Each started job ends at once; the low one would start next if it were first.
    urgent.job = names.front();
    urgent.state = schema::JobState::completed;
    queue.note(urgent);
  }
  ADD_FAILURE() << "it never started";
}

TEST(Scheduler, ClockBefore1970DelaysNothing) {
  Queue queue({.max_running = 1});
  view::ProjectSpendingT used;
  used.project = "red";
  queue.stops().spending.load(used);
  const JobState job = queued_job("a", "red", 5, 1);
  queue.note(job);
  for (const TimeUs now : {-80 * 365 * kDayUs, TimeUs{-1}, TimeUs{0}}) {
    EXPECT_EQ(queue.starts(now), Names{"a"}) << now;
    EXPECT_EQ(queue.reason(job, now)->what, WaitsFor::turn) << now;
  }
}

TEST(Scheduler, NamesTheNextJobsAhead) {
  Queue queue({.max_running = 1});
  for (Position i = 1; i <= 20; ++i) queue.note(queued_job("j" + std::to_string(i), "red", 5, i));
  const auto waiting = queue.why(queued_job("j12", "red", 5, 12), 0);
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->what, WaitsFor::turn);
  EXPECT_EQ(waiting->ahead, 11U);
  EXPECT_EQ(waiting->first_ahead, (Names{"j1", "j2", "j3", "j4", "j5"}));
  EXPECT_FALSE(queue.why(queued_job("x", "red", 5, 12), 0)) << "it is not queued";
}

TEST(Scheduler, JobsAheadAreListedInStartOrder) {
  Queue queue({.max_running = 1});
  queue.note(queued_job("r1", "red", 5, 1));
  queue.note(queued_job("b2", "blue", 9, 2));
  JobState estimated = queued_job("r3", "red", 5, 3);
  estimated.spec->estimate_ms = 700;
  queue.note(estimated);
  queue.note(queued_job("b4", "blue", 5, 4));
  queue.note(queued_job("r5", "red", 5, 5));
  const auto waiting = queue.why(queued_job("b4", "blue", 5, 4), 0);
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->first_ahead, (Names{"b2", "r1", "r3"}));
  std::vector<std::pair<std::string, std::uint64_t>> ahead;
  for (const auto& [work, estimate_ms] : waiting->work_ahead) {
    ahead.emplace_back(waiting->works.at(work).project, estimate_ms);
  }
  EXPECT_EQ(ahead, (decltype(ahead){{"blue", 0}, {"red", 0}, {"red", 700}}));
}

TEST(Scheduler, CountsAllJobsAheadAndListsTheFirst) {
  Queue queue({.max_running = 1});
  const Position last = Waiting::kEstimated + 5;
  for (Position i = 1; i <= last; ++i) {
    queue.note(queued_job("j" + std::to_string(i), i % 2 == 0 ? "red" : "blue", 5, i));
  }
  const auto waiting = queue.why(queued_job("j" + std::to_string(last), "blue", 5, last), 0);
  ASSERT_TRUE(waiting);
  EXPECT_EQ(waiting->ahead, last - 1);
  EXPECT_EQ(waiting->work_ahead.size(), Waiting::kEstimated);
  std::size_t further = 0;
  for (const Waiting::Work& work : waiting->works) further += work.further;
  EXPECT_EQ(further, waiting->ahead - Waiting::kEstimated);
}

}  // namespace
}  // namespace luzia
