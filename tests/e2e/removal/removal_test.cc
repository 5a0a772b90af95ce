// luzia rm and luzia gc --jobs: removed jobs are in no list and their files are gone; purged texts are
// nowhere on disk, whenever the daemon is killed.
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class RemovalTest : public DaemonTest {
 protected:
  Words listed() const {
    Words ids;
    const Json list = luzia_json({"jobs", "--all", "--limit", "0"});
    for (const Json& job : list["jobs"]) ids.push_back(job["id"]);
    return ids;
  }
  bool is_gone(const std::string& id) const {
    return wait_until([&] { return !fs::exists(job_dir(id)); });
  }
  /// Files below a folder that contain these bytes.
  static Words files_with(const std::string& folder, const std::string& bytes) {
    Words found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      if (read_text(entry.path()).find(bytes) != std::string::npos) found.push_back(entry.path());
    }
    return found;
  }
  int shell(const std::string& command) const {
    return run_to_end({"/bin/sh", "-c", command}, environment()).code;
  }
  std::string jobs_root() const { return fs::path(job_dir("x")).parent_path(); }
};

TEST_F(RemovalTest, EndedJobLeavesListsAndDiskAfterAPreview) {
  const std::string stays = dispatch("true"), goes = dispatch("echo said; exit 3");
  ended(stays);
  ended(goes);
  const Finished shown = luzia({"rm", goes});
  EXPECT_EQ(shown.code, 4);
  EXPECT_THAT(shown.out, HasSubstr(goes));
  EXPECT_THAT(shown.err, HasSubstr("--yes"));
  EXPECT_TRUE(fs::exists(job_dir(goes)));
  EXPECT_THAT(listed(), UnorderedElementsAre(stays, goes));

  EXPECT_EQ(luzia({"rm", "@last", "--yes", "--note", "tidy"}).code, 0);
  EXPECT_TRUE(is_gone(goes));
  EXPECT_TRUE(fs::exists(job_dir(stays)));
  EXPECT_THAT(listed(), ElementsAre(stays));
  EXPECT_EQ(luzia_json({"job", "@last"})["id"], stays);
  EXPECT_THAT(query({"sql", "select id from jobs"}).out, Not(HasSubstr(goes)));
  EXPECT_TRUE(job(goes).contains("removed_at"));
  EXPECT_THAT(luzia({"job", goes}).out, HasSubstr("tidy, by root"));
  EXPECT_THAT(luzia({"why", goes}).out, HasSubstr("removed"));
  const Finished again = luzia({"retry", goes});
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.err, HasSubstr("was removed"));
  EXPECT_EQ(luzia({"rm", goes, "--yes"}).code, 0) << "known already";
  EXPECT_EQ(events_of(goes, "JobRemoved").size(), 1U);
  expect_verified();
}

TEST_F(RemovalTest, LiveJobStaysWhileOthersAreRemoved) {
  const std::string lives = dispatch_until("running", "sleep 600"), over = dispatch("true");
  ended(over);
  const Finished alone = luzia({"rm", lives, "--yes"});
  EXPECT_EQ(alone.code, 4);
  EXPECT_THAT(alone.err, HasSubstr("luzia cancel " + lives));
  const Finished both = luzia({"rm", lives, over, "--yes"});
  EXPECT_EQ(both.code, 4);
  EXPECT_TRUE(is_gone(over));
  EXPECT_EQ(state(lives), "running");
  EXPECT_EQ(luzia({"rm", over, "nosuchjob", "--yes"}).code, 3);
}

TEST_F(RemovalTest, PurgedTextIsNowhereOnDisk) {
  const std::string task = "MK0task7f31", environment = "MK0env7f31", question = "MK0ask7f31",
                    answer = "MK0answer7f31";
  script("agent", kLuzia + " ask '" + question + "' --timeout 10m > answer-was\n");
  const std::string id =
      dispatch_until("waiting", "sh ./agent # " + task, {"--env", "SECRET=" + environment});
  ASSERT_EQ(luzia({"answer", id, answer}).code, 0);
  ended(id);
  fs::remove(project() + "/answer-was");
  fs::remove(project() + "/agent");
  const std::uint64_t before = position();
  for (const std::string& text : {task, environment, question, answer}) {
    EXPECT_THAT(files_with(home(), text), Not(IsEmpty())) << text;
  }
  const Json shown = luzia_json({"--json", "rm", id, "--purge", "--yes"});
  EXPECT_EQ(shown["jobs"][0]["texts"], 4);
  for (const std::string& text : {task, environment, question, answer}) {
    EXPECT_TRUE(wait_until([&] { return files_with(home(), text).empty(); }))
        << text << " in " << testing::PrintToString(files_with(home(), text));
  }
  EXPECT_EQ(events_of(id, "BlobErased").size(), 4U);
  EXPECT_EQ(job(id)["task"], "(erased)");
  EXPECT_EQ(query_json({"--json", "job", id, "--at", std::to_string(before)})["task"], "(erased)");
  EXPECT_THAT(query({"questions", "--all", "--at", std::to_string(before)}).out, HasSubstr("(erased)"));
  EXPECT_THAT(luzia({"why", id}).out, HasSubstr("its texts erased"));
  expect_verified();
  kill_daemon();
  EXPECT_EQ(query({"verify"}).code, 0);
  EXPECT_EQ(query_json({"--json", "job", id})["task"], "(erased)") << "read without a daemon";
}

TEST_F(RemovalTest, RemovedJobCanBePurgedLater) {
  const std::string id = dispatch("true # MK1task");
  ended(id);
  ASSERT_EQ(luzia({"rm", id, "--yes"}).code, 0);
  EXPECT_TRUE(is_gone(id));
  EXPECT_EQ(job(id)["task"], "true # MK1task");
  const Finished purged = luzia({"rm", id, "--purge", "--yes"});
  ASSERT_EQ(purged.code, 0);
  EXPECT_THAT(purged.err, HasSubstr("removed 1 job; the daemon now erases the texts"));
  EXPECT_TRUE(wait_until([&] { return files_with(home(), "MK1task").empty(); }));
  EXPECT_EQ(luzia({"rm", id, "--purge", "--yes"}).code, 0);
  EXPECT_EQ(events_of(id, "JobRemoved").size(), 2U);
  expect_verified();
}

TEST_F(RemovalTest, NextDaemonFinishesAnInterruptedRemoval) {
  for (const std::string point :
       {"removal.begin", "removal.text", "removal.files", "removal.drop", "removal.note"}) {
    SCOPED_TRACE(point);
    const std::string secret = "MK2" + point;
    const std::string id = dispatch("true # " + secret);
    ended(id);
    stop_daemon();
    const FailingDaemon failing = start_daemon_that_ends_at(point + "@1");
    ASSERT_NE(failing.pid, 0);
    (void)luzia({"rm", id, "--purge", "--yes"});
    ASSERT_TRUE(wait_until([&] { return !is_running(failing.pid); }));
    start_daemon();
    EXPECT_TRUE(is_gone(id));
    EXPECT_TRUE(wait_until([&] { return files_with(home(), secret).empty(); }))
        << testing::PrintToString(files_with(home(), secret));
    EXPECT_EQ(events_of(id, "JobRemoved").size(), 1U);
    EXPECT_EQ(events_of(id, "BlobErased").size(), 1U);
  }
  expect_verified();
}

TEST_F(RemovalTest, DoctorReportsUnremovableFiles) {
  const std::string id = dispatch("true"), other = dispatch("true");
  ended(id);
  ended(other);
  fs::create_directory(path("precious"));
  write_text(path("precious/file"), "kept");
  const std::string target = job_dir(id) + "/mounted";
  fs::create_directory(target);
  ASSERT_EQ(shell("mount --bind " + path("precious") + " " + target), 0);
  ASSERT_EQ(luzia({"rm", id, other, "--yes"}).code, 0);
  EXPECT_TRUE(is_gone(other)) << "an unremovable one does not block the others";
  EXPECT_TRUE(wait_until([&] { return luzia({"doctor"}).out.find("not removed yet") != std::string::npos; }));
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("umount"));
  EXPECT_EQ(read_text(path("precious/file")), "kept");
  for (const auto& entry : fs::directory_iterator(jobs_root() + "/.removing-" + id)) {
    (void)shell("umount " + entry.path().string() + "/mounted || umount " + entry.path().string());
  }
  restart_daemon();
  EXPECT_TRUE(wait_until([&] { return !fs::exists(jobs_root() + "/.removing-" + id); }));
  EXPECT_THAT(luzia({"doctor"}).out, Not(HasSubstr("not removed yet")));
  EXPECT_EQ(read_text(path("precious/file")), "kept");
}

TEST_F(RemovalTest, OldJobsAreRemovedInBulk) {
  std::string batch;
  for (int i = 0; i < 450; ++i)
    batch += R"({"project":"demo","task":"true"})"
             "\n";
  write_text(path("batch.jsonl"), batch);
  configure("[queue]\nmax_running = 4\n");
  const std::string first = dispatch("true");
  ended(first);
  ASSERT_EQ(luzia({"dispatch", "--batch", path("batch.jsonl")}).code, 0);
  ASSERT_EQ(luzia({"cancel", "--all", "--yes"}).code, 0);
  ASSERT_TRUE(wait_until([&] { return luzia_json({"jobs"})["jobs"].empty(); }));
  const std::string lives = dispatch("sleep 600");
  EXPECT_EQ(luzia({"gc", "--jobs", "--older-than", "90d", "--yes"}).code, 0);
  EXPECT_EQ(listed().size(), 452U) << "no job is that old";
  EXPECT_EQ(luzia({"gc", "--jobs", "--older-than", "0s"}).code, 4);
  EXPECT_EQ(luzia({"gc", "--jobs", "--older-than", "0s", "--purge", "--yes"}).code, 0);
  EXPECT_THAT(listed(), ElementsAre(lives));
  EXPECT_TRUE(is_gone(first));
  EXPECT_EQ(luzia({"gc", "--purge"}).code, 2);
  EXPECT_EQ(luzia({"gc", "--jobs"}).code, 2);
  expect_verified();
}

TEST_F(RemovalTest, FiltersChooseAmongEndedJobs) {
  const std::string good = dispatch("true"), bad = dispatch("exit 3"),
                    other = dispatch("exit 3", {"--tag", "t"});
  for (const std::string& id : {good, bad, other}) ended(id);
  EXPECT_EQ(luzia({"rm", "--state", "failed", "--tag", "t", "--yes"}).code, 0);
  EXPECT_THAT(listed(), UnorderedElementsAre(good, bad));
  EXPECT_EQ(luzia({"rm", "--state", "failed", "--yes"}).code, 0);
  EXPECT_THAT(listed(), ElementsAre(good));
  EXPECT_EQ(luzia({"rm", good, "--state", "failed"}).code, 2);
  EXPECT_EQ(luzia({"rm"}).code, 2);
}

TEST_F(RemovalTest, WorktreeWithWorkKeepsItsJob) {
  ASSERT_EQ(shell("cd " + project() +
                  " && git init -q && git config user.name t && "
                  "git config user.email t@example.org && git commit -q --allow-empty -m first"),
            0);
  const std::string works = dispatch("echo new > file", {"--worktree"});
  const std::string idle = dispatch("true", {"--worktree"});
  ended(works);
  ended(idle);
  const Finished kept = luzia({"rm", works, idle, "--yes"});
  EXPECT_EQ(kept.code, 4);
  EXPECT_THAT(kept.err, HasSubstr("has changes that are not committed"));
  EXPECT_TRUE(is_gone(idle));
  EXPECT_TRUE(fs::exists(job_dir(works)));
  EXPECT_THAT(listed(), ElementsAre(works));
}

TEST_F(RemovalTest, RepeatedCommandRemovesOnce) {
  const std::string id = dispatch("true");
  ended(id);
  ASSERT_EQ(luzia({"rm", id, "--yes", "--command-id", "c1"}).code, 0);
  ASSERT_EQ(luzia({"rm", id, "--yes", "--command-id", "c1"}).code, 0);
  EXPECT_EQ(events_of(id, "JobRemoved").size(), 1U);
}

class SharedRemovalTest : public RemovalTest {
 protected:
  SharedRemovalTest() {
    configure("[store]\ngroup = \"nogroup\"\n[projects.shared]\npath = \"" + project() +
              "\"\nusers = [\"nobody\"]\n");
    fs::copy_file(kLuzia, path("luzia"));  // other users cannot reach the build folder
    for (const std::string& folder : {path(""), project(), home()}) ::chmod(folder.c_str(), 0755);
  }
  /// Runs luzia as the user `nobody`; its output goes to nobody.out.
  int as_nobody(Words words) const {
    words.insert(words.begin(), path("luzia"));
    return BesideProgram(words, {"LUZIA_SOCKET=" + store() + "/socket", "HOME=/"}, path("nobody.out"),
                         become_nobody)
        .end();
  }
  std::string said_to_nobody() const { return read_text(path("nobody.out")); }

 private:
  static void become_nobody() {
    constexpr unsigned kNobody = 65534;
    const bool became = ::setgroups(0, nullptr) == 0 && ::setgid(::getgrnam("nogroup")->gr_gid) == 0 &&
                        ::setuid(kNobody) == 0;
    if (!became) ::_exit(99);
  }
};

TEST_F(SharedRemovalTest, MemberRemovesOnlyTheirOwnJobs) {
  start_daemon();
  const Finished sent = luzia({"dispatch", "shared", "true", "-q"});
  ASSERT_EQ(sent.code, 0) << sent.err;
  const std::string roots = lines_of(sent.out).at(0);
  ended(roots);
  ASSERT_EQ(as_nobody({"dispatch", "shared", "true", "-q"}), 0) << said_to_nobody();
  const std::string own = lines_of(said_to_nobody()).at(0);
  ended(own);
  EXPECT_EQ(as_nobody({"rm", roots, "--purge", "--yes"}), 4);
  EXPECT_THAT(said_to_nobody(), HasSubstr("it ran as root"));
  EXPECT_TRUE(events_of(roots, "JobRemoved").empty());
  EXPECT_EQ(as_nobody({"rm", own, "--yes"}), 0) << said_to_nobody();
  EXPECT_EQ(events_of(own, "JobRemoved").at(0)["actor"]["name"], "nobody");
  EXPECT_TRUE(is_gone(own));
}

}  // namespace
}  // namespace luzia
