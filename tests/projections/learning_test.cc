// Queries about solutions, facts and the tool catalog.
#include "projections/learning.h"

#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using Names = std::vector<std::string>;

class LearningQueries : public ViewsTest {
 protected:
  LearningQueries() { query_.filter = std::make_unique<wire::FilterT>(); }

  void order(const std::string& stream, LearningCommand command) {
    Lesson& lesson = lessons_[stream];
    auto events = decide(lesson, stream, std::move(command), writer_.now);
    ASSERT_TRUE(events) << events.error().message;
    for (NewEvent& event : *events) evolve(lesson, writer_.add(std::move(event)));
    writer_.commit();
    writer_.now += kSecondUs;
  }
  void record(const std::string& id, const std::string& project, Names tags = {}) {
    RecordSolution command{id, project, "problem of " + id, Blob{0, "0123456789abcdef", "text of " + id}};
    command.tags = std::move(tags);
    order(solution_stream(id), std::move(command));
  }
  void store(const std::string& project, const std::string& subject, const std::string& relation,
             const std::string& object) {
    order(fact_stream(project, subject, relation, object), StoreFact{subject, relation, object, "", project});
  }
  Result<RowPage> ask(wire::View view) {
    query_.view = view;
    return run_query(rows(), {log_, may_see_, {}}, query_);
  }
  template <class Row>
  Names names(wire::View view, std::string (*name)(const Row&)) {
    const auto page = ask(view);
    EXPECT_TRUE(page) << (page ? "" : page.error().message);
    next_ = page ? page->next : "";
    Names all;
    for (const std::string& bytes : page ? page->rows : Names{}) {
      const Row* row = verified_row<Row>(as_bytes(bytes));
      EXPECT_NE(row, nullptr);
      if (row != nullptr) all.push_back(name(*row));
    }
    return all;
  }
  Names solutions() {
    return names<view::Solution>(
        wire::View::solutions,
        +[](const view::Solution& row) { return row.id()->str() + ":" + std::string(text(row.text())); });
  }
  Names facts() {
    return names<view::Fact>(
        wire::View::facts, +[](const view::Fact& row) {
          return row.subject()->str() + " " + row.relation()->str() + " " + row.object()->str();
        });
  }
  Names tools() {
    return names<view::CatalogueTool>(
        wire::View::catalogue, +[](const view::CatalogueTool& row) {
          return row.tool()->str() + "/" + std::string(text(row.agent())) + "/" +
                 std::string(text(row.source())) + "/" + std::to_string(row.calls()) + "-" +
                 std::to_string(row.failures());
        });
  }

  wire::QueryT query_;
  std::function<bool(std::string_view)> may_see_;
  std::map<std::string, Lesson> lessons_;
  std::string next_;
};

TEST_F(LearningQueries, SolutionsAreNewestFirst) {
  for (const char* id : {"s-1", "s-2", "s-3"}) record(id, "alpha");
  EXPECT_EQ(solutions(), (Names{"s-3:text of s-3", "s-2:text of s-2", "s-1:text of s-1"}));
  query_.limit = 2;
  EXPECT_EQ(solutions(), (Names{"s-3:text of s-3", "s-2:text of s-2"}));
  query_.cursor = next_;
  EXPECT_EQ(solutions(), Names{"s-1:text of s-1"});
  EXPECT_EQ(next_, "");
}

TEST_F(LearningQueries, GeneralSolutionsAreVisibleToAll) {
  record("s-1", "alpha", {"x"});
  record("s-2", "", {"x", "y"});
  record("s-3", "beta", {"x"});
  query_.filter->projects = {"alpha"};
  EXPECT_EQ(solutions(), (Names{"s-2:text of s-2", "s-1:text of s-1"}));
  query_.filter->tags = {"x", "y"};
  EXPECT_EQ(solutions(), Names{"s-2:text of s-2"});
  query_.filter = std::make_unique<wire::FilterT>();
  may_see_ = [](std::string_view project) { return project == "beta"; };
  EXPECT_EQ(solutions(), (Names{"s-3:text of s-3", "s-2:text of s-2"}));
  query_.id = "s-1";
  EXPECT_EQ(ask(wire::View::solutions).error().code, "no_such_solution");
}

TEST_F(LearningQueries, SolutionIsNamedByPrefixOrLast) {
  record("s-11", "alpha");
  record("s-12", "alpha");
  for (const char* name : {"s-12", "12", "@last"}) {
    query_.id = name;
    EXPECT_EQ(solutions(), Names{"s-12:text of s-12"}) << name;
  }
  query_.id = "s-1";
  EXPECT_EQ(ask(wire::View::solutions).error().code, "ambiguous_solution");
  query_.id = "s-2";
  EXPECT_EQ(ask(wire::View::solutions).error().code, "no_such_solution");
  order(solution_stream("s-12"), PruneSolution{"old"});
  query_.id = "@last";
  EXPECT_EQ(solutions(), Names{"s-11:text of s-11"});
}

TEST_F(LearningQueries, FactsAreFoundIgnoringCase) {
  store("alpha", "web", "uses", "Postgres");
  store("", "billing", "uses", "postgres");
  store("beta", "postgres", "runs on", "db1");
  query_.id = "POSTGRES";
  EXPECT_EQ(facts().size(), 3U);
  query_.filter->tags = {"Uses"};
  EXPECT_EQ(facts(), (Names{"billing uses postgres", "web uses Postgres"}));
  query_.filter->projects = {"alpha"};
  query_.id = "web";
  EXPECT_EQ(facts(), Names{"web uses Postgres"});
  query_.filter->projects = {"beta"};
  EXPECT_EQ(facts(), Names{});
}

TEST_F(LearningQueries, PastIsShownAsItWas) {
  record("s-1", "alpha");
  store("alpha", "a", "is", "b");
  const Position then = log_.tip().position;
  order(solution_stream("s-1"), PruneSolution{});
  order(fact_stream("alpha", "a", "is", "b"), ForgetFact{});
  EXPECT_EQ(solutions(), Names{});
  EXPECT_EQ(facts(), Names{});
  query_.at_position = then;
  EXPECT_EQ(solutions(), Names{"s-1:text of s-1"});
  EXPECT_EQ(facts(), Names{"a is b"});
}

TEST_F(LearningQueries, EventsOfPrunedSolutionsKeepTheirProject) {
  record("s-1", "alpha");
  store("beta", "a", "is", "b");
  order(solution_stream("s-1"), PruneSolution{});
  order(fact_stream("beta", "a", "is", "b"), ForgetFact{});
  may_see_ = [](std::string_view project) { return project == "alpha"; };
  EXPECT_EQ(ask(wire::View::events)->rows.size(), 2U);
  EXPECT_EQ(project_of_stream(*rows_, "solution/s-1"), "alpha");
  EXPECT_EQ(project_of_stream(*rows_, fact_stream("beta", "a", "is", "b")), "beta");
}

TEST_F(LearningQueries, CatalogListsProjectAndAgentTools) {
  writer_.add(queued("k1", "alpha", "claude"));
  writer_.add(starting("k1"));
  schema::ToolsOfferedT offered;
  offered.attempt = 1;
  offered.tools = {"Bash", "mcp__github__search"};
  writer_.add(job_event("k1", offered));
  for (const bool good : {true, false}) {
    schema::ToolCalledT called;
    called.attempt = 1;
    called.tool = "Bash";
    called.call_id = good ? "c1" : "c2";
    writer_.add(job_event("k1", called));
    schema::ToolReturnedT returned;
    returned.attempt = 1;
    returned.call_id = called.call_id;
    returned.succeeded = good;
    writer_.add(job_event("k1", returned));
  }
  schema::ToolCataloguedT named;
  named.project = "alpha";
  named.tool = "psql";
  named.source = "config";
  writer_.add(new_event("project/alpha", named));
  writer_.commit();
  EXPECT_EQ(tools(), (Names{"Bash/claude/agent/2-1", "mcp__github__search/claude/mcp github/0-0",
                            "psql//config/0-0"}));
  query_.limit = 1;
  EXPECT_EQ(tools(), Names{"Bash/claude/agent/2-1"});
  query_.cursor = next_;
  query_.limit = 5;
  EXPECT_EQ(tools().size(), 2U);
  query_.cursor.clear();
  query_.filter->projects = {"beta"};
  EXPECT_EQ(tools(), Names{});
}

TEST_F(LearningQueries, AdviceIsFollowedByCallsOfTheTool) {
  for (const char* tool : {"Bash", "npm run build", "github"}) {
    schema::ToolCataloguedT named;
    named.project = "alpha";
    named.tool = tool;
    writer_.add(new_event("project/alpha", named));
  }
  const auto run = [&](const std::string& job, const std::vector<std::pair<std::string, std::string>>& calls,
                       schema::JobState end) {
    writer_.add(queued(job, "alpha", "claude"));
    schema::PromptBuiltT built;
    built.attempt = 1;
    built.tools = {"Bash", "npm run build", "github"};
    writer_.add(job_event(job, std::move(built)));
    writer_.add(starting(job));
    for (const auto& [tool, subject] : calls) {
      schema::ToolCalledT called;
      called.attempt = 1;
      called.tool = tool;
      called.subject = subject;
      writer_.add(job_event(job, called));
    }
    writer_.add(ended(job, end));
    writer_.commit();
  };
  run("k1", {{"Bash", "cd web && npm run build"}, {"Bash", "ls"}}, schema::JobState::completed);
  run("k2", {{"mcp__github__search", "x"}}, schema::JobState::failed);
  run("k3", {}, schema::JobState::completed);
  EXPECT_EQ(names<view::CatalogueTool>(
                wire::View::catalogue,
                +[](const view::CatalogueTool& row) {
                  return std::string(text(row.tool())) + ": " + std::to_string(row.followed()) + " of " +
                         std::to_string(row.advised()) + ", helped " +
                         std::to_string(row.followed_completed()) + ", without it " +
                         std::to_string(row.ignored_completed());
                }),
            (Names{"Bash: 1 of 3, helped 1, without it 1", "github: 1 of 3, helped 0, without it 2",
                   "npm run build: 1 of 3, helped 1, without it 1"}));
}

TEST_F(LearningQueries, AdviceIsCountedOnceAcrossRestarts) {
  schema::ToolCataloguedT named;
  named.project = "alpha";
  named.tool = "Bash";
  writer_.add(new_event("project/alpha", named));
  for (const char* job : {"k1", "k2"}) writer_.add(queued(job, "alpha", "claude"));
  const auto advise = [&](const char* job) {
    schema::PromptBuiltT built;
    built.attempt = 1;
    built.tools = {"Bash"};
    writer_.add(job_event(job, std::move(built)));
    writer_.add(starting(job));
  };
  const auto call = [&](const char* job) {
    schema::ToolCalledT called;
    called.attempt = 1;
    called.tool = "Bash";
    writer_.add(job_event(job, called));
  };
  const auto sums = [&] {
    writer_.commit();
    return names<view::CatalogueTool>(
        wire::View::catalogue, +[](const view::CatalogueTool& row) {
          return std::to_string(row.followed()) + " of " + std::to_string(row.advised());
        });
  };
  call("k2");
  advise("k1");
  EXPECT_EQ(sums(), Names{"0 of 0"});
  call("k1");
  advise("k2");
  EXPECT_EQ(sums(), Names{"0 of 0"});
  writer_.add(ended("k2", schema::JobState::failed));
  writer_.add(ended("k1", schema::JobState::completed));
  EXPECT_EQ(sums(), Names{"1 of 2"});
  writer_.add(queued("k3", "alpha", "claude"));
  call("k3");
  writer_.add(ended("k3", schema::JobState::completed));
  EXPECT_EQ(sums(), Names{"1 of 2"});
}

}  // namespace
}  // namespace luzia::test
