// Which requests an attempt may make: each kind of request, about its own job and about another.
#include <gtest/gtest.h>

#include <set>

#include "tools/luziad/intake/request_table.h"

namespace luzia {
namespace {

const AttemptScope kOwn{"job", "web", "f-1", "build"};

template <class Request>
bool may(Request request) {
  wire::ClientFrameT frame;
  frame.request.Set(std::move(request));
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(wire::ClientFrame::Pack(builder, &frame));
  return is_of_attempt(*flatbuffers::GetRoot<wire::ClientFrame>(builder.GetBufferPointer()), kOwn);
}

template <class Request>
bool may_about(const std::string& job) {
  Request request;
  request.job = job;
  return may(std::move(request));
}

template <class... Requests>
void expect_for_own_alone() {
  for (const bool own : {may_about<Requests>("job")...}) EXPECT_TRUE(own);
  for (const char* other : {"job2", "jo", "", "@last"}) {
    for (const bool allowed : {may_about<Requests>(other)...}) EXPECT_FALSE(allowed) << other;
  }
}

TEST(AttemptRights, AttemptActsOnlyForItsOwnJob) {
  expect_for_own_alone<wire::PublishT, wire::AskQuestionT, wire::CancelQuestionT, wire::RequestApprovalT,
                       wire::CancelApprovalT, wire::AwaitInputT, wire::ConfirmDeliveryT, wire::NoteWorkspaceT,
                       wire::TakeToldT, wire::TailT>();
}

TEST(AttemptRights, AttemptDecidesAndStartsNothing) {
  EXPECT_FALSE(may_about<wire::AnswerQuestionT>("job"));
  EXPECT_FALSE(may_about<wire::DecideApprovalT>("job"));
  EXPECT_FALSE(may_about<wire::TellJobT>("job"));
  EXPECT_FALSE(may_about<wire::JudgeSolutionT>("job"));
  EXPECT_FALSE(may(wire::DispatchT{}));
  EXPECT_FALSE(may(wire::PreviewPromptT{}));
  EXPECT_FALSE(may(wire::CreateFlowT{}));
  EXPECT_FALSE(may(wire::RecordSolutionT{}));
  EXPECT_FALSE(may(wire::StoreFactT{}));
  EXPECT_FALSE(may(wire::ActOnTodoT{}));
  EXPECT_FALSE(may(wire::ImportJobsT{}));
  EXPECT_FALSE(may(wire::FollowT{}));
  EXPECT_FALSE(may(wire::ClearAlertsT{}));
  EXPECT_FALSE(may(wire::TrackJobT{}));
  EXPECT_FALSE(may(wire::OfferPairingT{}));
  EXPECT_FALSE(may(wire::PairDeviceT{}));
  EXPECT_FALSE(may(wire::CheckDeviceT{}));
  EXPECT_FALSE(may(wire::RevokeDeviceT{}));
  EXPECT_FALSE(may(wire::ActOnPushT{}));
  EXPECT_FALSE(may(wire::NotePagesT{}));
  EXPECT_FALSE(may(wire::ActOnScheduleT{}));
  EXPECT_FALSE(may(wire::ReadGroupsT{}));
  wire::ActOnJobsT act;
  act.jobs = {"job"};
  EXPECT_FALSE(may(std::move(act)));
  wire::RemoveJobsT remove;
  remove.jobs = {"job"};
  EXPECT_FALSE(may(std::move(remove)));
  EXPECT_FALSE(may(wire::ActOnQueueT{}));
  wire::TailT live;
  live.job = "job";
  live.live = true;
  EXPECT_FALSE(may(std::move(live))) << "it would continue after the attempt";
  for (int action = 0; action <= static_cast<int>(wire::ControlAction::MAX); ++action) {
    wire::ControlT control;
    control.action = static_cast<wire::ControlAction>(action);
    EXPECT_EQ(may(std::move(control)), action == static_cast<int>(wire::ControlAction::ping)) << action;
  }
}

TEST(AttemptRights, AttemptReadsItsOwnPresentJob) {
  using enum wire::View;
  const std::set<wire::View> of_the_job = {jobs, why, waiting, issues, questions, approvals};
  const std::set<wire::View> of_the_project = {solutions, facts, todos, catalogue};
  for (int number = 0; number <= static_cast<int>(wire::View::MAX); ++number) {
    const auto view = static_cast<wire::View>(number);
    const auto query = [view](std::vector<std::string> about, std::uint64_t at = 0) {
      wire::QueryT asked;
      asked.view = view;
      asked.at_position = at;
      asked.filter = std::make_unique<wire::FilterT>();
      asked.filter->jobs = std::move(about);
      return asked;
    };
    const bool of_project = of_the_project.contains(view);
    EXPECT_EQ(may(query({"job"})), of_the_job.contains(view) || of_project) << number;
    EXPECT_EQ(may(query({})), of_project) << number;
    EXPECT_EQ(may(query({"other"})), of_project) << number;
    EXPECT_EQ(may(query({"job", "other"})), of_project) << number;
    EXPECT_FALSE(may(query({"job"}, 7))) << number;
  }
  for (const char* id : {"f-1", "f-2", "f", ""}) {
    wire::QueryT flow;
    flow.view = flows;
    flow.id = id;
    EXPECT_EQ(may(std::move(flow)), std::string("f-1") == id) << id;
  }
}

TEST(AttemptRights, AttemptEndsItsOwnStep) {
  for (int number = 0; number <= static_cast<int>(wire::FlowAction::MAX); ++number) {
    const auto action = static_cast<wire::FlowAction>(number);
    const auto act = [action](const std::string& flow, const std::string& step, const std::string& job) {
      wire::ActOnFlowT request;
      request.action = action;
      request.flow = flow;
      request.step = step;
      request.job = job;
      return request;
    };
    const bool ends = action == wire::FlowAction::complete || action == wire::FlowAction::fail;
    const bool notes = action == wire::FlowAction::note;
    EXPECT_EQ(may(act("f-1", "build", "")), ends || notes) << number;
    EXPECT_EQ(may(act("f-1", "build", "job")), ends || notes) << number;
    EXPECT_EQ(may(act("f-1", "test", "")), notes) << number;
    EXPECT_FALSE(may(act("f-1", "build", "other"))) << number;
    EXPECT_FALSE(may(act("f-2", "build", ""))) << number;
    EXPECT_FALSE(may(act("", "build", ""))) << number;
  }
}

}  // namespace
}  // namespace luzia
