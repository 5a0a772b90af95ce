// The engine as a whole: what it reports when, and what survives a crash. Single rules are in
// tests/scenarios.
#include "engine/core/engine.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/scenarios/world.h"

namespace luzia {
namespace {

const Error kDiskFull{ErrorKind::trouble, "log_write_failed", "no space left on device", ""};

Command queue_of(const std::string& id) {
  std::vector<ToJob> commands;
  commands.push_back({id, simple_job(id)});
  return commands;
}

Command cancel_of(const std::string& id) {
  std::vector<ToJob> commands;
  commands.push_back({id, CancelJob{}});
  return commands;
}

/// A history that cannot be read.
class LostHistory : public History {
 public:
  Result<std::optional<Command>> find_command(std::uint32_t, const std::string&) override {
    return fail(ErrorKind::trouble, "views_damaged", "the rows cannot be read");
  }
  Result<std::optional<JobState>> load_job(const std::string&) override { return std::optional<JobState>(); }
  Result<std::optional<Flow>> load_flow(const std::string&) override { return std::optional<Flow>(); }
  Result<Lesson> load_lesson(const std::string&) override {
    return fail(ErrorKind::trouble, "views_damaged", "the rows cannot be read");
  }
  Result<std::uint64_t> stream_version(const std::string&) override {
    return fail(ErrorKind::trouble, "views_damaged", "the rows cannot be read");
  }
};

TEST(Engine, RepeatedCommandIsRefusedWithoutReadableHistory) {
  MemoryEventLog log;
  LostHistory history;
  Committer committer(log, [](const CommitOutcome&) {});
  Engine engine({"test", "boot-1", Capacity{4}}, committer, history, {});
  engine.resume(0, kSecondUs);
  CommandMeta repeatable;
  repeatable.command_id = "c1";
  repeatable.now = kSecondUs;
  std::vector<std::string> answers;
  const auto told = [&](const Result<Outcome>& outcome) {
    answers.push_back(outcome ? "accepted" : outcome.error().code);
  };
  engine.submit(repeatable, queue_of("a"), told);
  engine.submit({}, ToQueue{"p", true, ""}, told);
  engine.submit({}, ToQueue{"p", true, ""}, told);
  ToLearning lesson;
  lesson.commands.emplace_back("solution/s-1", JudgeSolution{true});
  engine.submit({}, std::move(lesson), told);
  EXPECT_EQ(answers, (std::vector<std::string>(4, "views_damaged")));
  EXPECT_EQ(committer.next_position(), 1u) << "nothing was decided";
  EXPECT_TRUE(engine.live_jobs().empty());
}

/// Flows cannot be read either.
class LostFlows : public LostHistory {
 public:
  Result<std::optional<Flow>> load_flow(const std::string&) override {
    return fail(ErrorKind::trouble, "views_damaged", "the rows cannot be read");
  }
};

TEST(Engine, NoRetryWhileItsGateIsUnreadable) {
  MemoryEventLog log;
  LostFlows history;
  Committer committer(log, [](const CommitOutcome&) {});
  Engine engine({"test", "boot-1", Capacity{4}}, committer, history, {});
  JobState job;
  job.job = "a";
  job.state = schema::JobState::failed;
  job.spec = std::make_unique<schema::JobSpecT>();
  job.spec->flow = "f";
  job.spec->step = "ship";
  engine.load(std::move(job));
  engine.resume(0, kSecondUs);
  std::vector<ToJob> commands;
  commands.push_back({"a", RetryJob{}});
  std::string answer;
  engine.submit({}, std::move(commands), [&](const Result<Outcome>& outcome) {
    answer = outcome ? "accepted" : outcome.error().code;
  });
  EXPECT_EQ(answer, "views_damaged");
  EXPECT_EQ(committer.next_position(), 1u) << "nothing was decided";
}

TEST(Engine, RefusedTimerIsReportedOnceAndRetried) {
  MemoryEventLog log;
  LostHistory history;
  Committer committer(log, [](const CommitOutcome&) {});
  std::vector<std::string> told;
  Engine::Hooks hooks;
  hooks.command_refused = [&told](const std::string& stream, const Error& why) {
    told.push_back(stream.substr(0, 9) + " " + why.code);
  };
  Engine engine({"test", "boot-1", Capacity{4}}, committer, history, std::move(hooks));
  JobState job;
  job.job = std::string(kMaxEventBytes, 'j');  // every event about it is too large
  job.state = schema::JobState::running;
  job.pid = 10;
  job.timeout_at_us = 2 * kSecondUs;
  job.spec = std::make_unique<schema::JobSpecT>();
  engine.load(std::move(job));
  schema::BreakerOpenedT open;
  open.project = "p";
  open.until_us = 2 * kSecondUs;
  engine.queue_to_load().stops().breakers.opened(open);
  engine.resume(0, kSecondUs);
  TimeUs now = engine.next_deadline_after(kSecondUs);
  EXPECT_EQ(now, 2 * kSecondUs);
  for (int round = 0; round < 3; ++round) {
    engine.time_passed(now);
    const TimeUs next = engine.next_deadline_after(now);
    EXPECT_GE(next, now + kSecondUs);
    EXPECT_LE(next, now + kMinuteUs);
    now = next;
  }
  EXPECT_EQ(told, (std::vector<std::string>{"job/jjjjj event_too_large", "project/p views_damaged"}));
  EXPECT_EQ(committer.next_position(), 1u);
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

TEST(Engine, RefusalWaitsForItsGroup) {
  World world;
  std::optional<Result<Outcome>> first, second;
  world.submit_only({}, queue_of("a"), first);
  world.submit_only({}, queue_of("a"), second);  // refused: the job exists, but only in flight
  EXPECT_FALSE(second);
  world.settle();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->error().code, "job_exists");
}

TEST(Engine, RefusalOfAFailedGroupIsNotGiven) {
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

TEST(Engine, ReadWaitsForEarlierDecisions) {
  World world;
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, queue_of("a"), reply);
  bool read = false;
  world.engine().when_durable([&](const Status& status) { read = status.has_value(); });
  EXPECT_FALSE(read);
  world.settle();
  EXPECT_TRUE(read);
}

TEST(Engine, FailedGroupHasNoEffects) {
  World world;
  world.log().fail_next_append(kDiskFull);
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, queue_of("a"), reply);
  world.settle_failure();
  EXPECT_TRUE(world.take_effects().empty());
}

TEST(Engine, FailureLeavesCommandsUndecidedAndStopsWriting) {
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

TEST(Engine, UndecidedCommandTakesEffectOnceWhenRepeated) {
  World world;
  world.capacity.max_running = 0;
  CommandMeta meta;
  meta.command_id = "k";
  std::optional<Result<Outcome>> lost;
  world.submit_only(meta, queue_of("a"), lost);
  world.settle();  // durable, but assume that the client got no reply
  world.restart();
  const auto again = world.submit(meta, queue_of("b"));  // intake gave the repetition a new id
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->ids, std::vector<std::string>{"a"});
  EXPECT_EQ(world.engine().find_live("b"), nullptr);
}

TEST(Engine, ABatchIsAllOrNothing) {
  World world;
  world.capacity.max_running = 0;
  std::vector<ToJob> commands;
  commands.push_back({"a", simple_job("a")});
  QueueJob bad = simple_job("b");
  bad.priority = 12;
  commands.push_back({"b", std::move(bad)});
  const auto result = world.submit({}, std::move(commands));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "bad_priority");
  EXPECT_EQ(world.engine().find_live("a"), nullptr);
  EXPECT_EQ(world.log().tip().position, 0u);
}

TEST(Engine, OversizedBatchChangesNothing) {
  World world;
  std::vector<ToJob> commands;
  for (std::uint32_t i = 0; i <= kMaxGroupEvents; ++i) {
    const std::string id = "job" + std::to_string(i);
    commands.push_back({id, simple_job(id)});
  }
  const auto result = world.submit({}, std::move(commands));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "command_too_large");
  EXPECT_EQ(world.engine().find_live("job0"), nullptr);
}

TEST(Engine, ACommandIsNeverSplitBetweenTwoGroups) {
  World world;
  std::vector<Position> ends;
  for (int command = 0; command < 3; ++command) {
    std::vector<ToJob> commands;
    for (std::uint32_t i = 0; i < kMaxGroupEvents / 2 - 100; ++i) {
      const std::string id = "job" + std::to_string(command) + "x" + std::to_string(i);
      commands.push_back({id, simple_job(id)});
    }
    world.engine().submit({}, std::move(commands), [&ends](const Result<Outcome>& outcome) {
      ASSERT_TRUE(outcome);
      ends.push_back(outcome->position);
    });
  }
  world.settle();
  ASSERT_EQ(ends.size(), 3u);
  const auto groups = world.log().read_from(1);
  std::set<Position> group_ends;
  while (const auto group = groups->next().value()) group_ends.insert(group->last_position());
  EXPECT_TRUE(group_ends.contains(ends[1])) << "the third command has a group of its own";
  EXPECT_EQ(group_ends.size(), 2u);
}

TEST(Engine, OversizedEventChangesNothing) {
  World world;
  QueueJob job = simple_job("a");
  job.spec.tags.assign(5000, std::string(60, 't'));
  std::vector<ToJob> commands;
  commands.push_back({"a", std::move(job)});
  const auto result = world.submit({}, std::move(commands));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "event_too_large");
  EXPECT_EQ(world.engine().find_live("a"), nullptr);
}

TEST(Engine, UnreadableEventIsRefusedBeforeItIsWritten) {
  World world;
  QueueJob many = simple_job("a");  // more tables than the verifier allows in one event
  for (int i = 0; i < 12'000; ++i) many.spec.exit_codes.push_back(std::make_unique<schema::ExitCodeT>());
  std::vector<ToJob> commands;
  commands.push_back({"b", simple_job("b")});
  commands.push_back({"a", std::move(many)});
  const auto refused = world.submit({}, std::move(commands));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "invalid_event");
  EXPECT_EQ(world.engine().find_live("a"), nullptr);
  EXPECT_EQ(world.engine().find_live("b"), nullptr);
  EXPECT_EQ(world.log().tip().position, 0u);
  EXPECT_TRUE(world.order("c", simple_job("c"))) << "the next command is taken";
}

TEST(Engine, EndedJobsAreEvictedOnceViewsHaveThem) {
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

TEST(Engine, EndedJobStaysUntilItsEndIsReported) {
  World world;
  ASSERT_TRUE(world.order("a", simple_job("a")));
  std::vector<ToJob> commands;
  RecordExit exit;
  exit.end.attempt = 1;
  exit.end.exit_code = 0;
  commands.push_back({"a", exit});
  std::optional<Result<Outcome>> reply;
  world.submit_only({}, std::move(commands), reply);
  world.engine().views_reached(1000);
  EXPECT_NE(world.engine().find_live("a"), nullptr);
  world.settle();
  EXPECT_EQ(world.take_ended(), std::vector<std::string>{"a"}) << "waiting callers must get the failure";
}

TEST(Engine, JobCanceledBeforeItsStartCommitsNeverLaunches) {
  World world;
  std::optional<Result<Outcome>> queued, cancelled;
  world.capacity.max_running = 0;
  world.submit_only({}, queue_of("a"), queued);
  world.submit_only({}, cancel_of("a"), cancelled);
  world.settle();
  EXPECT_TRUE(world.take_effects().empty());
  EXPECT_TRUE(cancelled && *cancelled);
}

/// A history of random commands, in random order.
class RandomHistory : public testing::TestWithParam<unsigned> {
 protected:
  void step(int number) {
    world_.now += kSecondUs * static_cast<TimeUs>(random_() % 20);
    const std::string id = any_id();
    const JobState* job = world_.engine().find_live(id);
    const std::uint32_t attempt = job != nullptr ? job->attempt : 1;
    switch (random_() % 10) {
      case 0:
      case 1:
        return queue("j" + std::to_string(number));  // intake never assigns an id twice
      case 2:
      case 3:
        return (void)world_.order(id, ReportStarted{attempt, 10, 11, 1, 2});
      case 4:
      case 5:
        return exit(id, random_() % 8 == 0 ? attempt + 1 : attempt);
      case 6:
        return (void)world_.order(id, random_() % 2 ? JobCommand(CancelJob{}) : JobCommand(RetryJob{}));
      case 7:
        return (void)world_.order(id, random_() % 2 ? JobCommand(HoldJob{}) : JobCommand(ReleaseJob{}));
      case 8:
        return (void)world_.order(id, random_() % 2 ? JobCommand(PauseJob{}) : JobCommand(ResumeJob{}));
      case 9:
        return pass_time();
    }
  }

  std::string any_id() { return ids_[random_() % ids_.size()]; }

  void queue(const std::string& fresh) {
    QueueJob item = simple_job(fresh);
    item.spec.timeout_ms = 30'000;
    item.spec.retries = 2;
    item.priority = static_cast<std::uint8_t>(random_() % 10);
    if (random_() % 3 == 0) item.after = {any_id()};
    if (world_.order(fresh, std::move(item))) ids_.push_back(fresh);
    if (ids_.size() > 8) ids_.erase(ids_.begin());
  }

  void exit(const std::string& id, std::uint32_t attempt) {
    RecordExit record;
    record.end.attempt = attempt;
    record.end.exit_code = static_cast<int>(random_() % 3);
    record.end.ended_us = world_.now;
    (void)world_.order(id, std::move(record));
  }

  void pass_time() {
    world_.engine().time_passed(world_.now);
    world_.settle();
    world_.engine().views_reached(world_.log().tip().position);
    if (random_() % 4 != 0) return;
    world_.restart();
    for (const Effect& effect : world_.take_effects()) {
      if (effect.kind == EffectKind::launch)
        launched_[effect.job] = effect.attempt;  // requested again after a crash
    }
  }

  void expect_each_attempt_launched_once() {
    for (const Effect& effect : world_.take_effects()) {
      if (effect.kind != EffectKind::launch) continue;
      EXPECT_GT(effect.attempt, launched_[effect.job]) << "launched twice: " << effect.job;
      launched_[effect.job] = effect.attempt;
    }
  }

  void expect_limit_and_replay() {
    std::size_t running = 0;
    const auto replayed = MemoryHistory(world_.log()).all_jobs();
    for (const auto& [id, live] : world_.engine().live_jobs()) {
      using schema::JobState;
      const bool has_place =
          !live.attempt_over && (live.state == JobState::starting || live.state == JobState::running ||
                                 live.state == JobState::waiting);
      running += has_place ? 1 : 0;
      ASSERT_TRUE(replayed.contains(id));
      EXPECT_EQ(bytes_of(live), bytes_of(replayed.at(id)))
          << "the state of " << id << " is not the fold of its events";
    }
    EXPECT_LE(running, world_.capacity.max_running);
  }

  static std::string bytes_of(const luzia::JobState& job) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(view::LiveJob::Pack(builder, &job));
    return std::string(as_text({builder.GetBufferPointer(), builder.GetSize()}));
  }

  std::mt19937 random_{GetParam()};
  World world_;
  std::vector<std::string> ids_ = {"none"};
  std::map<std::string, std::uint32_t> launched_;  // job -> greatest attempt launched
};

TEST_P(RandomHistory, KeepsTheRulesAndEqualsItsReplay) {
  world_.capacity.max_running = 3;
  for (int number = 0; number < 300 && !HasFailure(); ++number) {
    step(number);
    expect_each_attempt_launched_once();
    expect_limit_and_replay();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomHistory, testing::Range(1u, 25u));

TEST(Streams, NonJobStreamsCountTheirVersions) {
  World world;
  for (const bool pause : {true, false}) ASSERT_TRUE(world.submit({}, ToQueue{"p", pause, ""}));
  world.restart();
  for (const bool pause : {true, false}) ASSERT_TRUE(world.submit({}, ToQueue{"p", pause, ""}));
  std::vector<std::uint64_t> versions;
  const auto cursor = world.log().read_from(1);
  while (const auto group = cursor->next().value()) {
    for (const schema::Event* event : group->events()) versions.push_back(event->version());
  }
  EXPECT_EQ(versions, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST(Engine, ReadyStepIsRepeatedAfterABriefPause) {
  using Pair = std::pair<FlowCommand, FlowCommand>;
  for (auto& [halt, go_on] : {Pair(PauseFlow{""}, ResumeFlow{""}), Pair(EndFlow{""}, ReopenFlow{""})}) {
    World world;
    CreateFlow create;
    create.id = "f";
    create.flow.project = "p";
    create.flow.runs = true;
    NewStep step;
    step.step.name = "a";
    step.prompt = Blob{0, "task", "text"};
    create.steps.push_back(std::move(step));
    ASSERT_TRUE(world.submit({}, ToFlow{"f", std::move(create)}));
    EXPECT_EQ(world.take_ready_steps(), std::vector<std::string>{"f a"});
    // Both commands before either is durable: meanwhile the dispatcher finds the flow stopped.
    std::optional<Result<Outcome>> halted, going_on;
    world.submit_only({}, ToFlow{"f", halt}, halted);
    world.submit_only({}, ToFlow{"f", go_on}, going_on);
    world.settle();
    ASSERT_TRUE(halted && *halted && going_on && *going_on);
    EXPECT_EQ(world.take_ready_steps(), std::vector<std::string>{"f a"});
  }
}

TEST(Engine, LongDependencyChainNeedsNoRecursion) {
  World world;
  world.capacity.max_running = 0;
  constexpr int kJobs = 20'000;
  const auto id_of = [](int number) { return "j" + std::to_string(100'000 + number); };
  std::vector<std::optional<Result<Outcome>>> queued(kJobs);
  for (int i = 0; i < kJobs; ++i) {
    QueueJob job = simple_job(id_of(i));
    if (i > 0) job.after = {id_of(i - 1)};
    std::vector<ToJob> commands;
    commands.push_back({id_of(i), std::move(job)});
    world.submit_only({}, std::move(commands), queued[static_cast<std::size_t>(i)]);
  }
  world.settle();
  (void)world.take_events();
  ASSERT_TRUE(world.submit({}, cancel_of(id_of(0))));
  EXPECT_EQ(world.take_ended().size(), static_cast<std::size_t>(kJobs));
  const JobState* last = world.engine().find_live(id_of(kJobs - 1));
  EXPECT_TRUE(last == nullptr || last->state == schema::JobState::skipped);
}

}  // namespace
}  // namespace luzia
