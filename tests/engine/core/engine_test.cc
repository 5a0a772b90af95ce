// The engine as a whole: what is told when, and what survives. Single rules are in tests/scenarios.
#include "engine/core/engine.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/scenarios/world.h"

namespace luzia {
namespace {

const Error kDiskFull{ErrorKind::trouble, "log_write_failed", "no space left on device", ""};

Command queue_of(const std::string& id) {
  std::vector<JobOrder> orders;
  orders.push_back({id, simple_job(id)});
  return orders;
}

Command cancel_of(const std::string& id) {
  std::vector<JobOrder> orders;
  orders.push_back({id, CancelJob{}});
  return orders;
}

TEST(Engine, NoReplyIsGivenBeforeItsGroupIsDurable) {
  World world;
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, queue_of("a"), reply);
  EXPECT_FALSE(reply);
  world.settle();
  ASSERT_TRUE(reply && *reply);
  EXPECT_EQ((**reply).ids, std::vector<std::string>{"a"});
  EXPECT_GE(world.log().tip().position, (**reply).position);
}

TEST(Engine, ARefusalWaitsForTheGroupItRestsOn) {
  World world;
  std::optional<Result<Outcome>> first, second;
  world.submit_only({}, queue_of("a"), first);
  world.submit_only({}, queue_of("a"), second);  // refused: the job exists, but only in flight
  EXPECT_FALSE(second);
  world.settle();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->error().code, "job_exists");
}

TEST(Engine, ARefusalThatRestsOnAFailedGroupIsNotGiven) {
  World world;
  world.log().fail_next_append(kDiskFull);
  std::optional<Result<Outcome>> first, second;
  world.submit_only({}, queue_of("a"), first);
  world.submit_only({}, queue_of("a"), second);
  world.settle_failure();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->error().code, "commit_failed");
  EXPECT_EQ(second->error().code, "commit_failed") << "the job does not exist: 'job_exists' would be a lie";
}

TEST(Engine, AReadWaitsForEverythingDecidedBefore) {
  World world;
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, queue_of("a"), reply);
  bool read = false;
  world.engine().when_durable([&](const Status& status) { read = status.has_value(); });
  EXPECT_FALSE(read);
  world.settle();
  EXPECT_TRUE(read);
}

TEST(Engine, NoEffectIsNamedForAGroupThatFailed) {
  World world;
  world.log().fail_next_append(kDiskFull);
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, queue_of("a"), reply);
  world.settle_failure();
  EXPECT_TRUE(world.take_effects().empty());
}

TEST(Engine, AfterAFailureEveryCommandIsOfUnknownFateAndNothingIsWritten) {
  World world;
  world.log().fail_next_append(kDiskFull);
  std::optional<Result<Outcome>> first, later;
  world.submit_only({}, queue_of("a"), first);
  world.settle_failure();
  world.submit_only({}, queue_of("b"), later);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->error().code, "commit_failed");
  EXPECT_EQ(world.log().tip().position, 0u);
}

TEST(Engine, ACommandOfUnknownFateTakesEffectOnceWhenRepeated) {
  World world;
  world.capacity.max_running = 0;
  CommandMeta meta;
  meta.command_id = "k";
  std::optional<Result<Outcome>> lost;
  world.submit_only(meta, queue_of("a"), lost);
  world.settle();  // durable, but say the client did not hear of it
  world.restart();
  const auto again = world.submit(meta, queue_of("b"));  // a new id was given at intake
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->ids, std::vector<std::string>{"a"});
  EXPECT_EQ(world.engine().find_live("b"), nullptr);
}

TEST(Engine, ABatchIsAllOrNothing) {
  World world;
  world.capacity.max_running = 0;
  std::vector<JobOrder> orders;
  orders.push_back({"a", simple_job("a")});
  QueueJob bad = simple_job("b");
  bad.priority = 12;
  orders.push_back({"b", std::move(bad)});
  const auto result = world.submit({}, std::move(orders));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "bad_priority");
  EXPECT_EQ(world.engine().find_live("a"), nullptr);
  EXPECT_EQ(world.log().tip().position, 0u);
}

TEST(Engine, AnEventThatIsTooLargeChangesNothing) {
  World world;
  QueueJob job = simple_job("a");
  job.spec.tags.assign(5000, std::string(60, 't'));
  std::vector<JobOrder> orders;
  orders.push_back({"a", std::move(job)});
  const auto result = world.submit({}, std::move(orders));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "event_too_large");
  EXPECT_EQ(world.engine().find_live("a"), nullptr);
}

TEST(Engine, EndedJobsLeaveMemoryOnceTheViewsHaveThem) {
  World world;
  ASSERT_TRUE(world.order("a", simple_job("a")));
  RecordExit exit;
  exit.end.attempt = 1;
  exit.end.exit_code = 0;
  ASSERT_TRUE(world.order("a", exit));
  EXPECT_NE(world.engine().find_live("a"), nullptr);
  world.engine().views_reached(world.log().tip().position - 1);
  EXPECT_NE(world.engine().find_live("a"), nullptr) << "the views do not have its end yet";
  world.engine().views_reached(world.log().tip().position);
  EXPECT_EQ(world.engine().find_live("a"), nullptr);
}

TEST(Engine, AJobWhoseEndTheLoopHasNotHeardOfStaysEvenIfTheViewsHaveIt) {
  World world;
  ASSERT_TRUE(world.order("a", simple_job("a")));
  std::vector<JobOrder> orders;
  RecordExit exit;
  exit.end.attempt = 1;
  exit.end.exit_code = 0;
  orders.push_back({"a", exit});
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, std::move(orders), reply);
  world.engine().views_reached(1000);
  EXPECT_NE(world.engine().find_live("a"), nullptr);
  world.settle();
  EXPECT_EQ(world.take_ended(), std::vector<std::string>{"a"}) << "whoever waits for it must be told";
}

TEST(Engine, CancelledBeforeTheCommitOfItsStartNeverLaunches) {
  World world;
  std::optional<Result<Outcome>> queued, cancelled;
  world.capacity.max_running = 0;
  world.submit_only({}, queue_of("a"), queued);
  world.submit_only({}, cancel_of("a"), cancelled);
  world.settle();
  EXPECT_TRUE(world.take_effects().empty());
  EXPECT_TRUE(cancelled && *cancelled);
}

/// What a random history of commands must keep true, whatever the order.
class RandomHistory : public testing::TestWithParam<unsigned> {};

TEST_P(RandomHistory, KeepsLimitsFencesAttemptsAndEqualsItsReplay) {
  std::mt19937 random(GetParam());
  World world;
  world.capacity.max_running = 3;
  std::vector<std::string> ids = {"a"};           // intake never gives an id twice
  std::map<std::string, std::uint32_t> launched;  // job -> greatest attempt launched
  for (int step = 0; step < 300; ++step) {
    world.now += kSecondUs * static_cast<TimeUs>(random() % 20);
    const std::string id = ids[random() % ids.size()];
    const JobState* job = world.engine().find_live(id);
    const std::uint32_t attempt = job != nullptr ? job->attempt : 1;
    RecordExit exit;
    exit.end.attempt = random() % 8 == 0 ? attempt + 1 : attempt;
    exit.end.exit_code = static_cast<int>(random() % 3);
    exit.end.ended_us = world.now;
    const std::string fresh = "j" + std::to_string(step);
    QueueJob queue = simple_job(fresh);
    queue.spec.timeout_ms = 30'000;
    queue.spec.retries = 2;
    queue.priority = static_cast<std::uint8_t>(random() % 10);
    const std::string other = ids[random() % ids.size()];
    if (random() % 3 == 0) queue.after = {other};
    switch (random() % 12) {
      case 0:
      case 1:
        if (world.order(fresh, queue)) ids.push_back(fresh);
        if (ids.size() > 8) ids.erase(ids.begin());
        break;
      case 2:
      case 3:
        (void)world.order(id, ReportStarted{attempt, 10, 11, 1, 2});
        break;
      case 4:
      case 5:
        (void)world.order(id, exit);
        break;
      case 6:
        (void)world.order(id, CancelJob{});
        break;
      case 7:
        (void)world.order(id, RetryJob{});
        break;
      case 8:
        (void)world.order(id, random() % 2 ? JobCommand(HoldJob{}) : JobCommand(ReleaseJob{}));
        break;
      case 9:
        (void)world.order(id, random() % 2 ? JobCommand(PauseJob{}) : JobCommand(ResumeJob{}));
        break;
      case 10:
        world.engine().time_passed(world.now);
        world.settle();
        break;
      case 11:
        world.engine().views_reached(world.log().tip().position);
        if (random() % 4 == 0) {
          world.restart();
          for (const Effect& effect : world.take_effects()) {
            if (effect.kind == EffectKind::launch) {
              EXPECT_EQ(effect.attempt, world.engine().find_live(effect.job)->attempt);
            }
          }
        }
        break;
    }
    for (const Effect& effect : world.take_effects()) {
      if (effect.kind != EffectKind::launch) continue;
      EXPECT_GT(effect.attempt, launched[effect.job]) << "an attempt is launched once: " << effect.job;
      launched[effect.job] = effect.attempt;
    }
    std::size_t running = 0;
    MemoryHistory history(world.log());
    const auto replayed = history.all_jobs();
    for (const auto& [live_id, live] : world.engine().live_jobs()) {
      const bool has_place = !live.attempt_over && (live.state == schema::JobState::starting ||
                                                    live.state == schema::JobState::running ||
                                                    live.state == schema::JobState::waiting);
      running += has_place ? 1 : 0;
      const auto it = replayed.find(live_id);
      ASSERT_NE(it, replayed.end());
      flatbuffers::FlatBufferBuilder left, right;
      left.Finish(view::LiveJob::Pack(left, &live));
      right.Finish(view::LiveJob::Pack(right, &it->second));
      ASSERT_EQ(as_text({left.GetBufferPointer(), left.GetSize()}),
                as_text({right.GetBufferPointer(), right.GetSize()}))
          << "the live state of " << live_id << " is not the fold of its events";
    }
    ASSERT_LE(running, 3u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomHistory, testing::Range(1u, 25u));

}  // namespace
}  // namespace luzia
