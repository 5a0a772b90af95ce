// Commands about many jobs at once, selected by a filter or a flow.
#include <algorithm>
#include <set>

#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

using JobIds = std::vector<std::string>;

std::vector<view::JobT> queued(const JobIds& ids) {
  std::vector<view::JobT> rows;
  for (const std::string& id : ids) rows.push_back(job(id, schema::JobState::queued));
  return rows;
}

/// A fake queue of jobs, some of which have ended since they were listed. Accepts at most `most` at once.
struct ListedJobs {
  JobIds listed;
  std::set<std::string> ended = {};
  std::size_t most = 4'096;
  std::vector<JobIds> cancelled = {};
  std::vector<std::string> command_ids = {};

  std::vector<wire::ReplyUnion> answer(const wire::ClientFrameT& frame) {
    const auto* act = frame.request.AsActOnJobs();
    if (act == nullptr) return std::vector{job_rows(queued(asked(*frame.request.AsQuery())))};
    if (act->jobs.size() > most) return std::vector{refused("command_too_large", ErrorKind::usage)};
    if (std::ranges::any_of(act->jobs, [&](const auto& id) { return ended.contains(id); })) {
      return std::vector{refused("already_ended", ErrorKind::refused)};
    }
    cancelled.push_back(act->jobs);
    command_ids.push_back(act->command_id);
    return std::vector{accepted(act->jobs)};
  }

 private:
  JobIds asked(const wire::QueryT& query) const {
    if (query.filter->jobs.empty()) return listed;
    JobIds left;
    std::ranges::copy_if(query.filter->jobs, std::back_inserter(left),
                         [&](const auto& id) { return !ended.contains(id); });
    return left;
  }
};

TEST_F(ProgramTest, LargeBulkCancelIsSplit) {
  ListedJobs queue;
  for (int i = 0; i < 1'200; ++i) queue.listed.push_back("job" + std::to_string(i));
  RecordingDaemon daemon(store_, [&](const auto& frame) { return queue.answer(frame); });
  const Ran ran = run({"cancel", "--all", "--yes", "--command-id", "night", "--note", "enough"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(queue.cancelled, ElementsAre(SizeIs(500), SizeIs(500), SizeIs(200)));
  EXPECT_THAT(queue.command_ids, ::testing::Each(StartsWith("night-")));
  EXPECT_EQ(std::set(queue.command_ids.begin(), queue.command_ids.end()).size(), 3u);
  EXPECT_EQ(daemon.requests().back()->request.AsActOnJobs()->note, "enough");
  const auto first = queue.command_ids;
  EXPECT_EQ(run({"cancel", "--all", "--yes", "--command-id", "night", "--note", "enough"}).code, 0);
  EXPECT_EQ(JobIds(queue.command_ids.begin() + 3, queue.command_ids.end()), first)
      << "a repetition has no further effect";
}

TEST_F(ProgramTest, BulkCancelWithManyEventsIsSplitFurther) {
  ListedJobs queue{{"a", "b", "c", "d", "e"}};
  queue.most = 2;
  RecordingDaemon daemon(store_, [&](const auto& frame) { return queue.answer(frame); });
  EXPECT_EQ(run({"cancel", "--all", "--yes"}).code, 0);
  EXPECT_THAT(queue.cancelled, ElementsAre(ElementsAre("a", "b"), ElementsAre("c"), ElementsAre("d", "e")));
}

TEST_F(ProgramTest, BulkCancelSkipsJobsEndedMeanwhile) {
  ListedJobs queue{{"a", "b", "c"}, {"b"}};
  RecordingDaemon daemon(store_, [&](const auto& frame) { return queue.answer(frame); });
  const Ran ran = run({"cancel", "--all", "--yes"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(queue.cancelled, ElementsAre(ElementsAre("a", "c")));
  EXPECT_EQ(ran.err, "cancelling a c\n");
  queue.ended = {"a", "b", "c"};
  const Ran none = run({"cancel", "--all", "--yes"});
  EXPECT_EQ(none.code, 0) << none.err;
  EXPECT_EQ(none.err, "nothing to cancel\n");
  EXPECT_THAT(queue.cancelled, SizeIs(1));
}

TEST_F(ProgramTest, RefusedBulkCancelReportsCanceledJobs) {
  ListedJobs queue;
  for (int i = 0; i < 600; ++i) queue.listed.push_back("job" + std::to_string(i));
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    const bool second = frame.request.AsActOnJobs() != nullptr && !queue.cancelled.empty();
    return second ? std::vector{refused("not_allowed", ErrorKind::refused)} : queue.answer(frame);
  });
  const Ran ran = run({"cancel", "--all", "--yes"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("the daemon says no; before that 500 jobs were cancelled"));
}

TEST_F(ProgramTest, UnknownProjectWithoutJobsIsReported) {
  ListedJobs queue;
  RecordingDaemon daemon(store_, [&](const auto& frame) { return queue.answer(frame); });
  EXPECT_EQ(run({"cancel", "--project", "wbe", "--yes"}).code, 3)
      << "by name the store's configuration counts";
  ::setenv("LUZIA_STORE", store_.c_str(), 1);
  const Ran ran = run_as_typed({"cancel", "--project", "wbe", "--yes"});
  ::unsetenv("LUZIA_STORE");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "luzia: no job or flow has a project 'wbe' yet\nnothing to cancel\n");
}

TEST_F(ProgramTest, CancelHandlesEachNamedJob) {
  ListedJobs queue{{}, {"b"}};
  RecordingDaemon daemon(store_, [&](const auto& frame) { return queue.answer(frame); });
  const Ran some = run({"cancel", "a", "b", "c", "a", "--json"});
  EXPECT_EQ(some.code, 4);
  EXPECT_THAT(queue.cancelled, ElementsAre(JobIds{"a"}, JobIds{"c"}));
  const Json told = Json::parse(some.out);
  EXPECT_EQ(told["ids"], Json({"a", "c"}));
  ASSERT_EQ(told["refused"].size(), 1u);
  EXPECT_EQ(told["refused"][0]["job"], "b");
  EXPECT_EQ(told["refused"][0]["code"], "already_ended");
  EXPECT_EQ(Json::parse(some.err.substr(some.err.find('{')))["error"]["code"], "already_ended");
  const Ran none = run({"cancel", "b"});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, Not(HasSubstr("cancelling")));
}

TEST_F(ProgramTest, EachNamedJobHasItsOwnCommandId) {
  ListedJobs queue;
  RecordingDaemon daemon(store_, [&](const auto& frame) { return queue.answer(frame); });
  EXPECT_EQ(run({"cancel", "a", "--command-id", "mine"}).code, 0);
  EXPECT_THAT(queue.command_ids, ElementsAre("mine"));
  queue.command_ids.clear();
  EXPECT_EQ(run({"cancel", "a", "c", "--command-id", "mine"}).code, 0);
  EXPECT_EQ(run({"cancel", "c", "a", "--command-id", "mine"}).code, 0);
  ASSERT_EQ(queue.command_ids.size(), 4u);
  EXPECT_THAT(queue.command_ids[0], StartsWith("mine-"));
  EXPECT_NE(queue.command_ids[0], queue.command_ids[1]);
  EXPECT_EQ(queue.command_ids[0], queue.command_ids[3]);
  EXPECT_EQ(queue.command_ids[1], queue.command_ids[2]);
}

view::FlowT flow_with(const std::string& id, const JobIds& jobs) {
  view::FlowT flow;
  flow.id = id;
  flow.project = "web";
  for (const std::string& job : jobs) {
    auto& step = *flow.steps.emplace_back(std::make_unique<view::FlowStepT>());
    step.name = "step of " + job;
    step.job = job;
    step.state = schema::StepState::in_progress;
  }
  return flow;
}

wire::ReplyUnion flow_row(const view::FlowT& flow) {
  return rows_of(std::vector{flow}, wire::RowType::flow);
}

/// @last names another flow after each command.
TEST_F(ProgramTest, EndingAFlowCancelsOnlyItsJobs) {
  ListedJobs queue{{}, {"b"}};
  int looked = 0;
  std::string ended;
  RecordingDaemon daemon(store_, [&](const wire::ClientFrameT& frame) {
    if (const auto* act = frame.request.AsActOnFlow()) {
      ended = act->flow;
      return std::vector{accepted({act->flow})};
    }
    const auto* query = frame.request.AsQuery();
    if (query == nullptr || query->view != wire::View::flows) return queue.answer(frame);
    if (query->id == "f-1" || ++looked == 1) return std::vector{flow_row(flow_with("f-1", {"a", "b", "c"}))};
    return std::vector{flow_row(flow_with("f-2", {"other"}))};
  });
  const Ran ran = run({"flow", "end", "@last", "--cancel-jobs"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ended, "f-1");
  EXPECT_EQ(ran.out, "f-1\n");
  EXPECT_THAT(queue.cancelled, ElementsAre(ElementsAre("a", "c"))) << "b has ended meanwhile";
  EXPECT_THAT(ran.err, HasSubstr("cancelling 2 jobs of the flow"));
}

}  // namespace
}  // namespace luzia
