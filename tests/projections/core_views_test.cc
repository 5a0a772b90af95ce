// Core views: streams, command ids, live jobs and queue.
#include <random>

#include "engine/view/overlay_store.h"
#include "projections/command_ids.h"
#include "projections/live_jobs.h"
#include "projections/queue.h"
#include "projections/store_history.h"
#include "projections/streams.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

class CoreViews : public ViewsTest {
 protected:
  CoreViews() : ViewsTest(core_projections()) {}

  std::vector<std::string> queue() {
    std::vector<std::string> jobs;
    visit_queue(rows(), [&](const view::QueueEntryT& entry) {
      jobs.push_back(std::to_string(entry.position) + ":" + entry.job + (entry.held ? " held" : ""));
      return true;
    });
    return jobs;
  }

  std::vector<std::string> live_ids(std::string_view end = {}, std::size_t most = 100) {
    std::vector<std::string> jobs;
    visit_live_ids_back(rows(), end, [&](std::string_view job) {
      jobs.emplace_back(job);
      return jobs.size() < most;
    });
    return jobs;
  }
  std::vector<std::string> active_ids() {
    std::vector<std::string> jobs;
    visit_active_ids_back(rows(), [&](std::string_view job) {
      jobs.emplace_back(job);
      return true;
    });
    return jobs;
  }
};

using Streams = CoreViews;

TEST_F(Streams, PositionsAreFoundAcrossChunks) {
  std::vector<Position> expected;
  writer_.write(1, queued("k1", "p"));
  expected.push_back(1);
  for (int i = 0; i < 600; ++i) {
    writer_.write(1, warning("k1", "w"));
    expected.push_back(log_.tip().position);
    if (i % 2 == 0) writer_.write(1, queued("k2" + std::to_string(i), "p"));
  }
  const ViewReader& rows = this->rows();
  EXPECT_EQ(stream_positions(rows, "job/k1"), expected);
  EXPECT_EQ(last_version(rows, "job/k1"), 601U);
  for (const std::uint64_t from : {1U, 2U, 255U, 256U, 257U, 512U, 513U, 601U, 602U, 5000U}) {
    const std::vector<Position> rest(
        expected.begin() + std::min<std::ptrdiff_t>(601, static_cast<std::ptrdiff_t>(from) - 1),
        expected.end());
    EXPECT_EQ(stream_positions(rows, "job/k1", from), rest) << from;
  }
  EXPECT_EQ(stream_positions(rows, "job/k1", 256, 2), (std::vector<Position>{expected[255], expected[256]}));
}

TEST_F(Streams, StreamNameIsNotMatchedAsAPrefix) {
  writer_.write(1, queued("k1", "p"));
  writer_.write(1, queued("k12", "p"));
  EXPECT_THAT(stream_positions(rows(), "job/k1"), ElementsAre(1));
  EXPECT_EQ(last_version(rows(), "job/k"), 0U);
  EXPECT_EQ(last_version(rows(), "job/k12"), 1U);
}

TEST_F(Streams, TheGreatestJobIdIgnoresOtherStreams) {
  EXPECT_EQ(greatest_job_id(rows()), "");
  writer_.write(1, queued("k5", "p"));
  writer_.write(1, queued("k3", "p"));
  writer_.write(1, new_event("project/zebra", schema::QueuePausedT{}));
  EXPECT_EQ(greatest_job_id(rows()), "k5");
}

class CommandIds : public CoreViews {
 protected:
  static Source command(const std::string& id, std::uint32_t uid = 1000) {
    Source source;
    source.command_id = id;
    source.uid = uid;
    source.digest = "digest-of-" + id;
    return source;
  }
  /// Issues commands every hour.
  void pass(int hours) {
    for (int i = 0; i < hours; ++i) {
      writer_.write(kHourUs, warning("k1", "w"), command("c" + std::to_string(++passed_), 7));
    }
  }
  std::size_t count_rows() {
    std::size_t count = 0;
    rows().scan(row_key(kCommandIdsView, ""), row_end(kCommandIdsView),
                [&](auto, auto) { return ++count > 0; });
    return count;
  }

  static constexpr int kPeriodHours = 8 * 24;
  int passed_ = 0;
};

TEST_F(CommandIds, RecordHoldsDigestPositionAndJobs) {
  writer_.add(queued("k1", "p"), command("c1"));
  Source goes_on = command("c1");
  goes_on.digest.clear();  // only on the first event
  writer_.add(queued("k2", "p"), goes_on);
  writer_.add(starting("k1"), goes_on);
  writer_.commit();
  const auto record = find_command(rows(), 1000, "c1");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->position, 1U);
  EXPECT_EQ(std::string(record->digest.begin(), record->digest.end()), "digest-of-c1");
  EXPECT_THAT(record->result, ElementsAre("k1", "k2"));
}

TEST_F(CommandIds, SameIdOfAnotherUserIsAnotherCommand) {
  writer_.write(1, queued("k1", "p"), command("c1", 1000));
  EXPECT_EQ(find_command(rows(), 1001, "c1"), std::nullopt);
  EXPECT_EQ(find_command(rows(), 1000, "c"), std::nullopt);
  writer_.write(1, queued("k2", "p"), command("c1", 1001));
  EXPECT_THAT(find_command(rows(), 1001, "c1")->result, ElementsAre("k2"));
  EXPECT_THAT(find_command(rows(), 1000, "c1")->result, ElementsAre("k1"));
}

TEST_F(CommandIds, RecordLivesEightToSixteenDays) {
  pass(kPeriodHours / 2);
  writer_.write(1, queued("k1", "p"), command("old"));
  pass(kPeriodHours);
  EXPECT_TRUE(find_command(rows(), 1000, "old"));
  writer_.write(1, queued("k2", "p"), command("later"));
  pass(kPeriodHours);
  EXPECT_EQ(find_command(rows(), 1000, "old"), std::nullopt);
  EXPECT_TRUE(find_command(rows(), 1000, "later"));
  pass(kPeriodHours);
  EXPECT_LE(count_rows(), 2U * kPeriodHours + 1);
}

TEST_F(CommandIds, ClockFarAheadForgetsNothing) {
  writer_.write(1, queued("k1", "p"), command("before"));
  for (int i = 0; i < 10; ++i) {
    writer_.write(3650 * kDayUs, queued("k2", "p"), command("ahead"));
    writer_.now -= 3650 * kDayUs;
    writer_.write(1, queued("k3", "p"), command("after"));
  }
  pass(7 * 24);
  for (const char* id : {"before", "ahead", "after"}) EXPECT_TRUE(find_command(rows(), 1000, id)) << id;
  pass(9 * 24);
  for (const char* id : {"before", "ahead", "after"}) EXPECT_FALSE(find_command(rows(), 1000, id)) << id;
  pass(8 * 24);
  EXPECT_LE(count_rows(), 2U * kPeriodHours + 1);
}

TEST_F(CommandIds, ExpiredRecordsAreErasedGradually) {
  constexpr std::size_t kMany = 1000, kAtOnce = 8;
  for (std::size_t i = 0; i < kMany; ++i) {
    writer_.add(warning("k1", "w"), command("many" + std::to_string(i)));
    if (i % 100 == 0) writer_.commit();
  }
  pass(2 * kPeriodHours - 2);
  std::size_t before = count_rows();
  EXPECT_GT(before, kMany);
  for (int i = 0; i < 200; ++i) {
    pass(1);
    const std::size_t now = count_rows();
    ASSERT_GE(now + kAtOnce, before) << i;
    before = now;
  }
  EXPECT_LT(before, 2U * kPeriodHours + 100);
}

TEST_F(CommandIds, BatchSizeDoesNotChangeErasure) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    const auto id = command("c" + std::to_string(random() % 3000), static_cast<std::uint32_t>(random() % 3));
    writer_.now += random() % 4 == 0 ? kHourUs : random() % 100 == 0 ? -kDayUs : kSecondUs;
    Source goes_on = id;
    if (random() % 3 == 0) goes_on.digest.clear();
    writer_.add(warning("k1", "w"), goes_on);
    if (random() % 20 == 0) writer_.commit();
  }
  writer_.commit();
  EXPECT_GT(read_row<view::CommandPeriod>(rows(), kCommandIdsView, "\xff week of the log").value()->period(),
            3U);
  for (const unsigned flushes : {1U, 3U, 40U, 1000U}) {
    MemoryViewStore cut;
    Fold fold(core_projections(), cut);
    const auto groups = log_.read_from(1);
    while (const auto group = groups->next().value()) {
      while (fold.cursor().position < group->last_position()) {
        fold.apply(*group, fold.cursor().position + 1);
        if (random() % flushes == 0) {
          ASSERT_TRUE(fold.flush());
        }
      }
    }
    ASSERT_TRUE(fold.flush());
    EXPECT_THAT(compare_rows(rows(), *cut.snapshot()), testing::IsEmpty()) << flushes;
  }
}

TEST_F(CommandIds, RowsOfTheFirstVersionAreUpdated) {
  RowBatch old;
  view::CommandRecordT week, record;
  week.position = 2950;
  record.position = 17;
  const auto add = [&old](std::string_view key, const view::CommandRecordT& row) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(view::CommandRecord::Pack(builder, &row));
    add_row(old, kCommandIdsView, key, as_text({builder.GetBufferPointer(), builder.GetSize()}));
  };
  add("\xff week of the log", week);
  add(big_endian_32(2949) + big_endian_32(1000) + "c1", record);
  OverlayStore store;
  ASSERT_TRUE(store.write(old, {}));
  writer_.write(1, queued("k1", "p"), command("c2"));
  Fold fold(core_projections(), store);
  ASSERT_TRUE(fold_log(log_, fold, ~Position{0}));
  EXPECT_EQ(find_command(*store.snapshot(), 1000, "c1")->position, 17U);
  EXPECT_EQ(find_command(*store.snapshot(), 1000, "c2")->position, 1U);
}

TEST_F(CommandIds, ClockStepBackErasesAndHidesNothing) {
  writer_.write(21 * kDayUs, queued("k1", "p"), command("c1"));
  writer_.now -= 20 * kDayUs;
  writer_.write(1, queued("k2", "p"), command("c2"));
  EXPECT_TRUE(find_command(rows(), 1000, "c1"));
  EXPECT_TRUE(find_command(rows(), 1000, "c2"));
}

TEST_F(CommandIds, CommandSpanningPeriodsKeepsItsRecord) {
  writer_.write(1, queued("k1", "p"), command("c1"));
  Source goes_on = command("c1");
  goes_on.digest.clear();
  pass(kPeriodHours);
  writer_.write(1, queued("k2", "p"), goes_on);
  const auto record = find_command(rows(), 1000, "c1");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->position, 1U);
  EXPECT_THAT(record->result, ElementsAre("k1", "k2"));
}

TEST_F(CommandIds, ExpiredIdIsANewCommand) {
  writer_.write(1, queued("k1", "p"), command("c1"));
  pass(2 * kPeriodHours);
  writer_.write(1, queued("k2", "p"), command("c1"));
  EXPECT_THAT(find_command(rows(), 1000, "c1")->result, ElementsAre("k2"));
}

TEST_F(CommandIds, EventsWithoutACommandIdLeaveNoRecord) {
  writer_.write(1, queued("k1", "p"));
  EXPECT_EQ(find_command(rows(), 1000, ""), std::nullopt);
}

TEST_F(CommandIds, HistoryFindsCommandsJobsAndVersions) {
  writer_.write(1, queued("k1", "p"), command("0123456789abcdef"));
  writer_.write(1, starting("k1"));
  writer_.write(1, new_event("system", schema::DaemonStartedT{}));
  rows();
  StoreHistory history(store_, log_);
  const auto found = history.find_command(1000, "0123456789abcdef").value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->position, 1U);
  EXPECT_THAT(found->ids, ElementsAre("k1"));
  EXPECT_EQ(as_text(found->digest).substr(0, 26), "digest-of-0123456789abcdef");
  EXPECT_EQ(history.find_command(1000, "other").value(), std::nullopt);
  EXPECT_EQ(history.load_job("k1").value()->state, schema::JobState::starting);
  EXPECT_FALSE(history.load_job("none").value());
  EXPECT_EQ(history.stream_version("system").value(), 1U);
  EXPECT_EQ(history.stream_version("job/k1").value(), 2U);
  EXPECT_EQ(history.stream_version("project/x").value(), 0U);
}

/// Rows on a failing disk: nothing can be read.
class UnreadableStore : public MemoryViewStore {
 public:
  class Reader : public ViewReader {
   public:
    std::optional<std::string> get(std::string_view) const override { return std::nullopt; }
    void scan(std::string_view, std::string_view, const Visit&) const override {}
    void scan_back(std::string_view, std::string_view, const Visit&) const override {}
    ViewCursor cursor() const override { return {}; }
    Status status() const override { return fail(ErrorKind::trouble, "views_damaged", "input/output error"); }
  };
  std::unique_ptr<ViewReader> snapshot() const override { return std::make_unique<Reader>(); }
};

TEST_F(CommandIds, UnreadableRowIsNotTakenForAbsent) {
  const UnreadableStore unreadable;
  StoreHistory history(unreadable, log_);
  EXPECT_EQ(history.find_command(1000, "c1").error().code, "views_damaged");
  EXPECT_EQ(history.load_job("k1").error().code, "views_damaged");
  EXPECT_EQ(history.stream_version("system").error().code, "views_damaged");
  const auto rows = unreadable.snapshot();
  EXPECT_EQ(find_job(*rows, log_, "k1").error().code, "views_damaged");
  EXPECT_EQ(resolve_job(*rows, "@last").error().code, "views_damaged");
  EXPECT_EQ(resolve_job(*rows, "k1").error().code, "views_damaged");
  wire::QueryT all;
  all.filter = std::make_unique<wire::FilterT>();
  EXPECT_EQ(run_query(*rows, {log_, {}, {}}, all).error().code, "views_damaged");
  const OverlayReader tail(rows.get(), nullptr, {});
  EXPECT_EQ(tail.status().error().code, "views_damaged");
}

using LiveJobs = CoreViews;

TEST_F(LiveJobs, EndedJobLeavesUntilRetried) {
  writer_.write(1, queued("k1", "p"));
  writer_.write(1, queued("k2", "p"));
  writer_.write(1, starting("k1"));
  writer_.write(1, ended("k1", schema::JobState::failed));
  EXPECT_THAT(live_ids(), ElementsAre("k2"));
  EXPECT_EQ(find_job_state(rows(), "k1")->state, schema::JobState::failed);
  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(1, job_event("k1", std::move(retry)));
  EXPECT_THAT(live_ids(), ElementsAre("k2", "k1"));
  const auto job = find_job_state(rows(), "k1");
  EXPECT_EQ(job->state, schema::JobState::queued);
  EXPECT_EQ(job->spec->project, "p");
  std::vector<std::string> visited;
  visit_live_jobs(rows(), [&](const JobState& live) { visited.push_back(live.job); });
  EXPECT_THAT(visited, ElementsAre("k1", "k2"));
}

TEST_F(LiveJobs, MessageHoldsUntilAnAttemptCompletes) {
  const auto retry = [&](std::uint32_t attempt, const std::string& message) {
    schema::JobRetriedT fact;
    fact.attempt = attempt;
    if (!message.empty()) {
      fact.message = std::make_unique<schema::BlobRefT>(blob_ref({0, std::string(16, 's'), message}));
    }
    return writer_.write(1, job_event("k1", std::move(fact)));
  };
  const auto end = [&](schema::JobState state) {
    writer_.write(1, starting("k1"));
    writer_.write(1, ended("k1", state));
  };
  const auto told = [&] { return find_job_state(rows(), "k1")->message_position; };
  writer_.write(1, queued("k1", "p"));
  end(schema::JobState::completed);
  const Position first = retry(2, "faster");
  EXPECT_EQ(told(), first);
  EXPECT_EQ(find_job_state(rows(), "k1")->message->size, 6U);
  end(schema::JobState::failed);
  retry(3, "");
  EXPECT_EQ(told(), first);
  end(schema::JobState::failed);
  const Position second = retry(4, "slower");
  EXPECT_EQ(told(), second);
  end(schema::JobState::completed);
  EXPECT_EQ(told(), second);
  retry(5, "");
  EXPECT_EQ(told(), 0U);
  EXPECT_EQ(find_job_state(rows(), "k1")->message, nullptr);
}

TEST_F(LiveJobs, WhatChecksSayStandsBesideThePersonsMessage) {
  const auto retry = [&](std::uint32_t attempt, const std::string& message, bool corrects) {
    schema::JobRetriedT fact;
    fact.attempt = attempt;
    fact.corrects = corrects;
    fact.message = std::make_unique<schema::BlobRefT>(blob_ref({0, std::string(16, 's'), message}));
    return writer_.write(1, job_event("k1", std::move(fact)));
  };
  const auto end = [&] {
    writer_.write(1, starting("k1"));
    writer_.write(1, ended("k1", schema::JobState::failed));
  };
  writer_.write(1, queued("k1", "p"));
  end();
  const Position said = retry(2, "faster", false);
  end();
  const Position found = retry(3, "it is slow", true);
  const auto corrected = find_job_state(rows(), "k1");
  EXPECT_EQ(corrected->message_position, said);
  EXPECT_EQ(corrected->report_position, found);
  EXPECT_EQ(corrected->report->size, 10U);
  EXPECT_EQ(corrected->corrections, 1U);
  end();
  const Position again = retry(4, "leave it", false);
  const auto told = find_job_state(rows(), "k1");
  EXPECT_EQ(told->message_position, again);
  EXPECT_EQ(told->report_position, 0U);
  EXPECT_EQ(told->report, nullptr);
  EXPECT_EQ(told->corrections, 0U) << "the agent may correct what is asked now";
}

TEST_F(LiveJobs, EventsOfAnUnknownJobAreIgnored) {
  writer_.write(1, warning("ghost", "boo"));
  EXPECT_FALSE(find_job_state(rows(), "ghost"));
  EXPECT_THAT(live_ids(), ElementsAre());
}

TEST_F(LiveJobs, IdsAreVisitedNewestFirst) {
  for (const char* id : {"ka1", "ka2", "kb1"}) writer_.write(1, queued(id, "p"));
  EXPECT_THAT(live_ids(), ElementsAre("kb1", "ka2", "ka1"));
  EXPECT_THAT(live_ids("kb1"), ElementsAre("ka2", "ka1"));
  EXPECT_THAT(live_ids("ka1"), ElementsAre());
  EXPECT_THAT(live_ids("", 2), ElementsAre("kb1", "ka2"));
}

TEST_F(LiveJobs, ActiveMeansNeitherQueuedNorEnded) {
  for (const char* id : {"k1", "k2", "k3"}) writer_.write(1, queued(id, "p"));
  EXPECT_THAT(active_ids(), ElementsAre());
  writer_.write(1, starting("k1"));
  writer_.write(1, starting("k3"));
  EXPECT_THAT(active_ids(), ElementsAre("k3", "k1"));
  writer_.write(1, ended("k3", schema::JobState::failed));
  EXPECT_THAT(active_ids(), ElementsAre("k1"));
  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(1, job_event("k3", std::move(retry)));
  EXPECT_THAT(active_ids(), ElementsAre("k1"));
}

TEST_F(LiveJobs, LastEndsAreKeptInOrder) {
  std::vector<std::string> ends;
  bool all = false;
  const auto read = [&] {
    ends.clear();
    all = visit_last_ends(rows(), [&](std::string_view job) {
      ends.emplace_back(job);
      return true;
    });
  };
  read();
  EXPECT_TRUE(all && ends.empty());
  for (const char* id : {"k1", "k2", "k3"}) writer_.write(1, queued(id, "p"));
  for (const char* id : {"k3", "k1"}) writer_.write(1, ended(id, schema::JobState::failed));
  read();
  EXPECT_TRUE(all);
  EXPECT_THAT(ends, ElementsAre("k1", "k3"));
  schema::JobRetriedT retry;
  retry.attempt = 2;
  writer_.write(1, job_event("k3", std::move(retry)));
  writer_.write(1, ended("k3", schema::JobState::completed));
  read();
  EXPECT_TRUE(all);
  EXPECT_THAT(ends, ElementsAre("k3", "k1", "k3"));
  const std::uint64_t more = kLastEnds - 2;  // one end too many
  for (std::uint64_t i = 0; i < more; ++i) {
    const std::string id = "m" + std::to_string(i);
    writer_.write(1, queued(id, "p"));
    writer_.write(1, ended(id, schema::JobState::completed));
    if (i == more / 2) read();
  }
  read();
  EXPECT_FALSE(all);
  ASSERT_EQ(ends.size(), kLastEnds);
  EXPECT_EQ(ends.front(), "m" + std::to_string(more - 1));
  EXPECT_EQ(ends.back(), "k1");
}

using QueueView = CoreViews;

TEST_F(QueueView, OrderIsPriorityThenArrival) {
  writer_.write(1, queued("k1", "p", "shell", "", 5));
  writer_.write(1, queued("k2", "p", "shell", "", 9));
  writer_.write(1, queued("k3", "p", "shell", "", 5));
  writer_.write(1, queued("k4", "p", "shell", "", 0));
  EXPECT_THAT(queue(), ElementsAre("1:k2", "2:k1", "3:k3", "4:k4"));
}

TEST_F(QueueView, StartedJobLeavesReprioritizedJobMoves) {
  writer_.write(1, queued("k1", "p"));
  writer_.write(1, queued("k2", "p"));
  writer_.write(1, queued("k3", "p"));
  schema::JobReprioritizedT up;
  up.priority = 8;
  writer_.write(1, job_event("k3", up));
  EXPECT_THAT(queue(), ElementsAre("1:k3", "2:k1", "3:k2"));
  writer_.write(1, starting("k3"));
  writer_.write(1, ended("k1", schema::JobState::killed, schema::EndReason::cancelled_before_start));
  EXPECT_THAT(queue(), ElementsAre("1:k2"));
}

TEST_F(QueueView, HoldsAndDependenciesAreShown) {
  writer_.write(1, queued("k1", "p"));
  NewEvent event = queued("k2", "p");
  event.payload.AsJobEvent()->fact.AsJobQueued()->after = {"k1", "k0"};
  writer_.write(1, std::move(event));
  writer_.write(1, job_event("k2", schema::JobHeldT{}));
  EXPECT_THAT(queue(), ElementsAre("1:k1", "2:k2 held"));
  schema::DependencyEndedT dependency;
  dependency.job = "k1";
  dependency.state = schema::JobState::completed;
  writer_.write(1, job_event("k2", std::move(dependency)));
  writer_.write(1, job_event("k2", schema::JobReleasedT{}));
  visit_queue(rows(), [&](const view::QueueEntryT& entry) {
    if (entry.job == "k2") {
      EXPECT_THAT(entry.after, ElementsAre("k0"));
      EXPECT_FALSE(entry.held);
    }
    return true;
  });
}

TEST_F(QueueView, PausesLastUntilResume) {
  const auto pause = [](const std::string& project, const std::string& note) {
    schema::QueuePausedT fact;
    fact.project = project;
    fact.note = note;
    return new_event(project.empty() ? "system" : "project/" + project, std::move(fact));
  };
  writer_.write(kSecondUs, pause("", "upgrade"));
  const TimeUs since = writer_.now;
  writer_.write(kSecondUs, pause("alpha", ""));
  writer_.write(kSecondUs, pause("", "still"));
  auto switches = queue_switches(rows());
  ASSERT_EQ(switches.size(), 2U);
  EXPECT_EQ(switches[0].scope, "");
  EXPECT_EQ(switches[0].note, "still");
  EXPECT_EQ(switches[0].since_us, since);
  EXPECT_EQ(switches[1].scope, "alpha");
  writer_.write(1, new_event("system", schema::QueueResumedT{}));
  EXPECT_EQ(queue_switches(rows()).size(), 1U);
}

}  // namespace
}  // namespace luzia::test
