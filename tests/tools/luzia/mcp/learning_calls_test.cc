// The MCP tools for solutions and facts: their requests to the daemon, and what the agent reads.
#include "tests/tools/luzia/mcp/client_side.h"

namespace luzia::mcp {
namespace {

using LearningCallsTest = ClientSide;

TEST_F(LearningCallsTest, FactIsStoredForTheJobsProject) {
  EXPECT_EQ(text_of("store_fact",
                    {{"subject", "web"}, {"relation", "uses"}, {"object", "postgres"}, {"context", "v15"}}),
            "the fact is stored");
  const auto& fact = *door.taught.at(0).AsStoreFact();
  EXPECT_EQ(fact.subject + " " + fact.relation + " " + fact.object, "web uses postgres");
  EXPECT_EQ(fact.context, "v15");
  EXPECT_EQ(fact.project, "web");
  EXPECT_FALSE(fact.command_id.empty());
}

TEST_F(LearningCallsTest, FactTakesTheNamesThatAgentsKnow) {
  text_of("store_fact", {{"entity_source_name", "web"},
                         {"relation", "uses"},
                         {"entity_target_name", "postgres"},
                         {"context", {{"version", 15}}}});
  text_of("store_fact", {{"subject", {{"name", "web"}, {"type", "service"}}},
                         {"relation", "uses"},
                         {"object", {{"name", "postgres"}}},
                         {"context", Json::object()}});
  text_of("store_fact", {{"entity_source_name", {{"name", "web"}, {"type", "service"}}},
                         {"relation", "uses"},
                         {"entity_target_name", {{"name", "postgres"}}}});
  for (const std::size_t i : {0, 1, 2}) {
    const auto& fact = *door.taught.at(i).AsStoreFact();
    EXPECT_EQ(fact.subject + " " + fact.relation + " " + fact.object, "web uses postgres");
  }
  EXPECT_EQ(door.taught.at(0).AsStoreFact()->context, R"({"version":15})");
  EXPECT_EQ(door.taught.at(1).AsStoreFact()->context, "");
  EXPECT_THAT(error_of("store_fact", {{"subject", "web"}, {"relation", "uses"}}),
              HasSubstr("entity_target_name"));
  EXPECT_THAT(error_of("store_fact", {{"subject", 7}, {"relation", "uses"}, {"object", "x"}}),
              HasSubstr("subject is 7"));
  EXPECT_EQ(door.taught.size(), 3U);
}

TEST_F(LearningCallsTest, FactsHaveTheNamesThatAgentsKnow) {
  door.learned_rows =
      R"({"facts":[{"subject":"web","relation":"uses","object":"pg","context":"{\"version\":15}"},)"
      R"({"subject":"ci","relation":"tests","object":"Web","context":"nightly"}],"position":3,"next":null})";
  const Json both =
      Json::parse(text_of("query_relations", {{"entity_name", "web"}, {"relation_type", "uses"}}));
  EXPECT_EQ(door.queries.back().id, "web");
  EXPECT_THAT(door.queries.back().filter->tags, ElementsAre("uses"));
  ASSERT_EQ(both["facts"].size(), 2U);
  EXPECT_EQ(both["facts"][0]["entity_source_name"], "web");
  EXPECT_EQ(both["facts"][0]["entity_target_name"], "pg");
  EXPECT_EQ(both["facts"][0]["context"], (Json{{"version", 15}}));
  EXPECT_EQ(both["facts"][1]["context"], "nightly");
  const auto one = [&](const char* direction) {
    return Json::parse(text_of("query_relations", {{"entity", "web"}, {"direction", direction}}))["facts"];
  };
  ASSERT_EQ(one("outgoing").size(), 1U);
  EXPECT_EQ(one("outgoing")[0]["subject"], "web");
  ASSERT_EQ(one("incoming").size(), 1U);
  EXPECT_EQ(one("incoming")[0]["subject"], "ci");
  const Json by_source = Json::parse(text_of("query_relations", {{"entity_source_name", {{"name", "WEB"}}}}));
  EXPECT_EQ(door.queries.back().id, "WEB");
  ASSERT_EQ(by_source["facts"].size(), 1U);
  EXPECT_EQ(by_source["facts"][0]["object"], "pg");
  const Json of_two =
      Json::parse(text_of("query_relations", {{"entity_source_name", "web"}, {"entity_target_name", "ci"}}));
  EXPECT_TRUE(of_two["facts"].empty());
}

TEST_F(LearningCallsTest, SearchTakesWordsFromAnObject) {
  door.learned_rows = R"({"facts":[],"position":3,"next":null})";
  text_of("search_context", {{"query", {{"entity", "web"}, {"relation", "uses"}, {"limit", 3}}}});
  EXPECT_EQ(door.queries.back().text, "web uses");
  EXPECT_THAT(error_of("search_context", {{"query", Json::object()}}), HasSubstr("no words"));
}

TEST_F(LearningCallsTest, TodosAreChangedInTheJobsName) {
  door.taught_ids = {"t-1"};
  EXPECT_EQ(text_of("add_todo", {{"text", "write docs"}}), "t-1");
  EXPECT_EQ(text_of("take_todo", {{"todo", "t-1"}}), "t-1 is yours");
  EXPECT_EQ(text_of("complete_todo", {{"todo", "t-1"}, {"note", "well"}}), "t-1 is completed");
  const auto request = [&](std::size_t i) { return *door.taught.at(i).AsActOnTodo(); };
  EXPECT_EQ(request(0).action, wire::TodoAction::add);
  EXPECT_EQ(request(0).project + ": " + request(0).text, "web: write docs");
  EXPECT_EQ(request(1).action, wire::TodoAction::take);
  EXPECT_EQ(request(1).job, "job-1");
  EXPECT_EQ(request(2).action, wire::TodoAction::done);
  EXPECT_EQ(request(2).note, "well");
  text_of("list_todos", Json::object());
  EXPECT_EQ(door.queries.back().view, wire::View::todos);
  EXPECT_FALSE(door.queries.back().filter->ended);
  door.refusal = Error{ErrorKind::refused, "todo_taken", "todo t-1 was taken by codex", ""};
  EXPECT_EQ(error_of("take_todo", {{"todo", "t-1"}}), "todo t-1 was taken by codex");
}

TEST_F(LearningCallsTest, SolutionNamesTheJobThatFoundIt) {
  door.taught_ids = {"s-1"};
  EXPECT_EQ(text_of("record_solution", {{"problem", "port in use"},
                                        {"solution", "kill it"},
                                        {"tags", {"net"}},
                                        {"references", {"README.md"}},
                                        {"confidence", 0.9}}),
            "s-1");
  const auto& solution = *door.taught.at(0).AsRecordSolution();
  EXPECT_EQ(solution.project, "web");
  EXPECT_EQ(solution.confidence, 0.9);
  EXPECT_EQ(solution.job, "job-1") << "what it read on the web becomes references";
  EXPECT_THAT(solution.tags, ElementsAre("net"));
  EXPECT_THAT(solution.references, ElementsAre("README.md", "job job-1"));
}

TEST_F(LearningCallsTest, SearchesUseTheJobsProject) {
  door.learned_rows = R"({"solutions":[{"id":"s-1","confidence":0.9},{"id":"s-2","confidence":0.2}]})";
  EXPECT_EQ(text_of("search_solutions", {{"query", "port"}, {"tags", {"net"}}, {"limit", 7}}),
            door.learned_rows);
  EXPECT_EQ(door.queries.at(0).view, wire::View::solutions);
  EXPECT_EQ(door.queries.at(0).text, "port");
  EXPECT_EQ(door.queries.at(0).limit, 7U);
  EXPECT_THAT(door.queries.at(0).filter->projects, ElementsAre("web"));
  EXPECT_THAT(door.queries.at(0).filter->tags, ElementsAre("net"));
  EXPECT_EQ(text_of("search_solutions", {{"query", "port"}, {"min_confidence", 0.5}}),
            R"({"solutions":[{"confidence":0.9,"id":"s-1"}]})");
  text_of("search_context", {{"query", "postgres"}});
  EXPECT_EQ(door.queries.back().view, wire::View::facts);
  text_of("query_relations", {{"entity", "web"}, {"relation", "uses"}});
  EXPECT_EQ(door.queries.back().id, "web");
  EXPECT_THAT(door.queries.back().filter->tags, ElementsAre("uses"));
}

TEST_F(LearningCallsTest, OwnFlowStepIsCompletedOnce) {
  EXPECT_THAT(error_of("complete_step", {{"output", "done"}}), HasSubstr("belongs to no flow"));
  EXPECT_TRUE(door.taught.empty());
  door.place.flow = "f-1";
  door.place.step = "build";
  EXPECT_EQ(text_of("complete_step", {{"output", "done"}}), "the step is completed");
  const auto& request = *door.taught.at(0).AsActOnFlow();
  EXPECT_EQ(request.action, wire::FlowAction::complete);
  EXPECT_EQ(request.flow + "/" + request.step, "f-1/build");
  EXPECT_EQ(request.text, "done");
  EXPECT_EQ(request.from_job, "job-1");
  EXPECT_EQ(text_of("get_context", Json::object()), "context of f-1");
  EXPECT_EQ(text_of("get_context", {{"flow", "f-2"}}), "context of f-2");
}

TEST_F(LearningCallsTest, ToolsMatchProjectAndTask) {
  EXPECT_EQ(text_of("list_tools", {{"task", "run tests"}}), "tools of web for 'run tests'");
}

TEST_F(LearningCallsTest, RefusalIncludesItsFix) {
  door.refusal = Error{ErrorKind::usage, "no_words", "there is no word", "give some"};
  EXPECT_EQ(error_of("search_solutions", {{"query", "!"}}), "there is no word (give some)");
}

}  // namespace
}  // namespace luzia::mcp
