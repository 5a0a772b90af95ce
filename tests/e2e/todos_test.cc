// Todos that agents and people share: from the command line, in jobs, by export and import.
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

using testing::HasSubstr;

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
