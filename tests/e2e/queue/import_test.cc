// Imports the older tool's files, and exports the queue in its format.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "adapters/socket/client.h"
#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class ImportTest : public DaemonTest {
 protected:
  std::string older() const { return path("older"); }
  void put(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = older() + "/" + name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
  }
  void put_job(const std::string& name, const std::string& project, int exit_code) const {
    put(name + "/meta.json",
        R"({"id":")" + name + R"(","project":")" + project + R"(","task":"task of )" + name +
            R"(","type":"agent","user":"ana","pid":null,"started":"2025-06-01T10:00:00Z",)"
            R"("ended":"2025-06-01T10:05:00Z","status":"completed","debug":false})");
    put(name + "/output.log",
        "began\nlast words of " + name + "\n\nexit:" + std::to_string(exit_code) + "\n");
  }
  Json import_in(const std::string& zone) const {
    const Finished done = luzia({"import", older(), "--json"}, {}, {"TZ=" + zone});
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out, nullptr, false);
  }
  Json import(const Words& more = {}) const {
    Words words = {"import", older()};
    words.insert(words.end(), more.begin(), more.end());
    return luzia_json(words);
  }
};

TEST_F(ImportTest, RemovedJobIsNotImportedAgain) {
  put_job("143022-a1b2", "demo", 0);
  import();
  const std::string id = luzia_json({"jobs", "--all"})["jobs"][0]["id"];
  ASSERT_EQ(luzia({"rm", id, "--purge", "--yes"}).code, 0);
  // The erasure is recorded first; the daemon erases the text a moment later.
  EXPECT_TRUE(wait_until([&] { return job(id)["task"] == "(erased)"; }));
  EXPECT_EQ(events_of(id, "BlobErased").size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(older() + "/143022-a1b2/output.log")) << "files of another tool stay";
  const Json again = import();
  EXPECT_EQ(again["imported"], 0);
  EXPECT_EQ(again["known"], 1);
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
  EXPECT_THAT(luzia({"retry", id}).err, HasSubstr("was removed"));
  expect_verified();
}

TEST_F(ImportTest, JobsKeepTheirTimesAndNeverRun) {
  put_job("143022-a1b2", "demo", 0);
  put_job("150000-c3d4", "elsewhere", 3);
  const Json dry = import({"--dry-run"});
  EXPECT_EQ(dry["imported"], 2);
  EXPECT_TRUE(luzia_json({"jobs", "--all"})["jobs"].empty());
  const Json first = import();
  EXPECT_EQ(first["imported"], 2);
  EXPECT_EQ(first["known"], 0);
  const Json again = import();
  EXPECT_EQ(again["imported"], 0);
  EXPECT_EQ(again["known"], 2);

  const Json jobs = luzia_json({"jobs", "--all", "--tag", "was:143022-a1b2"})["jobs"];
  ASSERT_EQ(jobs.size(), 1U);
  const Json& row = jobs[0];
  const std::string id = row["id"];
  EXPECT_EQ(row["state"], "completed");
  EXPECT_EQ(row["reason"], "imported");
  EXPECT_EQ(row["exit_code"], 0);
  EXPECT_EQ(row["started_at"], "2025-06-01T10:00:00.000000Z");
  EXPECT_EQ(row["ended_at"], "2025-06-01T10:05:00.000000Z");
  EXPECT_EQ(row["task"], "task of 143022-a1b2");
  EXPECT_EQ(row["output"]["lines"], 2);
  EXPECT_EQ(row["last_line"], "last words of 143022-a1b2");
  const Finished logs = luzia({"logs", id});
  EXPECT_EQ(logs.out, "began\nlast words of 143022-a1b2\n");
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("taken over from " + older()));
  EXPECT_EQ(luzia_json({"jobs", "--all", "--project", "elsewhere"})["jobs"][0]["state"], "failed");
  EXPECT_EQ(query_json({"jobs", "--all", "--at", std::to_string(position())})["jobs"].size(), 2U);
  EXPECT_EQ(query_json({"stats"})["projects"][0]["completed"], 1);

  EXPECT_TRUE(row["priority"].is_null());
  EXPECT_THAT(luzia({"job", id}).out, testing::Not(HasSubstr("priority")));
  EXPECT_THAT(luzia({"status"}).out, testing::AllOf(HasSubstr("Failed (1)"), HasSubstr("Ended (1)")));
  EXPECT_FALSE(std::filesystem::exists(older() + "/143022-a1b2/run.sh"));
  kill_daemon();
  EXPECT_EQ(import()["known"], 2);
  expect_verified();
}

TEST_F(ImportTest, OnlyNewJobsAreImported) {
  put("local/meta.json", R"({"id":"1","project":"web","task":"a","started":"2025-06-01T10:00:00"})");
  put("timeless/meta.json", R"({"id":"2","project":"web","task":"a"})");
  put("timeless/output.log", "done\n\nexit:0\n");
  put("queue/pending/high/1_t1.json",
      R"({"id":"t1","project":"demo","prompt":"first","enqueued_at":"2026-01-01T00:00:00"})");
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  const Json first = import_in("UTC-2");
  EXPECT_EQ(first["imported"], 2);
  EXPECT_EQ(first["queued"], 1);
  // As `cp -r` leaves it.
  std::filesystem::last_write_time(older() + "/timeless/output.log",
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(5));
  const Json again = import_in("UTC+9");
  EXPECT_EQ(again["imported"], 0);
  EXPECT_EQ(again["queued"], 0);
  EXPECT_EQ(again["known"], 3);
}

TEST_F(ImportTest, JobsImportedByEarlierVersionsAreKnown) {
  start_daemon();
  put("local/meta.json", R"({"id":"1","project":"web","task":"a","started":"2025-06-01T10:00:00"})");
  wire::ImportJobsT jobs;
  auto& job = *jobs.jobs.emplace_back(std::make_unique<wire::ImportedJobT>());
  job.id = "1";
  job.project = "web";
  job.task = "a";
  job.state = schema::JobState::completed;
  job.queued_us = job.started_us = job.ended_us = 1'748'764'800'000'000;  // 10:00 in UTC+2
  job.source = older() + "/local";
  Client client = std::move(Client::connect(store() + "/socket").value());
  ASSERT_TRUE(client.ask(request_of(std::move(jobs))));
  EXPECT_EQ(import_in("UTC-2")["known"], 1);
}

TEST_F(ImportTest, ProjectIsKnownFromItsFirstJob) {
  start_daemon();
  Client client = std::move(Client::connect(store() + "/socket").value());
  wire::ImportJobsT jobs;
  auto& job = *jobs.jobs.emplace_back(std::make_unique<wire::ImportedJobT>());
  job.id = "143022-a1b2";
  job.project = "elsewhere";
  job.state = schema::JobState::completed;
  job.queued_us = job.started_us = job.ended_us = 1'748'772'000'000'000;
  job.source = older() + "/143022-a1b2";
  wire::ActOnQueueT pause;
  pause.action = wire::QueueAction::pause;
  pause.project = "elsewhere";
  // Both in one system call, so that the rows lag behind.
  ASSERT_TRUE(client.post(request_of(std::move(jobs))).has_value());
  const auto paused = client.ask(request_of(std::move(pause)));
  EXPECT_TRUE(paused) << paused.error().message;
  EXPECT_THAT(luzia({"status"}).out, HasSubstr("elsewhere"));
  EXPECT_EQ(luzia({"pause", "--project", "nowhere"}).code, 3);
}

TEST_F(ImportTest, RetryQueuesTheTaskAsANewJob) {
  put_job("143022-a1b2", "demo", 0);
  put("143022-a1b2/meta.json", R"({"id":"143022-a1b2","project":"demo","task":"echo once more",)"
                               R"("started":"2025-06-01T10:00:00Z","status":"completed"})");
  put("143022-a1b2/prompt.txt", "You are an agent of demo.\n\nTask:\necho once more\n\nBe careful.\n");
  put_job("150000-c3d4", "elsewhere", 3);
  import();
  const std::string id = luzia_json({"jobs", "--all", "--project", "demo"})["jobs"][0]["id"];
  const Finished retried = luzia({"retry", id});
  ASSERT_EQ(retried.code, 0) << retried.err;
  EXPECT_THAT(retried.err, HasSubstr("job " + id + " was imported and never ran here"));
  const std::string fresh = retried.out.substr(0, retried.out.find('\n'));
  EXPECT_NE(fresh, id);
  EXPECT_EQ(luzia({"wait", fresh}).code, 0);
  EXPECT_EQ(luzia({"logs", fresh}).out, "once more\n");
  const Json job = luzia_json({"job", fresh});
  EXPECT_EQ(job["parent_job"], id);
  EXPECT_TRUE(job["tags"].empty());
  EXPECT_EQ(luzia_json({"job", id})["attempts"], 1) << "the imported one stays as it was";

  const std::string other = luzia_json({"jobs", "--all", "--project", "elsewhere"})["jobs"][0]["id"];
  const Finished unknown = luzia({"retry", other});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("elsewhere"));
  const Finished both = luzia({"retry", id, other});
  EXPECT_EQ(both.code, 2) << "retriable jobs are retried, the other is named";
  EXPECT_THAT(both.err, HasSubstr("no project 'elsewhere'"));
  EXPECT_EQ(luzia({"wait", both.out.substr(0, both.out.find('\n'))}).code, 0);
}

TEST_F(ImportTest, BrokenJobsAreNamedAndTheRestImported) {
  put_job("good", "demo", 0);
  put("broken/meta.json", "{");
  put("empty/notes.txt", "nothing");
  put_job("piped", "demo", 0);
  std::filesystem::remove(older() + "/piped/output.log");
  ASSERT_EQ(mkfifo((older() + "/piped/output.log").c_str(), 0600), 0);
  std::filesystem::create_directory_symlink("/etc", older() + "/linked");
  put_job("es\x1b[2Jcape", "demo", 0);
  std::filesystem::remove(older() + "/es\x1b[2Jcape/meta.json");
  const Finished imported = luzia({"import", older()});
  EXPECT_EQ(imported.code, 1);
  EXPECT_THAT(imported.out, HasSubstr("imported 1 job that has ended"));
  for (const char* name : {"broken", "empty", "piped", "linked"}) {
    EXPECT_THAT(imported.err, HasSubstr("skipped " + older() + "/" + name + ": "));
  }
  EXPECT_EQ(imported.err.find('\x1b'), std::string::npos);
}

TEST_F(ImportTest, UnreadableFieldIsNotedAndTheJobImported) {
  put("a/meta.json", R"({"id":"a","project":"team/web","task":"x","pid":"12847","exit_code":"0",)"
                     R"("started":"soon","status":"COMPLETED"})");
  const Finished imported = luzia({"import", older(), "--json"});
  EXPECT_EQ(imported.code, 0) << imported.err;
  const Json report = Json::parse(imported.out, nullptr, false);
  EXPECT_EQ(report["imported"], 1);
  ASSERT_EQ(report["notes"].size(), 2U);
  EXPECT_EQ(report["notes"][0]["path"], older() + "/a");
  EXPECT_THAT(imported.err, HasSubstr("note " + older() + "/a: \"started\" is no time that can be read"));
  const Json jobs = luzia_json({"jobs", "--all"})["jobs"];
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0]["project"], "team-web");
  EXPECT_EQ(jobs[0]["state"], "completed");
  EXPECT_EQ(jobs[0]["exit_code"], 0);
  EXPECT_EQ(luzia_json({"import", older()})["known"], 1);
}

TEST_F(ImportTest, FolderWithoutOlderJobsIsRefused) {
  std::filesystem::create_directories(older());
  EXPECT_EQ(luzia({"import", older()}).code, 2);
  put("photos/one.jpg", "");
  EXPECT_EQ(luzia({"import", older()}).code, 2);
  EXPECT_EQ(luzia({"import", path("nowhere")}).code, 2);
  EXPECT_EQ(luzia({"import", "/dev/null"}).code, 2);
}

TEST_F(ImportTest, OlderQueueIsImportedOnceAndExported) {
  configure("[queue]\nmax_running = 1\n");
  start_daemon();
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  const std::string long_task(10'000, 'x');
  put("queue/pending/high/1_20260101_demo_t1.json",
      R"({"id":"t1","project":"demo","priority":9,"prompt":"first","skill_match":"python",)"
      R"("enqueued_at":"2026-01-01T00:00:00Z","enqueued_by":"ana","status":"pending"})");
  put("queue/pending/normal/5_20260101_demo_t2.json",
      R"({"id":"t2","project":"demo","prompt":")" + long_task + R"(","status":"pending"})");
  put("queue/pending/normal/5_20260102_unknown_t3.json", R"({"id":"t3","project":"unknown","prompt":"x"})");
  put("capacity.json", R"({"max_concurrent_agents":3,"max_load":1.5})");
  const Finished imported = luzia({"import", older()});
  EXPECT_EQ(imported.code, 1);
  EXPECT_THAT(imported.out, HasSubstr("queued 2"));
  EXPECT_THAT(imported.err, HasSubstr("no project 'unknown' is configured"));
  EXPECT_THAT(imported.err, testing::AllOf(HasSubstr("max_running = 3"), HasSubstr("max_load = 1.5")));
  EXPECT_THAT(luzia({"import", older() + "/capacity.json"}).out, HasSubstr("max_load = 1.5"));
  const Json first = luzia_json({"jobs", "--tag", "was:t1"})["jobs"][0];
  EXPECT_EQ(first["priority"], 9);
  EXPECT_EQ(first["queued_at"], "2026-01-01T00:00:00.000000Z");
  EXPECT_EQ(first["enqueued_by"], "ana");
  EXPECT_EQ(first["skill_match"], "python");
  EXPECT_THAT(luzia({"import", older()}).out, HasSubstr("queued 0; known already: 2"));

  const std::string out = path("exported");
  ASSERT_EQ(query({"export", "queue", "--out", out}).code, 0);
  std::size_t high = 0, normal = 0;
  for (const auto& file : std::filesystem::directory_iterator(out + "/queue/pending/high")) {
    ++high;
    EXPECT_THAT(file.path().filename().string(), testing::StartsWith("0_"));
    std::ifstream in(file.path());
    const Json entry = Json::parse(in);
    EXPECT_EQ(entry["prompt"], "first");
    EXPECT_EQ(entry["status"], "pending");
    EXPECT_EQ(entry["id"], "t1");
    EXPECT_EQ(entry["priority"], 9);
    EXPECT_EQ(entry["skill_match"], "python");
    EXPECT_EQ(entry["enqueued_by"], "ana");
    EXPECT_EQ(entry["enqueued_at"], "2026-01-01T00:00:00.000000Z");
  }
  for (const auto& file : std::filesystem::directory_iterator(out + "/queue/pending/normal")) {
    ++normal;
    std::ifstream in(file.path());
    EXPECT_EQ(Json::parse(in)["prompt"], long_task);
  }
  EXPECT_EQ(high, 1U);
  EXPECT_EQ(normal, 1U);
  EXPECT_EQ(query({"export", "queue", "--out", out}).code, 2);
  // Imported again, the exported queue adds nothing.
  const Json round = luzia_json({"import", out});
  EXPECT_EQ(round["queued"], 0);
  EXPECT_EQ(round["known"], 2);
}

TEST_F(ImportTest, ExportedQueueIsTheSameAfterImport) {
  start_daemon();
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  dispatch("echo one", {"--priority", "9"});
  dispatch("echo two", {"--priority", "3"});
  put("queue/pending/normal/5_t1.json",
      R"({"id":"t1","project":"demo","priority":6,"prompt":"three","skill_match":"go",)"
      R"("enqueued_at":"2026-01-01T00:00:00Z","enqueued_by":"ana","status":"pending"})");
  EXPECT_EQ(import()["queued"], 1);
  const std::string exported = query({"export", "queue"}).out;
  ASSERT_EQ(query({"export", "queue", "--out", path("exported")}).code, 0);
  EXPECT_EQ(luzia_json({"import", path("exported")})["known"], 3) << "these jobs are here";
  stop_daemon();
  place_store(path("second/store"), path("second/jobs"));
  start_daemon();
  ASSERT_EQ(luzia({"pause", "--all"}).code, 0);
  EXPECT_EQ(luzia_json({"import", path("exported") + "/queue"})["queued"], 3);
  const auto entries = [](const std::string& text) {
    std::vector<Json> all;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find("\n}\n", at), text.size() - 3) + 3;
      all.push_back(Json::parse(text.substr(at, end - at), nullptr, false));
      at = end;
    }
    std::ranges::sort(all, {}, [](const Json& entry) { return entry.value("id", ""); });
    return all;
  };
  EXPECT_EQ(entries(exported).size(), 3U);
  EXPECT_EQ(entries(query({"export", "queue"}).out), entries(exported));
  expect_verified();
}

TEST_F(ImportTest, OlderConfigurationIsPrintedAsText) {
  put("config.json", R"({"projects":{"old":{"path":"/tmp","tools":["npm"],"focus":"speed",)"
                     R"("knowledge":{"language":"C"}}}})");
  const Finished printed = luzia({"import", older() + "/config.json"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_THAT(printed.out, testing::AllOf(HasSubstr("[projects.\"old\"]\n"), HasSubstr("focus = \"speed\"")));
  configure(printed.out);
  EXPECT_EQ(luzia({"config", "check"}).code, 0);
  put("config.json", R"({"projects":{"old":{"path":"not absolute"}}})");
  EXPECT_EQ(luzia({"import", older() + "/config.json"}).code, 2);
}

}  // namespace
}  // namespace luzia
