// Todos that agents and people share: from the command line, in jobs, by export and import.
#include <signal.h>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class TodosTest : public DaemonTest {
 protected:
  std::string added(const std::string& text) const {
    const Finished done = luzia({"todo", "add", text, "--project", "demo"});
    EXPECT_EQ(done.code, 0) << done.err;
    return lines_of(done.out).at(0);
  }
  Json todos() const { return luzia_json({"todo", "list", "--all"})["todos"]; }
};

TEST_F(TodosTest, OneOfTwoJobsTakesATodo) {
  const std::string todo = added("fix the build");
  const std::string take = std::string(kLuzia) + " todo take " + todo;
  const std::string first = dispatch(take), second = dispatch(take);
  const Json one = ended(first), other = ended(second);
  EXPECT_NE(one["state"], other["state"]) << one << other;
  const Json& winner = one["state"] == "completed" ? one : other;
  const Json& loser = one["state"] == "completed" ? other : one;
  EXPECT_EQ(loser["exit_code"], 4);
  EXPECT_THAT(luzia({"logs", loser["id"].get<std::string>()}).out, HasSubstr("was taken by shell"));
  const Json row = todos()[0];
  EXPECT_EQ(row["status"], "in_progress");
  EXPECT_EQ(row["by"], "shell");
  EXPECT_EQ(row["job"], winner["id"]);
  EXPECT_TRUE(row["taken_at"].is_string());
  EXPECT_EQ(ended(dispatch(std::string(kLuzia) + " todo done " + todo))["exit_code"], 4) << "it is another's";
  EXPECT_EQ(luzia({"todo", "done", todo, "--note", "merged"}).code, 0) << "a person may";
  EXPECT_EQ(todos()[0]["status"], "completed");
  EXPECT_EQ(todos()[0]["note"], "merged");
  EXPECT_TRUE(luzia_json({"todo", "list"})["todos"].empty()) << "only what is to be done";
  expect_verified();
}

TEST_F(TodosTest, TodosSurviveKilledDaemons) {
  const std::string todo = added("a");
  EXPECT_EQ(luzia({"todo", "take", todo, "--by", "ada"}).code, 0);
  kill_daemon();
  const Finished late = luzia({"todo", "take", todo, "--by", "bob"});
  EXPECT_EQ(late.code, 4);
  EXPECT_THAT(late.err, HasSubstr("todo " + todo + " was taken by ada"));
  EXPECT_EQ(luzia({"todo", "release", todo, "--note", "stuck"}).code, 0);
  EXPECT_EQ(luzia({"todo", "take", todo, "--by", "bob"}).code, 0);
  EXPECT_EQ(luzia({"todo", "take", "t-unknown"}).code, 3);
  EXPECT_EQ(luzia({"todo", "add", " ", "--project", "demo"}).code, 2);
}

TEST_F(TodosTest, ExportedTodosImportElsewhereOnce) {
  const std::string open = added("to do"), taken = added("being done"), done = added("done");
  EXPECT_EQ(luzia({"todo", "take", taken, "--by", "ada"}).code, 0);
  EXPECT_EQ(luzia({"todo", "done", done, "--by", "bob", "--note", "well"}).code, 0);
  ended(dispatch("true"));
  const Json file = query_json({"export", "cross-agent-todos"});
  EXPECT_EQ(file["current_tasks"].size(), 2U);
  EXPECT_EQ(file["completed_archive"].size(), 2U) << "a todo and a job";
  const Json before = todos();
  stop_daemon();
  place_store(path("other_store"), path("other_jobs"));
  write_text(path("todos.json"), file.dump());
  for (const char* said : {"3 of 3 todos are new", "0 of 3 todos are new"}) {
    const Finished imported = luzia({"todo", "import", path("todos.json")});
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_THAT(imported.err, HasSubstr(said));
  }
  const Json after = todos();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    for (const char* key :
         {"id", "text", "status", "by", "project", "added_at", "taken_at", "done_at", "note"})
      EXPECT_EQ(after[i][key], before[i][key]) << key;
  }
}

TEST_F(TodosTest, InterruptedImportIsFinishedByTheNext) {
  std::string file = R"({"current_tasks":[],"completed_archive":[)";
  for (int i = 0; i < 900; ++i) {
    file += std::string(i == 0 ? "" : ",") + R"({"id":)" + std::to_string(i) + R"(,"task":"t)" +
            std::to_string(i) + R"(","started_at":"2026-01-02T03:04:05Z","agent":"codex","result":"ok"})";
  }
  write_text(path("todos.json"), file + "]}");
  start_daemon();
  BesideProgram importing({kLuzia, "todo", "import", path("todos.json"), "--everywhere"}, environment(),
                          path("importing"));
  EXPECT_TRUE(wait_until([&] { return !todos().empty(); }));
  importing.signal(SIGKILL);
  importing.end();
  for (const Json& row : todos()) EXPECT_EQ(row["status"], "completed") << "whole or not there: " << row;
  kill_daemon();
  EXPECT_EQ(luzia({"todo", "import", path("todos.json"), "--everywhere"}).code, 0);
  const Json all = luzia_json({"todo", "list", "--all", "--limit", "1000"})["todos"];
  EXPECT_EQ(all.size(), 900U);
  for (const Json& row : all) EXPECT_EQ(row["note"], "ok");
  expect_verified();
}

TEST_F(TodosTest, ProjectHasABoundedNumberOfOpenTodos) {
  Json file = {{"current_tasks", Json::array()}, {"completed_archive", Json::array()}};
  for (int i = 0; i < 2'000; ++i) {
    file["current_tasks"].push_back({{"id", "x" + std::to_string(i)}, {"task", "more"}, {"project", "demo"}});
  }
  write_text(path("many.json"), file.dump());
  EXPECT_EQ(luzia({"todo", "import", path("many.json")}).code, 0);
  for (int i = 0; i < 2; ++i) {
    expect_refused({"todo", "add", "one more", "--project", "demo"}, 4,
                   "2000 todos of project demo are open");
  }
  EXPECT_EQ(luzia({"todo", "add", "one more", "--project", "other"}).code, 0) << "each project has its own";
  EXPECT_EQ(luzia({"todo", "done", todos()[0]["id"].get<std::string>()}).code, 0);
  added("one more");
  expect_refused({"todo", "add", "one more", "--project", "demo"}, 4, "luzia todo done");
}

TEST_F(TodosTest, ListAndExportTakeFilters) {
  const std::string open = added("to do"), taken = added("being done"), done = added("done");
  const std::string job = dispatch(std::string(kLuzia) + " todo take " + taken);
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(luzia({"todo", "done", done, "--by", "ada"}).code, 0);
  const auto listed = [&](Words filter) {
    filter.insert(filter.begin(), {"todo", "list"});
    std::vector<std::string> ids;
    const Json page = luzia_json(filter);
    for (const Json& row : page["todos"]) ids.push_back(row["id"]);
    return ids;
  };
  EXPECT_THAT(listed({"--state", "pending"}), testing::ElementsAre(open));
  EXPECT_THAT(listed({"--state", "in_progress"}), testing::ElementsAre(taken));
  EXPECT_THAT(listed({"--state", "completed"}), testing::ElementsAre(done)) << "without --all";
  EXPECT_THAT(listed({"--agent", "shell"}), testing::ElementsAre(taken));
  EXPECT_THAT(listed({"--job", job}), testing::ElementsAre(taken));
  EXPECT_THAT(listed({"--since", "1h"}), testing::SizeIs(2));
  EXPECT_THAT(listed({"--until", "1h"}), testing::IsEmpty());
  EXPECT_THAT(luzia({"todo", "list", "--state", "failed"}).err, HasSubstr("pending, in_progress, completed"));
  EXPECT_THAT(luzia({"todo", "list", "--tag", "x"}).err,
              HasSubstr("todo cannot filter by --tag: todos have no tags"));
  EXPECT_THAT(luzia({"todo", "add", "x", "--state", "pending"}).err, HasSubstr("todo add cannot filter"));
  const Json of_ada = query_json({"export", "cross-agent-todos", "--agent", "ada"});
  EXPECT_TRUE(of_ada["current_tasks"].empty()) << of_ada;
  ASSERT_EQ(of_ada["completed_archive"].size(), 1U);
  EXPECT_EQ(of_ada["completed_archive"][0]["id"], done);
  EXPECT_EQ(query_json({"export", "cross-agent-todos", "--limit", "1"})["current_tasks"].size(), 1U);
  const Json tagged = query_json({"export", "cross-agent-todos", "--tag", "x"});
  EXPECT_TRUE(tagged["current_tasks"].empty()) << tagged;
}

TEST_F(TodosTest, PastListShowsWhoHadWhat) {
  const std::string first = added("first");
  const auto then = position();
  EXPECT_EQ(luzia({"todo", "done", first, "--by", "ada"}).code, 0);
  added("second");
  const Json past = luzia_json({"todo", "list", "--at", std::to_string(then)})["todos"];
  ASSERT_EQ(past.size(), 1U);
  EXPECT_EQ(past[0]["id"], first);
  EXPECT_EQ(past[0].at("status"), "pending");
  EXPECT_EQ(luzia({"todo", "list", "--at", "999999"}).code, 2) << "no such position";
  EXPECT_EQ(luzia({"todo", "take", first, "--at", "1"}).code, 2);
}

TEST_F(TodosTest, FileOfTheOlderToolIsRead) {
  write_text(path("older.json"), R"({"current_tasks":[
    {"id":7,"description":"write docs","status":"pending"},
    {"id":8,"description":"fix CI","status":"in_progress","claimed_by":"codex","claimed_at":"2026-01-02T03:04:05Z"}],
    "completed_archive":[{"id":6,"description":"set up","completed_at":"2026-01-01T00:00:00Z"}]})");
  EXPECT_EQ(luzia({"todo", "import", path("older.json"), "--project", "demo"}).code, 0);
  const Json all = todos();
  ASSERT_EQ(all.size(), 3U);
  std::map<std::string, Json> by_text;
  for (const Json& row : all) by_text[row["text"]] = row;
  EXPECT_EQ(by_text["write docs"]["status"], "pending");
  EXPECT_EQ(by_text["fix CI"]["by"], "codex");
  EXPECT_EQ(by_text["fix CI"]["taken_at"], "2026-01-02T03:04:05.000000Z");
  EXPECT_EQ(by_text["set up"]["status"], "completed");
  EXPECT_EQ(by_text["set up"]["project"], "demo");
  write_text(path("older.json"), R"({"current_tasks":[{"id":9}]})");
  const Finished bad = luzia({"todo", "import", path("older.json")});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("current_tasks[0]"));
  EXPECT_EQ(error_lines(bad.err), 1U);
}

}  // namespace
}  // namespace luzia
