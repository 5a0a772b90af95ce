// export of analytics, cross-agent-todos, prometheus and events; interrupted exports that are resumed.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "projections/rows/export_json.h"
#include "projections/rows/export_table.h"
#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/text_files.h"
#include "tests/tools/luzia_query/full_store.h"
#include "tests/tools/luzia_query/json_schema.h"
#include "tests/tools/luzia_query/run_query.h"

namespace luzia::test {
namespace {

namespace fs = std::filesystem;

const std::string kHere = source_path("tests/tools/luzia_query/");

/// The output of a shell command.
std::string shell(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char piece[4096];
  std::size_t size = 0;
  while ((size = fread(piece, 1, sizeof piece, pipe)) > 0) out.append(piece, size);
  pclose(pipe);
  return out;
}

/// Compares with a file that a person has reviewed; LUZIA_WRITE_GOLDEN=1 writes it.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = kHere + "golden/" + name;
  if (getenv("LUZIA_WRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(text, whole_text(path)) << name;
}

class Analytics : public testing::Test {
 protected:
  Ran exported(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"export", "analytics", "--out", folder_};
    words.insert(words.end(), more.begin(), more.end());
    return ask(full_.store(), words);
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  std::string sqlite(const std::string& query) const {
    return shell("sqlite3 '" + file("luzia.sqlite") + "' \"" + query + "\"");
  }
  /// Leaves the state of an export that was killed after these views.
  void break_off_behind(const std::vector<std::string>& views, Position position) {
    fs::create_directories(file(".luzia-export"));
    std::ofstream(file(".luzia-export/state.json")) << Json{{"asked", ""},
                                                            {"position", position},
                                                            {"as_of_us", time_at(100)},
                                                            {"rows", Json::object()},
                                                            {"done", views}};
  }

  FullStore full_;
  std::string folder_ = full_.store().beside("analytics");
};

TEST_F(Analytics, EveryFileMatchesItsGoldenFile) {
  const Ran ran = exported();
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, folder_ + "\n");
  EXPECT_THAT(ran.err, HasSubstr("exported as of position 35: "));
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".sqlite")) expect_golden(name, whole_text(entry.path()));
  }
  EXPECT_FALSE(fs::exists(file(".luzia-export")));
}

TEST_F(Analytics, EveryJsonFileFitsItsSchema) {
  ASSERT_EQ(exported().code, 0);
  for (const ExportList& list : export_lists()) {
    const std::string name(list.file);
    const JsonSchema schema(Json::parse(whole_text(kHere + "schemas/" + name)));
    const Json shown = Json::parse(whole_text(file(name)));
    EXPECT_EQ(schema.mismatch(shown), "") << name;
    EXPECT_EQ(shown.at("position"), 35);
    Json broken = shown;
    broken.erase("position");
    EXPECT_NE(schema.mismatch(broken), "") << "the schema check must be able to fail";
  }
}

TEST_F(Analytics, SqliteReadsTheSameTables) {
  ASSERT_EQ(exported().code, 0);
  EXPECT_EQ(sqlite("PRAGMA integrity_check"), "ok\n");
  EXPECT_EQ(sqlite("SELECT state, count(*) FROM jobs GROUP BY state ORDER BY state"),
            "completed|1\nfailed|2\nqueued|1\nrunning|1\n");
  EXPECT_EQ(sqlite("SELECT task FROM jobs WHERE id = '" + kTricky + "'"), kTrickyTask + "\n");
  EXPECT_EQ(sqlite("SELECT model, output_tokens, cost_usd FROM costs"), "large|40|0.25\n");
  EXPECT_EQ(sqlite("SELECT question, answer FROM questions"), "Deploy where?|staging\n");
  EXPECT_EQ(sqlite("SELECT gate, state, note FROM approvals"), "deploy|denied|not today\n");
  EXPECT_EQ(sqlite("SELECT step, state, error FROM flow_steps ORDER BY place"),
            "build|failed|exit code 2\nship|pending|\n");
  EXPECT_EQ(sqlite("SELECT json_extract(reasons, '$.exit_code') FROM outcomes WHERE project = 'api'"), "1\n");
  for (const ExportTable& table : export_tables()) {
    const std::string name(table.name);
    const std::string csv = whole_text(file(name + ".csv"));
    EXPECT_THAT(csv, StartsWith(export_header_csv(table)));
    EXPECT_EQ(sqlite("SELECT count(*) FROM columns WHERE table_name = '" + name + "' AND about <> ''"),
              std::to_string(table.columns.size()) + "\n");
    for (const std::string_view column : table.indexes) {
      EXPECT_THAT(sqlite(".indexes " + name), HasSubstr(name + "_by_" + std::string(column)));
    }
  }
}

TEST_F(Analytics, SqliteReadsTheCsvWithoutLoss) {
  ASSERT_EQ(exported().code, 0);
  const std::string back = shell("sqlite3 :memory: -cmd '.import --csv " + file("jobs.csv") +
                                 " jobs' \"SELECT task FROM jobs WHERE id = '" + kTricky + "'\"");
  EXPECT_EQ(back, "'" + kTrickyTask + "\n")
      << "formulas begin with an apostrophe, everything else is unchanged";
}

TEST_F(Analytics, PastAndSelectedViewsAreExported) {
  ASSERT_EQ(exported({"--at", "8"}).code, 0);
  const Json jobs = Json::parse(whole_text(file("jobs.json")));
  EXPECT_EQ(jobs.at("position"), 8);
  ASSERT_EQ(jobs.at("jobs").size(), 1u);
  ASSERT_EQ(exported({"--project", "api"}).code, 0) << "an export replaces the one before";
  EXPECT_EQ(Json::parse(whole_text(file("jobs.json"))).at("jobs").size(), 2u);
  EXPECT_EQ(sqlite("SELECT count(*) FROM flows"), "0\n");
}

TEST_F(Analytics, InterruptedExportResumesAtItsPosition) {
  ASSERT_EQ(exported({"--at", "17"}).code, 0);
  std::map<std::string, std::string> whole;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    whole[entry.path().filename()] = whole_text(entry.path());
  }
  // The first views are finished and lie in the form in which they wait for the others.
  break_off_behind({"jobs"}, 17);
  fs::copy_file(file("luzia.sqlite"), file(".luzia-export/luzia.sqlite"));
  fs::copy_file(file("jobs.csv"), file(".luzia-export/jobs.csv"));
  const std::string jobs = whole["jobs.json"];
  const std::size_t begin = jobs.find('[') + 1;
  std::ofstream(file(".luzia-export/jobs.json.jobs"), std::ios::binary)
      << jobs.substr(begin, jobs.rfind("],\"position\"") - begin);
  const Ran ran = exported({"--resume"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const auto& [name, text] : whole) {
    if (!name.ends_with(".sqlite")) {
      EXPECT_EQ(whole_text(file(name)), text) << name;
    }
  }
  EXPECT_EQ(sqlite("SELECT count(*) FROM jobs"), "4\n");
  EXPECT_EQ(sqlite("SELECT count(*) FROM outcomes"), "2\n");
}

TEST_F(Analytics, ErasedTextRestartsTheExport) {
  break_off_behind({"jobs"}, 17);
  schema::BlobErasedT fact;
  fact.position = 1;
  {
    const auto log = full_.store().open_log();
    LogWriter(*log).write(kSecondUs, new_event("system", std::move(fact)));
  }
  const Ran ran = exported({"--resume"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("have since been erased: starting over"));
  EXPECT_EQ(sqlite("SELECT count(*) FROM jobs"), "5\n") << "none of the old pages is left";
}

TEST_F(Analytics, DifferentOptionsDoNotResume) {
  break_off_behind({"jobs"}, 17);
  const Ran ran = exported({"--resume", "--project", "web", "--json"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "other_export");
  EXPECT_EQ(exported({"--project", "web"}).code, 0) << "without --resume it starts over";
}

TEST_F(Analytics, InvalidStateRestartsTheExport) {
  fs::create_directories(file(".luzia-export"));
  std::ofstream(file(".luzia-export/state.json")) << "[1, nonsense";
  EXPECT_EQ(exported({"--resume"}).code, 0);
  EXPECT_EQ(sqlite("SELECT count(*) FROM jobs"), "5\n");
}

TEST_F(Analytics, OneExportAtATimeWritesToAFolder) {
  fs::create_directories(file(".luzia-export"));
  const int other = open(file(".luzia-export").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const Ran ran = exported({"--json"});
  close(other);
  EXPECT_EQ(ran.code, 4);
  EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "export_running");
}

TEST_F(Analytics, FailedExportChangesNothing) {
  ASSERT_EQ(exported().code, 0);
  const std::string before = whole_text(file("jobs.json"));
  const Ran ran = exported({"--at", "99999"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(whole_text(file("jobs.json")), before);
  EXPECT_FALSE(fs::exists(file(".luzia-export")));
}

TEST_F(Analytics, OptionsThatSelectJobsAreRefused) {
  const std::vector<std::vector<std::string>> choices = {
      {"--job", kBuild}, {"--tag", "night"}, {"--state", "failed"}, {"--agent", "claude"}};
  for (std::vector<std::string> more : choices) {
    more.emplace_back("--json");
    const Ran ran = exported(more);
    EXPECT_EQ(ran.code, 2) << more[0];
    EXPECT_EQ(Json::parse(ran.err).at("error").at("code"), "cannot_filter") << more[0];
    EXPECT_THAT(ran.err, HasSubstr(more[0]));
  }
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Analytics, ExportsOfOnePositionAreIdentical) {
  ASSERT_EQ(exported().code, 0);
  const std::string jobs = whole_text(file("jobs.json")), csv = whole_text(file("jobs.csv"));
  Circumstances later;
  later.now = time_at(5'000);
  for (const std::vector<std::string>& at :
       {std::vector<std::string>{}, {"--at", "35"}, {"--at", format_rfc3339(time_at(4'000))}}) {
    std::vector<std::string> words = {"export", "analytics", "--out", folder_};
    words.insert(words.end(), at.begin(), at.end());
    ASSERT_EQ(ask(full_.store(), words, later).code, 0);
    EXPECT_EQ(whole_text(file("jobs.json")), jobs);
    EXPECT_EQ(whole_text(file("jobs.csv")), csv);
  }
}

TEST_F(Analytics, NeedAWritableFolder) {
  EXPECT_EQ(ask(full_.store(), {"export", "analytics"}).code, 2);
  std::ofstream(full_.store().beside("file")) << "x";
  EXPECT_EQ(ask(full_.store(), {"export", "analytics", "--out", full_.store().beside("file")}).code, 5);
}

TEST(Todos, ContainOpenAndFinishedJobs) {
  const FullStore full;
  const Json todos = ask(full.store(), {"export", "cross-agent-todos"}).json();
  const JsonSchema schema(Json::parse(whole_text(kHere + "schemas/cross-agent-todos.json")));
  EXPECT_EQ(schema.mismatch(todos), "");
  ASSERT_EQ(todos.at("current_tasks").size(), 2u);
  ASSERT_EQ(todos.at("completed_archive").size(), 3u);
  EXPECT_EQ(todos.at("completed_archive")[0].at("task"), kTrickyTask);
  EXPECT_EQ(todos.at("completed_archive")[0].at("result"), "exit code 2");
}

/// The checks of `promtool check metrics` that need no promtool.
void expect_prometheus(const std::string& text) {
  const std::regex help("# HELP [a-z_]+ .+"), type("# TYPE ([a-z_]+) (counter|gauge|histogram)"),
      sample(R"re(([a-z_]+)(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? ([-+0-9.e]+|NaN))re");
  std::istringstream lines(text);
  std::string family, kind;
  std::set<std::string> families, seen;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (line.starts_with("# HELP")) {
      EXPECT_TRUE(std::regex_match(line, help)) << line;
    } else if (std::regex_match(line, found, type)) {
      family = found[1];
      kind = found[2];
      EXPECT_TRUE(families.insert(family).second) << family << " occurs twice";
      EXPECT_EQ(family.ends_with("_total"), kind == "counter") << line;
    } else {
      ASSERT_TRUE(std::regex_match(line, found, sample)) << line;
      EXPECT_THAT(found[1].str(), StartsWith(family)) << "samples of a family are adjacent";
      EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second) << line << " occurs twice";
    }
  }
  EXPECT_TRUE(text.empty() || text.back() == '\n');
}

TEST(Prometheus, MetricsFollowTheTextFormat) {
  const FullStore full;
  const Ran ran = ask(full.store(), {"export", "prometheus"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  expect_prometheus(ran.out);
  EXPECT_THAT(ran.out, HasSubstr("luzia_jobs{project=\"web\",state=\"failed\"} 1\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("luzia_run_seconds_bucket{project=\"api\",agent=\"shell\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("luzia_cost_usd_total{project=\"web\",agent=\"claude\",model=\"large\"} 0.25\n"));
  EXPECT_THAT(
      ran.out,
      HasSubstr("luzia_issues_total{project=\"web\",pattern=\"python_module\",severity=\"error\"} 1\n"));
}

/// Leaves the state of an export that was killed after `whole` bytes.
void break_off(const SmallStore& store, const std::string& file, std::size_t whole,
               std::vector<std::string> words = {}) {
  fs::create_directories(file + "/in the way");
  words.insert(words.begin(), {"export", "events", "--out", file, "--resume"});
  EXPECT_EQ(ask(store, words).code, 5);
  fs::remove_all(file);
  fs::resize_file(file + ".part", whole);
}

TEST(EventLines, ContinueAfterTheLastWholeLine) {
  const SmallStore store;
  const std::string file = store.beside("events.jsonl");
  const std::string all = ask(store, {"export", "events"}).out;
  break_off(store, file, all.find("{\"position\":9,") + 20);
  const Ran ran = ask(store, {"export", "events", "--out", file, "--resume"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("continuing after position 8"));
  EXPECT_EQ(whole_text(file), all);
  EXPECT_FALSE(fs::exists(file + ".part"));
  EXPECT_FALSE(fs::exists(file + ".part.state"));
  EXPECT_EQ(ask(store, {"export", "events", "--out", file, "--resume"}).code, 0) << "from the beginning";
  EXPECT_EQ(whole_text(file), all);
}

/// Records an erasure as `luzia rm --purge` does.
void tell_of_erasure(const SmallStore& store, Position of) {
  schema::BlobErasedT fact;
  fact.position = of;
  const auto log = store.open_log();
  LogWriter(*log).write(kSecondUs, new_event("system", std::move(fact)));
}

TEST(EventLines, ErasedTextRestartsTheExport) {
  const SmallStore store;
  const std::string file = store.beside("events.jsonl");
  const std::string all = ask(store, {"export", "events"}).out;
  break_off(store, file, all.find("{\"position\":9,"));
  tell_of_erasure(store, 9);
  EXPECT_THAT(ask(store, {"export", "events", "--out", file, "--resume"}).err,
              HasSubstr("continuing after position 8"))
      << "the text is not in the file yet";
  fs::remove(file);
  break_off(store, file, all.find("{\"position\":9,"));
  tell_of_erasure(store, 1);
  const Ran ran = ask(store, {"export", "events", "--out", file, "--resume"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("have since been erased: starting over"));
  EXPECT_EQ(whole_text(file), ask(store, {"export", "events"}).out);
}

TEST(EventLines, OtherOptionsOrStoresDoNotResume) {
  const SmallStore store;
  const std::string file = store.beside("events.jsonl");
  const std::string all = ask(store, {"export", "events"}).out;
  break_off(store, file, all.find("{\"position\":9,"));
  const std::vector<std::string> words = {"export", "events", "--out", file, "--resume", "--json"};
  const auto refusal = [&](const std::vector<std::string>& more) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), more.begin(), more.end());
    const Ran ran = ask(store, asked);
    EXPECT_EQ(ran.code, 2) << ran.out;
    return Json::parse(ran.err.substr(0, ran.err.find('\n'))).at("error");
  };
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"--project", "web"}, {"--agent", "shell"}, {"--job", kBuild}, {"--since", "3"}, {"--at", "12"}}) {
    const Json error = refusal(more);
    EXPECT_EQ(error.at("code"), "other_export") << more.front();
    EXPECT_THAT(error.at("message").get<std::string>(), HasSubstr("was begun with other options: none"));
  }
  std::ofstream(file + ".part.state") << R"({"asked":"","site":"elsewhere","store":"00"})"
                                      << "\n";
  EXPECT_THAT(refusal({}).at("message").get<std::string>(), HasSubstr("from another store, site elsewhere"));
  fs::remove(file + ".part.state");
  EXPECT_EQ(refusal({}).at("code"), "bad_part");
  EXPECT_EQ(whole_text(file + ".part"), all.substr(0, all.find("{\"position\":9,"))) << "untouched";
}

TEST(EventLines, LimitCountsExistingLines) {
  const SmallStore store;
  const std::string file = store.beside("events.jsonl");
  const std::string all = ask(store, {"export", "events"}).out;
  const auto up_to = [&](int position) {
    return all.find("{\"position\":" + std::to_string(position + 1) + ",");
  };
  const auto resumed = [&](const char* limit) {
    return ask(store, {"export", "events", "--out", file, "--resume", "--limit", limit}).code;
  };
  break_off(store, file, up_to(8), {"--limit", "10"});
  EXPECT_EQ(resumed("7"), 2) << "more are there";
  EXPECT_EQ(resumed("10"), 0);
  EXPECT_EQ(whole_text(file), all.substr(0, up_to(10)));
  fs::remove(file);
  break_off(store, file, up_to(8));
  EXPECT_EQ(resumed("8"), 0);
  EXPECT_EQ(whole_text(file), all.substr(0, up_to(8)));
}

TEST(EventLines, AnotherFormatDoesNotResume) {
  const SmallStore store;
  const std::string file = store.beside("events.jsonl");
  std::ofstream(file + ".part") << "{\"position\":1}\n";
  const Ran ran = ask(store, {"export", "events", "--out", file, "--resume", "--format", "cloudevents"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(whole_text(file + ".part"), "{\"position\":1}\n");
  EXPECT_EQ(ask(store, {"export", "events", "--resume"}).code, 2);
  EXPECT_EQ(ask(store, {"export", "prometheus", "--resume"}).code, 2);
  EXPECT_THAT(ask(store, {"export", "everything"}).err, HasSubstr("analytics"));
}

}  // namespace
}  // namespace luzia::test
