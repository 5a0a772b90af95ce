// [keep]: what ended jobs left behind goes by age and size, is recorded once, and nothing else goes, whenever
// the daemon is killed.
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// More than the line that stays of an expired output.
constexpr char kSays[] = "echo said; seq 1 200";

class KeepTest : public DaemonTest {
 protected:
  bool gone(const std::string& id) const {
    return wait_until([&] { return !fs::exists(job_dir(id)); });
  }
  std::string output(const std::string& id) const { return read_text(job_dir(id) + "/output.log"); }
  bool expires(const std::string& id) const {
    return wait_until([&] { return output(id).starts_with("[output expired: "); });
  }
  std::size_t expired(const std::string& id) const { return events_of(id, "FilesExpired").size(); }
  std::string ended_job(const std::string& task, const Words& options = {}) const {
    std::string id = dispatch(task, options);
    ended(id);
    return id;
  }
  /// Waits until so many jobs are due by the only rule.
  bool are_due(int jobs) const {
    return wait_until([&] { return luzia_json({"--json", "gc", "--dry-run"})["expire"][0]["jobs"] == jobs; });
  }
  Finished collect() const { return luzia({"gc", "--yes"}); }
};

TEST_F(KeepTest, WithoutARuleEverythingStays) {
  const std::string id = ended_job(kSays);
  EXPECT_THAT(luzia({"gc"}).err, HasSubstr("nothing to remove"));
  EXPECT_THAT(luzia({"daemon", "status"}).out, HasSubstr("[keep] sets no rule"));
  EXPECT_THAT(luzia({"doctor", "--json"}).out, HasSubstr("keep: everything"));
  EXPECT_THAT(luzia({"doctor", "--json"}).out, HasSubstr("disk use: log "));
  EXPECT_THAT(output(id), HasSubstr("said"));
}

TEST_F(KeepTest, OutputsOfOldJobsGoOnceAndTheJobStays) {
  configure("[keep]\noutputs = \"1s\"\n");
  const std::string id = ended_job(kSays), pinned = ended_job(kSays, {"--tag", "keep"});
  const std::string lives = dispatch(std::string(kSays) + "; sleep 600");
  ASSERT_TRUE(becomes(lives, "running"));
  ASSERT_TRUE(wait_until([&] { return output(lives).find("said") != std::string::npos; }));
  ASSERT_TRUE(are_due(1));
  const Finished shown = luzia({"gc"});
  EXPECT_EQ(shown.code, 4);
  EXPECT_THAT(shown.out, HasSubstr("outputs = "));
  EXPECT_THAT(output(id), HasSubstr("said")) << "it was only shown";
  const Json json = luzia_json({"--json", "gc", "--dry-run"});
  EXPECT_EQ(json["expire"][0]["jobs"], 1);
  EXPECT_GT(json["expire"][0]["bytes"], 0);

  ASSERT_EQ(collect().code, 0);
  EXPECT_TRUE(expires(id));
  EXPECT_THAT(output(pinned), HasSubstr("said"));
  EXPECT_THAT(output(lives), HasSubstr("said"));
  const Finished logs = luzia({"logs", id});
  EXPECT_EQ(logs.code, 3);
  EXPECT_EQ(logs.out, "");
  EXPECT_THAT(logs.err, HasSubstr("the output of job " + id + " is gone: removed on "));
  EXPECT_THAT(logs.err, HasSubstr("([keep] outputs = "));
  const std::string card = luzia({"job", id}).out;
  EXPECT_THAT(card, HasSubstr("lines; removed on "));
  EXPECT_THAT(card, HasSubstr("folder      " + job_dir(id))) << "it is still there";
  EXPECT_THAT(card, Not(HasSubstr("the last lines")));
  EXPECT_EQ(job(id)["files_removed"], "output");
  const Finished played = query({"play", id, "--speed", "1000x", "--max-gap", "1ms"});
  EXPECT_THAT(played.err, HasSubstr("it is played without its output, which was removed on "));
  EXPECT_THAT(played.out, Not(HasSubstr("[output expired")));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("its output expired"));
  EXPECT_EQ(state(id), "completed");
  EXPECT_EQ(luzia_json({"--json", "gc", "--dry-run"})["expire"][0]["jobs"], 0);
  ASSERT_EQ(collect().code, 0);
  EXPECT_EQ(expired(id), 1U);
  EXPECT_EQ(luzia({"retry", id}).code, 0) << "its directory is there";
  ended(id);
  EXPECT_THAT(output(id), HasSubstr("said"));
  EXPECT_THAT(luzia({"logs", id}).out, HasSubstr("said"));
  EXPECT_FALSE(job(id).contains("files_removed"));
  expect_verified();
}

TEST_F(KeepTest, ADirectoryGoesAndTheJobStaysInTheLists) {
  configure("[keep]\njob_dirs = \"1s\"\n");
  const std::string id = ended_job(kSays);
  const std::uint64_t before = position();
  ASSERT_TRUE(are_due(1));
  ASSERT_EQ(collect().code, 0);
  EXPECT_TRUE(gone(id));
  EXPECT_EQ(luzia_json({"jobs", "--all"})["jobs"][0]["id"], id);
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("its directory expired"));
  EXPECT_THAT(luzia({"job", id}).out, HasSubstr("folder      removed on "));
  EXPECT_EQ(job(id)["files_removed"], "directory");
  EXPECT_THAT(std::string(job(id)["files_removed_rule"]), HasSubstr("job_dirs = "));
  const Finished logs = luzia({"logs", id});
  EXPECT_EQ(logs.code, 3);
  EXPECT_THAT(logs.err, HasSubstr("([keep] job_dirs = "));
  const Finished retried = luzia({"retry", id});
  EXPECT_EQ(retried.code, 4);
  EXPECT_THAT(retried.err, HasSubstr("its directory expired"));
  EXPECT_EQ(query_json({"--json", "job", id, "--at", std::to_string(before)})["state"], "completed");
  EXPECT_EQ(luzia({"rm", id, "--yes"}).code, 0);
  EXPECT_EQ(expired(id), 1U);
  expect_verified();
}

TEST_F(KeepTest, OldJobsAreRemovedAndTheirTextsErased) {
  configure("[keep]\ntexts = \"1s\"\n");
  const std::string id = ended_job("true # MK3task");
  ASSERT_TRUE(are_due(1));
  ASSERT_EQ(collect().code, 0);
  EXPECT_TRUE(gone(id));
  EXPECT_TRUE(wait_until([&] { return job(id)["task"] == "(erased)"; }));
  EXPECT_EQ(luzia_json({"jobs", "--all"})["jobs"].size(), 0U);
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("[keep] texts = "));
  ASSERT_EQ(collect().code, 0);
  EXPECT_EQ(events_of(id, "JobRemoved").size(), 1U);
  expect_verified();
}

TEST_F(KeepTest, OverTheSizeTheOldestDirectoriesGo) {
  configure("[keep]\nsize = \"1MiB\"\n");
  const std::string write = "head -c 700000 /dev/zero | tr '\\0' x";
  const std::string first = ended_job(write), second = ended_job(write);
  ASSERT_EQ(collect().code, 0);
  EXPECT_TRUE(gone(first));
  EXPECT_TRUE(fs::exists(job_dir(second)));
  EXPECT_EQ(expired(second), 0U);
}

TEST_F(KeepTest, ANextDaemonGoesOnAndRecordsNothingTwice) {
  configure("[keep]\noutputs = \"1s\"\n");
  for (const std::string point : {"keep.recorded@1", "keep.taken@1"}) {
    SCOPED_TRACE(point);
    const std::string one = ended_job(kSays), other = ended_job(kSays);
    stop_daemon();
    const FailingDaemon failing = start_daemon_that_ends_at(point);
    ASSERT_NE(failing.pid, 0);
    ASSERT_TRUE(are_due(2));
    (void)collect();
    ASSERT_TRUE(wait_until([&] { return !is_running(failing.pid); }));
    start_daemon();
    ASSERT_EQ(collect().code, 0);
    EXPECT_TRUE(expires(one));
    EXPECT_TRUE(expires(other));
    EXPECT_EQ(expired(one), 1U);
    EXPECT_EQ(expired(other), 1U);
  }
  expect_verified();
}

}  // namespace
}  // namespace luzia
