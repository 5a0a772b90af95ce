// Rows of agents' reports about their work: todo lists, tools and their durations, usage by day and model.
#include "projections/costs.h"
#include "projections/rows/usage_rows.h"
#include "projections/tools.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

class UsageViews : public ViewsTest {
 protected:
  UsageViews() { writer_.now = kEpoch + 12 * kHourUs; }

  view::JobT job(const std::string& id) {
    auto row = find_job_row(rows(), id);
    EXPECT_TRUE(row);
    return row ? std::move(*row) : view::JobT{};
  }
  std::vector<std::string> page(wire::View view, const wire::FilterT& filter = {}) {
    wire::QueryT query;
    query.view = view;
    query.filter = std::make_unique<wire::FilterT>(filter);
    query.filter->ended = true;
    auto page = run_query(rows(), {log_, {}, {}, {}}, query);
    EXPECT_TRUE(page) << page.error().message;
    return page ? page->rows : std::vector<std::string>();
  }
  template <class Day>
  static std::vector<const Day*> of(const std::vector<std::string>& rows) {
    std::vector<const Day*> days;
    for (const std::string& row : rows) days.push_back(flatbuffers::GetRoot<Day>(row.data()));
    return days;
  }
  /// Lines like "key calls/failures/denials timed".
  std::vector<std::string> tools(UsageBy by = UsageBy::tool, const wire::FilterT& filter = {}) {
    const auto rows = page(wire::View::tools, filter);
    std::vector<std::string> told;
    for (const ToolStatistic& row : tool_statistics(of<view::ToolDay>(rows), by)) {
      told.push_back(row.key + " " + std::to_string(row.calls) + "/" + std::to_string(row.failures) + "/" +
                     std::to_string(row.denials) + " " + std::to_string(row.timed));
    }
    return told;
  }
  std::vector<std::string> costs(UsageBy by) {
    const auto rows = page(wire::View::costs);
    std::vector<std::string> told;
    for (const CostStatistic& row : cost_statistics(of<view::CostDay>(rows), by)) {
      char usd[32];
      std::snprintf(usd, sizeof usd, "%.2f", row.cost_usd);
      told.push_back(row.key + " jobs=" + std::to_string(row.jobs) +
                     " in=" + std::to_string(row.tokens.input) + " out=" + std::to_string(row.tokens.output) +
                     " usd=" + usd);
    }
    return told;
  }
  std::size_t open_calls() {
    std::size_t count = 0;
    rows().scan(row_key(kToolsView, kBehindDays), row_end(kToolsView),
                [&count](std::string_view, std::string_view) { return ++count; });
    return count;
  }

  void run(const std::string& id, const std::string& agent = "claude", const std::string& project = "alpha") {
    writer_.write(0, queued(id, project, agent));
    writer_.write(0, starting(id));
    writer_.write(0, started(id));
    schema::SessionIdentifiedT session;
    session.session_id = "s-" + id;
    session.model = "small";
    writer_.write(0, job_event(id, std::move(session)));
  }
  void call(TimeUs later, const std::string& id, const std::string& call_id, const std::string& tool) {
    schema::ToolCalledT fact;
    fact.attempt = 1;
    fact.call_id = call_id;
    fact.tool = tool;
    writer_.write(later, job_event(id, std::move(fact)));
  }
  void returned(TimeUs later, const std::string& id, const std::string& call_id,
                const std::string& failure = "",
                flatbuffers::Optional<std::uint64_t> took = flatbuffers::nullopt) {
    schema::ToolReturnedT fact;
    fact.attempt = 1;
    fact.call_id = call_id;
    fact.succeeded = failure.empty();
    fact.failure = failure;
    fact.duration_us = took;
    writer_.write(later, job_event(id, std::move(fact)));
  }
  void todo(const std::string& id, bool whole,
            const std::vector<std::tuple<std::string, std::string, schema::TodoStatus>>& items) {
    schema::TodoReportedT fact;
    fact.attempt = 1;
    fact.whole = whole;
    for (const auto& [item_id, words, status] : items) {
      fact.items.push_back(std::make_unique<schema::TodoItemT>());
      fact.items.back()->id = item_id;
      fact.items.back()->text = words;
      fact.items.back()->status = status;
    }
    writer_.write(0, job_event(id, std::move(fact)));
  }
  static std::unique_ptr<schema::ModelUsageT> part(const std::string& model, std::uint64_t output,
                                                   double cost) {
    auto part = std::make_unique<schema::ModelUsageT>();
    part->model = model;
    part->output_tokens = output;
    part->cost_usd = cost;
    return part;
  }
  void use(const std::string& id, schema::UsageReportedT fact) {
    writer_.write(0, job_event(id, std::move(fact)));
  }
};

TEST_F(UsageViews, ResultsArePairedWithCallsInAnyOrder) {
  run("k1");
  call(0, "k1", "a", "Bash");
  call(kSecondUs, "k1", "b", "Read");
  returned(kSecondUs, "k1", "b");
  returned(kSecondUs, "k1", "a", "nonzero_exit");
  EXPECT_THAT(tools(), ElementsAre("Bash 1/1/0 1", "Read 1/0/0 1"));
  const auto rows = page(wire::View::tools);
  const auto statistics = tool_statistics(of<view::ToolDay>(rows), UsageBy::tool);
  EXPECT_DOUBLE_EQ(*statistics[0].mean_ms(), 3000);
  EXPECT_DOUBLE_EQ(*statistics[1].mean_ms(), 1000);
  EXPECT_NEAR(*statistics[0].p95_ms(), 3000, 600);
  EXPECT_EQ(job("k1").tool_calls, 2U);
  EXPECT_EQ(job("k1").tool_failures, 1U);
}

TEST_F(UsageViews, ReportedDurationCounts) {
  run("k1");
  call(0, "k1", "a", "Bash");
  returned(9 * kSecondUs, "k1", "a", "", 250'000);
  const auto rows = page(wire::View::tools);
  EXPECT_DOUBLE_EQ(*tool_statistics(of<view::ToolDay>(rows), UsageBy::each)[0].mean_ms(), 250);
}

TEST_F(UsageViews, LinesReadTogetherGiveNoDuration) {
  run("k1");
  call(0, "k1", "a", "Bash");
  returned(0, "k1", "a");
  EXPECT_THAT(tools(), ElementsAre("Bash 1/0/0 0"));
}

TEST_F(UsageViews, DenialIsNoFailure) {
  run("k1");
  call(0, "k1", "a", "Bash");
  returned(kSecondUs, "k1", "a", "denied");
  schema::ToolDeniedT denied;
  denied.attempt = 1;
  denied.call_id = "a";
  writer_.write(0, job_event("k1", std::move(denied)));
  EXPECT_THAT(tools(), ElementsAre("Bash 1/0/1 0"));
  EXPECT_EQ(job("k1").tool_failures, 0U);
  EXPECT_EQ(job("k1").tool_denials, 1U);
}

TEST_F(UsageViews, OpenCallsEndWithTheAttempt) {
  run("k1");
  for (std::uint64_t i = 0; i < kMaxOpenCalls + 20; ++i) call(0, "k1", "c" + std::to_string(i), "Bash");
  run("k2");
  call(0, "k2", "a", "Read");
  EXPECT_EQ(open_calls(), kMaxOpenCalls + 1 + 2);
  writer_.write(kSecondUs, attempt_ended("k1", 0, writer_.now));
  EXPECT_EQ(open_calls(), 2U);
  EXPECT_THAT(tools(), ElementsAre("Bash 1020/0/0 0", "Read 1/0/0 0"));
  returned(kSecondUs, "k2", "a");
  EXPECT_THAT(tools(UsageBy::agent), ElementsAre("claude 1021/0/0 1"));
}

TEST_F(UsageViews, ResultCountsOnItsCallsDay) {
  run("k1");
  call(0, "k1", "a", "Bash");
  returned(kDayUs, "k1", "a", "error");
  EXPECT_THAT(tools(UsageBy::day), ElementsAre("2026-01-01 1/1/0 1"));
}

TEST_F(UsageViews, ToolsAreFilteredByProjectAgentAndDay) {
  run("k1", "claude", "alpha");
  call(0, "k1", "a", "Bash");
  run("k2", "codex", "beta");
  call(2 * kDayUs, "k2", "a", "shell");
  wire::FilterT filter;
  filter.projects = {"beta"};
  EXPECT_THAT(tools(UsageBy::tool, filter), ElementsAre("shell 1/0/0 0"));
  wire::FilterT agent;
  agent.agents = {"claude"};
  EXPECT_THAT(tools(UsageBy::tool, agent), ElementsAre("Bash 1/0/0 0"));
  wire::FilterT since;
  since.since_us = kEpoch + 2 * kDayUs;
  EXPECT_THAT(tools(UsageBy::tool, since), ElementsAre("shell 1/0/0 0"));
}

TEST_F(UsageViews, ReportOnSeveralModelsIsSplitCompletely) {
  run("k1");
  schema::UsageReportedT first;
  first.attempt = 1;
  first.scope = schema::UsageScope::turn;
  first.cost_scope = schema::UsageScope::session_total;
  first.session_id = "s-k1";
  first.input_tokens = 10;
  first.output_tokens = 100;
  first.cost_usd = 1;
  first.by_model.push_back(part("large", 75, 0.75));
  first.by_model.push_back(part("small", 25, 0.25));
  use("k1", first);
  EXPECT_THAT(costs(UsageBy::model), ElementsAre("large jobs=1 in=10 out=75 usd=0.75",  //
                                                 "small jobs=1 in=0 out=25 usd=0.25"));
  // The session's second result: only the small model has used more.
  schema::UsageReportedT second = first;
  second.output_tokens = 50;
  second.cost_usd = 1.5;
  second.by_model.clear();
  second.by_model.push_back(part("large", 0, 0.75));
  second.by_model.push_back(part("small", 50, 0.75));
  use("k1", second);
  EXPECT_EQ(costs(UsageBy::project), std::vector<std::string>{"alpha jobs=2 in=20 out=150 usd=1.50"});
  EXPECT_THAT(costs(UsageBy::model), ElementsAre("large jobs=1 in=20 out=75 usd=0.75",  //
                                                 "small jobs=1 in=0 out=75 usd=0.75"));
  EXPECT_EQ(job("k1").tokens->output, 150U);
  EXPECT_DOUBLE_EQ(*job("k1").cost_usd, 1.5);
}

TEST_F(UsageViews, JobCountsOnItsFirstDayOfAModel) {
  run("k1");
  schema::UsageReportedT turn;
  turn.attempt = 1;
  turn.output_tokens = 5;
  use("k1", turn);
  writer_.now += kDayUs;
  use("k1", turn);
  turn.model = "large";
  use("k1", turn);
  EXPECT_THAT(costs(UsageBy::day), ElementsAre("2026-01-02 jobs=1 in=0 out=10 usd=0.00",  //
                                               "2026-01-01 jobs=1 in=0 out=5 usd=0.00"));
}

TEST_F(UsageViews, StoppedJobWithoutAReportOfTheWholeIsPartial) {
  schema::UsageReportedT step;
  step.attempt = 1;
  step.output_tokens = 5;
  schema::AgentConcludedT concluded;
  concluded.attempt = 1;
  concluded.outcome = schema::AgentOutcome::completed;
  for (const char* id : {"k1", "k2", "k3"}) {
    run(id);
    if (id != std::string_view("k3")) use(id, step);
    if (id == std::string_view("k2")) writer_.write(0, job_event(id, concluded));
    EXPECT_FALSE(job(id).usage_partial) << "it may still report the whole";
    writer_.write(0, ended(id, schema::JobState::killed, schema::EndReason::cancelled));
  }
  EXPECT_TRUE(job("k1").usage_partial);
  EXPECT_FALSE(job("k2").usage_partial) << "its agent has reported an end";
  EXPECT_FALSE(job("k3").usage_partial) << "nothing is known that could be incomplete";
}

TEST_F(UsageViews, PartialReportMarksTheJob) {
  run("k1");
  schema::UsageReportedT sum;
  sum.attempt = 1;
  sum.scope = sum.cost_scope = schema::UsageScope::attempt_total;
  sum.output_tokens = 5;
  sum.partial = true;
  use("k1", sum);
  EXPECT_TRUE(job("k1").usage_partial);
  EXPECT_EQ(costs(UsageBy::project), std::vector<std::string>{"alpha jobs=1 in=0 out=5 usd=0.00"});
}

TEST_F(UsageViews, TodoListIsProgress) {
  using schema::TodoStatus;
  run("k1");
  todo("k1", true, {{"", "read", TodoStatus::completed}, {"", "write", TodoStatus::in_progress}});
  EXPECT_EQ(*job("k1").progress->percent, 50);
  EXPECT_EQ(job("k1").progress->current_step, 2U);
  EXPECT_EQ(job("k1").progress->step_name, "write");
  todo("k1", true, {{"1", "read", TodoStatus::pending}, {"2", "write", TodoStatus::pending}});
  todo("k1", false, {{"2", "", TodoStatus::removed}, {"1", "", TodoStatus::completed}});
  todo("k1", false, {{"3", "check", TodoStatus::pending}, {"4", "ship", TodoStatus::pending}});
  const view::JobT row = job("k1");
  ASSERT_EQ(row.todo.size(), 3U);
  EXPECT_EQ(row.todo[0]->text, "read");
  EXPECT_EQ(row.progress->total_steps, 3U);
  EXPECT_NEAR(*row.progress->percent, 33.3, 0.1);
  EXPECT_EQ(row.progress->step_name, "");
}

TEST_F(UsageViews, ParkedAgentIsShownWithItsJob) {
  run("k1");
  schema::AgentParkedT parked;
  parked.agent = "claude";
  parked.until_us = writer_.now + kHourUs;
  parked.limit = "five_hour";
  parked.job = "k1";
  writer_.write(0, new_event("system", std::move(parked)));
  const auto rows = page(wire::View::agent_limits);
  ASSERT_EQ(rows.size(), 1U);
  const view::AgentLimit& limit = *of<view::AgentLimit>(rows)[0];
  EXPECT_EQ(text(limit.agent()), "claude");
  EXPECT_EQ(text(limit.limit()), "five_hour");
  EXPECT_EQ(text(limit.job()), "k1");
  EXPECT_EQ(limit.until_us() - limit.since_us(), kHourUs);
  wire::FilterT other;
  other.agents = {"codex"};
  EXPECT_THAT(page(wire::View::agent_limits, other), IsEmpty());
}

TEST_F(UsageViews, SumsHaveTheDocumentedFormat) {
  run("k1");
  call(0, "k1", "a", "Bash");
  schema::UsageReportedT turn;
  turn.attempt = 1;
  turn.input_tokens = 7;
  turn.cost_usd = 0.5;
  use("k1", turn);
  const auto tool_rows = page(wire::View::tools), cost_rows = page(wire::View::costs);
  EXPECT_EQ(tool_statistic_json(tool_statistics(of<view::ToolDay>(tool_rows), UsageBy::each)[0]),
            R"({"key":"Bash","name":"Bash","agent":"claude","project":"alpha","calls":1,"failures":0,)"
            R"("denials":0,"mean_ms":null,"p95_ms":null})");
  EXPECT_EQ(cost_statistic_json(cost_statistics(of<view::CostDay>(cost_rows), UsageBy::model)[0]),
            R"({"key":"small","jobs":1,"tokens":{"input":7,"output":0,"cache_read":0,"cache_write":0},)"
            R"("cost_usd":0.5})");
}

}  // namespace
}  // namespace luzia::test
