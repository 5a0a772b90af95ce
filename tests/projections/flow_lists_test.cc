// Which flows the lists contain: removed flows and flows that ended long ago are left out, each by its own
// rule.
#include "engine/flow/flow.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using Names = std::vector<std::string>;

/// The parameters of a list of flows.
struct Wish {
  bool all_time = false, manual_steps_only = false;
  Position at = 0;
  std::string id = {}, step = {};
  std::vector<schema::JobState> states = {};
  Names jobs = {}, agents = {};
};

class FlowLists : public ViewsTest {
 protected:
  void order(const std::string& id, FlowCommand command) {
    writer_.now += kMinuteUs;
    auto events = decide(flows_[id], std::move(command), writer_.now);
    ASSERT_TRUE(events) << events.error().message;
    for (NewEvent& event : *events) evolve(flows_[id], writer_.add(std::move(event)));
    writer_.commit();
  }
  /// Begins a flow of a single step.
  void begin_flow(const std::string& id) {
    CreateFlow create;
    create.id = id;
    create.flow.project = "alpha";
    NewStep step;
    step.step.name = "build";
    create.steps.push_back(std::move(step));
    order(id, std::move(create));
  }
  /// A flow of a single step that is done.
  void done_flow(const std::string& id) {
    begin_flow(id);
    order(id, EndStep{"build", schema::StepState::completed});
  }

  RowPage ask(wire::View view, const Wish& wish = {}) {
    wire::QueryT query;
    query.view = view;
    query.filter = std::make_unique<wire::FilterT>();
    query.filter->states = wish.states;
    query.filter->jobs = wish.jobs;
    query.filter->agents = wish.agents;
    query.all_time = wish.all_time;
    query.manual_steps_only = wish.manual_steps_only;
    query.text = wish.step;
    query.id = wish.id;
    query.at_position = wish.at;
    auto page = run_query(rows(), {log_, {}, {}, {}, nullptr, writer_.now, ended_since_}, query);
    EXPECT_TRUE(page) << page.error().message;
    return page ? std::move(*page) : RowPage();
  }
  Names listed(const Wish& wish = {}) {
    Names ids;
    for (const std::string& bytes : ask(wire::View::flows, wish).rows) {
      ids.emplace_back(verified_row<view::Flow>(as_bytes(bytes))->id()->str());
    }
    return ids;
  }

  std::map<std::string, Flow> flows_;
  TimeUs ended_since_ = 0;
};

TEST_F(FlowLists, LongEndedFlowsAreOnlyInFullHistories) {
  done_flow("f-old");
  const Position then = log_.tip().position;
  writer_.now += kDayUs;
  ended_since_ = writer_.now;
  done_flow("f-young");
  EXPECT_THAT(listed(), ElementsAre("f-young"));
  EXPECT_THAT(listed({.all_time = true}), ElementsAre("f-young", "f-old"));
  EXPECT_THAT(listed({.at = then}), ElementsAre("f-old")) << "as it was then";
  EXPECT_THAT(listed({.id = "f-old"}), ElementsAre("f-old")) << "by its id";
}

TEST_F(FlowLists, RemovedFlowsAreUnlistedUntilReopened) {
  done_flow("f-one");
  const Position then = log_.tip().position;
  order("f-one", RemoveFlow{"done with"});
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_THAT(listed({.all_time = true}), IsEmpty());
  EXPECT_THAT(listed({.all_time = true, .at = then}), ElementsAre("f-one")) << "as it was then";
  EXPECT_THAT(listed({.id = "f-one"}), ElementsAre("f-one")) << "by its id";
  order("f-one", ReopenFlow{"go on"});
  EXPECT_THAT(listed(), ElementsAre("f-one"));
  EXPECT_THAT(listed({.all_time = true}), ElementsAre("f-one"));
}

TEST_F(FlowLists, StepDurationEqualsItsJobsWithoutADaemon) {
  begin_flow("f-one");
  order("f-one", NoteStepQueued{"build", "j1"});
  order("f-one", NoteStepStarted{"build", "j1"});
  NoteStepEnded ended{"build", "j1", true};
  ended.ended_us = writer_.now + 5 * kSecondUs;
  writer_.now += kDayUs;
  order("f-one", std::move(ended));
  const RowPage page = ask(wire::View::step_statistics);
  ASSERT_EQ(page.rows.size(), 1U);
  const auto row = verified_row<view::StepStatistic>(as_bytes(page.rows[0]));
  EXPECT_EQ(row->timed(), 1U);
  EXPECT_EQ(row->sum_us(), static_cast<std::uint64_t>(5 * kSecondUs));
}

TEST_F(FlowLists, StepStatisticsStayAfterRemoval) {
  done_flow("f-old");
  done_flow("f-one");
  order("f-one", RemoveFlow{"done with"});
  ended_since_ = writer_.now + kDayUs;
  const RowPage page = ask(wire::View::step_statistics);
  ASSERT_EQ(page.rows.size(), 1U);
  EXPECT_EQ(verified_row<view::StepStatistic>(as_bytes(page.rows[0]))->completed(), 2U);
}

TEST_F(FlowLists, StatesJobsAndAgentsAreFilters) {
  done_flow("f-done");
  begin_flow("f-active");
  begin_flow("f-failed");
  order("f-failed", EndStep{"build", schema::StepState::failed});
  EXPECT_THAT(listed({.states = {schema::JobState::running}}), ElementsAre("f-active"));
  EXPECT_THAT(listed({.states = {schema::JobState::completed}}), ElementsAre("f-done"));
  EXPECT_THAT(listed({.states = {schema::JobState::failed, schema::JobState::completed}}),
              ElementsAre("f-failed", "f-done"));
  EXPECT_THAT(listed({.states = {schema::JobState::cancelled}}), IsEmpty());
  writer_.write(1, queued("j1", "alpha", "claude"));
  order("f-active", NoteStepQueued{"build", "j1"});
  EXPECT_THAT(listed({.jobs = {"j1"}}), ElementsAre("f-active"));
  EXPECT_THAT(listed({.agents = {"claude"}}), ElementsAre("f-active"));
  EXPECT_THAT(listed({.agents = {"codex"}}), IsEmpty());
}

TEST_F(FlowLists, GatesOfOneFlowAreListedByItsId) {
  for (const char* id : {"f-1", "f-10"}) {
    CreateFlow create;
    create.id = id;
    create.flow.project = "alpha";
    create.flow.runs = true;
    for (const char* name : {"build", "look"}) create.steps.emplace_back().step.name = name;
    create.steps[1].step.needs = {"build"};
    create.steps[1].step.gate = "person";
    order(id, std::move(create));
    order(id, EndStep{"build"});
  }
  const auto gates = [&](const std::string& flow) {
    Names ids;
    for (const auto& gate : natives<view::Approval>(ask(wire::View::approvals, {.id = flow})))
      ids.push_back(gate.id);
    return ids;
  };
  EXPECT_THAT(gates("f-1"), ElementsAre("f-1/look")) << "it waits";
  order("f-1", DecideStepGate{"look", true, ""});
  order("f-1", ResetStep{"build", "again"});
  order("f-1", EndStep{"build"});
  EXPECT_THAT(gates("f-1"), ElementsAre("f-1/look", "f-1/look")) << "it waits again, and was decided before";
  EXPECT_THAT(gates("f-10"), ElementsAre("f-10/look"));
  EXPECT_THAT(gates("f"), IsEmpty()) << "only a whole id";
  EXPECT_THAT(ask(wire::View::approvals).rows, SizeIs(3));
}

TEST_F(FlowLists, ManualFilterListsFlowsWaitingForPeople) {
  const auto begin = [&](const std::string& id, bool runs, const char* gate = "") {
    CreateFlow create;
    create.id = id;
    create.flow.project = "alpha";
    create.flow.runs = runs;
    for (const char* name : {"build", "look"}) {
      NewStep& step = create.steps.emplace_back();
      step.step.name = name;
    }
    create.steps[0].prompt = Blob{.salt = std::string(16, 's'), .content = "build it"};
    create.steps[1].step.needs = {"build"};
    create.steps[1].step.gate = gate;
    order(id, std::move(create));
  };
  const auto waiting = [&] { return listed({.manual_steps_only = true}); };
  begin("f-hand", false);
  begin("f-runs", true);
  begin("f-gate", true, "look");
  EXPECT_THAT(waiting(), IsEmpty()) << "their dependencies are not done";
  for (const char* id : {"f-hand", "f-runs", "f-gate"}) order(id, EndStep{"build"});
  EXPECT_THAT(waiting(), ElementsAre("f-runs")) << "one has a manual step, one a closed gate";
  order("f-gate", DecideStepGate{"look", true, ""});
  EXPECT_THAT(waiting(), ElementsAre("f-runs", "f-gate"));
  order("f-gate", PauseFlow{});
  EXPECT_THAT(waiting(), ElementsAre("f-runs"));
  order("f-gate", ResumeFlow{});
  order("f-gate", StartStep{"look"});
  EXPECT_THAT(waiting(), ElementsAre("f-runs")) << "somebody is working on it";
  const Position then = log_.tip().position;
  order("f-runs", EndStep{"look"});
  EXPECT_THAT(waiting(), IsEmpty());
  EXPECT_THAT(listed({.manual_steps_only = true, .at = then}), ElementsAre("f-runs")) << "as it was then";
}

}  // namespace
}  // namespace luzia::test
