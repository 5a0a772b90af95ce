// Solutions and facts with real processes: recorded, found again, judged by jobs, across killed daemons.
#include <filesystem>
#include <fstream>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class LearningTest : public DaemonTest {
 protected:
  std::string add(const std::string& problem, const std::string& text, Words more = {}) const {
    Words words = {"solution", "add", problem, text, "--project", "demo"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished made = luzia(words);
    EXPECT_EQ(made.code, 0) << made.err;
    return made.out.substr(0, made.out.find('\n'));
  }
  Words found(const std::string& words, const Words& more = {}) const {
    Words command = {"solution", "search", words};
    command.insert(command.end(), more.begin(), more.end());
    const Json page = luzia_json(command);
    Words ids;
    for (const Json& each : page["solutions"]) ids.push_back(each["id"]);
    return ids;
  }
  std::vector<Json> events_of_solution(const std::string& id) const {
    std::vector<Json> list;
    for (const Json& event : events()) {
      if (event["stream"] == "solution/" + id) list.push_back(event);
    }
    return list;
  }
  Json solution(const std::string& id) const { return luzia_json({"solution", "show", id}); }
};

TEST_F(LearningTest, SolutionRefersToWhatItsAgentReadOnTheWeb) {
  script("agent", R"(#!/bin/sh
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"c1","name":"WebFetch","input":{"url":"https://react.dev/hooks"}}]}}'
echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"a page"}]}}'
until )" + std::string(kLuzia) +
                      R"( events --job "$LUZIA_JOB_ID" --json | grep -q ToolReturned; do sleep 0.05; done
)" + std::string(kLuzia) +
                      R"( solution add 'hooks are called in a loop' 'call them at the top' > id
)");
  configure("[agents.reader]\ncommand = [\"./agent\"]\noutput = \"claude-stream-json\"\n");
  const std::string job = dispatch("read", {"--agent", "reader"});
  ended_as(job, "completed", "exit_code");
  const std::string id = lines_of(read_text(project() + "/id")).at(0);
  EXPECT_EQ(solution(id)["references"], Json::array({"https://react.dev/hooks"}));
}

TEST_F(LearningTest, BuildErrorsSuggestTheAgentsToolsAndTheBuild) {
  std::filesystem::create_directories(path("shop"));
  write_text(path("shop/package.json"),
             R"({"devDependencies":{"typescript":"5"},"scripts":{"build":"tsc -p ."}})");
  configure("[projects.shop]\npath = \"" + path("shop") + "\"\nagent = \"claude\"\n");
  start_daemon();
  const auto suggested = [&] {
    Words names;
    const Json page = luzia_json({"tools", "suggest", "Fix the TypeScript build error", "--project", "shop"});
    for (const Json& tool : page["tools"]) {
      names.push_back(tool["tool"]);
      EXPECT_FALSE(tool["reason"].get<std::string>().empty());
      EXPECT_FALSE(tool["documentation"].get<std::string>().empty());
      EXPECT_FALSE(tool["category"].get<std::string>().empty());
    }
    return names;
  };
  EXPECT_TRUE(wait_until([&] { return !suggested().empty(); }));
  for (const char* tool : {"Bash", "Grep", "Edit", "npm run build"})
    EXPECT_THAT(suggested(), testing::Contains(tool));
  EXPECT_TRUE(luzia_json({"tools", "list", "--project", "demo"})["tools"].empty()) << "a shell chooses none";
}

TEST_F(LearningTest, SolutionIsFoundAndItsConfidenceFollowsOutcomes) {
  const std::string port =
      add("EADDRINUSE: port 3000 is in use", "kill what listens there", {"--tag", "vite"});
  const std::string disk = add("disk full while building images", "docker system prune");
  EXPECT_EQ(found("ports in use"), Words{port});
  EXPECT_EQ(found("build an image"), Words{disk});
  EXPECT_EQ(found("port", {"--tag", "other"}), Words{});
  EXPECT_EQ(found("port", {"--project", "other"}), Words{});
  EXPECT_EQ(luzia({"solution", "helped", port}).code, 0);
  EXPECT_EQ(luzia({"solution", "failed", disk}).code, 0);
  EXPECT_DOUBLE_EQ(solution(port)["confidence"], 0.6);
  EXPECT_DOUBLE_EQ(solution(disk)["confidence"], 0.4);
  EXPECT_EQ(found("port disk", {"--min-confidence", "0.5"}), Words{port});
  EXPECT_EQ(query({"verify"}).code, 0);
}

TEST_F(LearningTest, ColorCodesAreNotIndexed) {
  const std::string id =
      add("\x1b[1;31mquota\x1b[0m of \x1b]8;;http://x\adisk\x1b]8;;\a", "ask for \x1b[32mspace\x1b[0m");
  for (const char* words : {"quota", "disk", "space", "\x1b[31mquota\x1b[0m"}) {
    EXPECT_EQ(found(words), Words{id}) << words;
  }
  EXPECT_EQ(found("0m"), Words{});
}

TEST_F(LearningTest, JobJudgesASolutionOnce) {
  const std::string id = add("a", "b");
  const std::string say = kLuzia + " solution helped " + id;
  const Json job = ended(dispatch(say + " && " + say));
  EXPECT_EQ(job["state"], "completed");
  EXPECT_EQ(solution(id)["helped"], 1);
  EXPECT_EQ(events_of_solution(id).back()["data"]["job"], job["id"]);
}

TEST_F(LearningTest, LastMeansTheNewestSolutionAtThatTime) {
  const std::string job = dispatch("true");
  const std::string first = add("a", "b");
  EXPECT_EQ(luzia({"solution", "helped", "@last", "--job", "@last"}).code, 0);
  const std::string second = add("c", "d");
  EXPECT_EQ(luzia({"solution", "helped", "@last"}, {}, {"LUZIA_JOB_ID=" + job}).code, 0);
  EXPECT_EQ(luzia({"solution", "helped", second, "--job", job}).code, 0);
  EXPECT_EQ(solution(first)["helped"], 1);
  EXPECT_EQ(solution(second)["helped"], 1) << "once, however it was named";
}

TEST_F(LearningTest, LostOrDamagedIndexIsRebuilt) {
  const std::string id = add("the port is in use", "another port");
  EXPECT_EQ(found("port"), Words{id});
  kill_daemon();
  std::filesystem::remove(store() + "/search.db");
  EXPECT_EQ(found("port"), Words{id});
  kill_daemon();
  std::ofstream(store() + "/search.db", std::ios::trunc) << "rubbish";
  EXPECT_EQ(found("port"), Words{id});
  const std::string second = add("no port is free", "wait");
  kill_daemon();
  EXPECT_EQ(found("port").size(), 2U);
  EXPECT_EQ(luzia({"solution", "prune", second, "--reason", "wrong"}).code, 0);
  EXPECT_EQ(found("port"), Words{id});
  const Finished gone = luzia({"solution", "show", second});
  EXPECT_EQ(gone.code, 3);
  EXPECT_NE(gone.err.find("no solution"), std::string::npos) << gone.err;
}

TEST_F(LearningTest, PastIsShownAsItWas) {
  const std::string id = add("a problem", "a way out");
  const std::uint64_t then = position();
  EXPECT_EQ(luzia({"solution", "helped", id}).code, 0);
  const Words fact = {"fact", "add", "web", "uses", "postgres", "--project", "demo"};
  EXPECT_THAT(luzia(fact).err, testing::HasSubstr("the fact is recorded"));
  EXPECT_THAT(luzia(fact).err, testing::HasSubstr("the fact is known already"));
  EXPECT_EQ(luzia({"solution", "prune", id}).code, 0);
  const Json now = query_json({"learning"});
  EXPECT_EQ(now["solutions"].size(), 0U);
  EXPECT_EQ(now["facts"].size(), 1U);
  const Json past = query_json({"learning", "--at", std::to_string(then)});
  ASSERT_EQ(past["solutions"].size(), 1U);
  EXPECT_EQ(past["solutions"][0]["helped"], 0);
  EXPECT_EQ(past["solutions"][0]["text"], "a way out");
  EXPECT_EQ(past["facts"].size(), 0U);
  const auto listed = [&](const char* what, const char* plural, const Words& more) {
    Words words = {what, "list"};
    words.insert(words.end(), more.begin(), more.end());
    return luzia_json(words)[plural];
  };
  const Words at = {"--at", std::to_string(then)};
  EXPECT_TRUE(listed("solution", "solutions", {}).empty());
  ASSERT_EQ(listed("solution", "solutions", at).size(), 1U);
  EXPECT_EQ(listed("solution", "solutions", at)[0]["helped"], 0);
  EXPECT_EQ(listed("fact", "facts", {}).size(), 1U);
  EXPECT_TRUE(listed("fact", "facts", at).empty());
  EXPECT_THAT(luzia({"fact", "list", "--at", std::to_string(then)}).err,
              testing::HasSubstr("as of position " + std::to_string(then)));
  EXPECT_EQ(luzia({"fact", "search", "web", "--at", "1"}).code, 2) << "the index is of the present";
}

TEST_F(LearningTest, FactsAreFoundBySubjectRelationAndWords) {
  for (const Words& fact : {Words{"web", "uses", "postgres"}, Words{"billing", "uses", "Postgres"},
                            Words{"web", "is owned by", "team blue"}}) {
    const Finished done = luzia(
        {"fact", "add", fact[0], fact[1], fact[2], "--project", "demo", "--context", "seen in compose.yaml"});
    EXPECT_EQ(done.code, 0) << done.err;
  }
  EXPECT_EQ(luzia_json({"fact", "list", "postgres"})["facts"].size(), 2U);
  EXPECT_EQ(luzia_json({"fact", "list", "web", "--relation", "is owned by"})["facts"][0]["object"],
            "team blue");
  EXPECT_EQ(luzia_json({"fact", "search", "who owns web"})["facts"][0]["object"], "team blue");
  EXPECT_EQ(luzia({"fact", "forget", "web", "uses", "postgres", "--project", "demo"}).code, 0);
  EXPECT_EQ(luzia({"fact", "forget", "web", "uses", "postgres", "--project", "demo"}).code, 3);
  EXPECT_EQ(luzia_json({"fact", "list", "postgres"})["facts"].size(), 1U);
}

TEST_F(LearningTest, ExportedSolutionsAreImportedOnce) {
  add("a problem", "one\ntwo", {"--tag", "x", "--reference", "README.md", "--confidence", "0.75"});
  const Finished exported = luzia({"solution", "export"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const Finished taken = luzia({"solution", "import", "-", "--project", "other"}, exported.out);
  EXPECT_EQ(taken.code, 0) << taken.err;
  const Finished again = luzia({"solution", "import", "-", "--project", "other"}, exported.out);
  EXPECT_EQ(again.out, taken.out);
  const Json listed = luzia_json({"solution", "list", "--project", "other"});
  ASSERT_EQ(listed["solutions"].size(), 1U);
  EXPECT_EQ(listed["solutions"][0]["text"], "one\ntwo");
  EXPECT_EQ(listed["solutions"][0]["references"][0], "README.md");
  EXPECT_DOUBLE_EQ(listed["solutions"][0]["confidence"], 0.75);
  const Finished bad =
      luzia({"solution", "import", "-"}, "{\"problem\":\"a\",\"text\":\"b\"}\n{\"problem\":1}\n");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("standard input:2"), std::string::npos) << bad.err;
}

TEST_F(LearningTest, ExpiringSolutionsAreImportedOnce) {
  add("a problem", "for a while", {"--expires-in", "30d"});
  const std::string line = luzia({"solution", "export"}).out;
  const std::string more = "{\"problem\":\"behind it\",\"text\":\"c\"}\n";
  const Finished taken = luzia({"solution", "import", "-", "--project", "other"}, line);
  ASSERT_EQ(taken.code, 0) << taken.err;
  const Finished again = luzia({"solution", "import", "-", "--project", "other"}, line + more);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(again.out.starts_with(taken.out)) << again.out;
  EXPECT_THAT(again.err, testing::HasSubstr("1 recorded, 1 were there already"));
  const Json listed = luzia_json({"solution", "list", "--project", "other"});
  EXPECT_EQ(listed["solutions"].size(), 2U);
  EXPECT_EQ(listed["solutions"][1]["expires_at"], Json::parse(line)["expires_at"]) << listed;
}

TEST_F(LearningTest, MistakesAreRefusedInOneLine) {
  const struct {
    Words words;
    int code;
    const char* says;
  } cases[] = {
      {{"solution", "add", "a", "b"}, 2, "for which project?"},
      {{"solution", "add", "a", "b", "--project", "nowhere"}, 2, "no project 'nowhere'"},
      {{"solution", "list", "--project", "nowhere"}, 3, "no project 'nowhere'"},
      {{"fact", "list", "--project", "nowhere"}, 3, "no project 'nowhere'"},
      {{"fact", "search", "x", "--project", "nowhere"}, 3, "no project 'nowhere'"},
      {{"solution", "add", " ", "b", "--project", "demo"}, 2, "names no problem"},
      {{"solution", "add", "a", "--project", "demo"}, 2, "is empty"},
      {{"solution", "add", "a", "b", "--project", "demo", "--confidence", "7"}, 2, "from 0 to 1"},
      {{"solution", "search", "!!!"}, 2, "no word"},
      {{"solution", "helped", "s-none"}, 3, "no solution"},
      {{"solution", "prune"}, 2, "name solutions"},
      {{"solution", "serach", "x"}, 2, "did you mean luzia solution search?"},
      {{"solution", "search", "x", "--below", "1"}, 2, "takes no --below"},
      {{"fact", "add", "a", "b", "--project", "demo"}, 2, "fact add needs OBJECT"},
      {{"fact", "add", "a\nb", "is", "c", "--project", "demo"}, 2, "the fact's subject"},
  };
  for (const auto& each : cases) {
    const Finished done = luzia(each.words);
    EXPECT_EQ(done.code, each.code) << each.words[0] << " " << each.words[1] << ": " << done.err;
    EXPECT_NE(done.err.find(each.says), std::string::npos) << done.err;
  }
  EXPECT_EQ(luzia_json({"solution", "list"})["solutions"].size(), 0U);
}

TEST_F(LearningTest, PruningByRuleShowsAPreviewFirst) {
  const std::string bad = add("a", "b"), untried = add("c", "d", {"--confidence", "0.1"});
  for (int i = 0; i < 8; ++i) EXPECT_EQ(luzia({"solution", "failed", bad}).code, 0);
  const Finished asked = luzia({"solution", "prune", "--below", "0.3"});
  EXPECT_EQ(asked.code, 4);
  EXPECT_NE(asked.out.find(bad), std::string::npos) << asked.out;
  EXPECT_EQ(luzia({"solution", "prune", "--below", "0.3", "--yes"}).code, 0);
  const Json left = luzia_json({"solution", "list"});
  ASSERT_EQ(left["solutions"].size(), 1U);
  EXPECT_EQ(left["solutions"][0]["id"], untried);
}

}  // namespace
}  // namespace luzia
