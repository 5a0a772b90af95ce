// Backups and archives in use: a backup that was made while jobs ran continues on another machine; an archive
// is read, and never becomes a store that runs jobs.
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class RestoreTest : public DaemonTest {
 protected:
  /// The backup takes the store's place on a machine of another name and boot, which has no job directories.
  void move_to_another_machine(const std::string& backup, const std::string& of_a_job) {
    halt_machine();
    fs::remove_all(store());
    fs::remove_all(fs::path(job_dir(of_a_job)).parent_path());
    fs::rename(backup, store());
    const std::string boot = "00000000-1111-2222-3333-555555555555";
    machine_.emplace(Words{kLuziad, "--store", store()}, environment(), path("luziad.out"),
                     [reboot = after_a_reboot(boot)] {
                       reboot();
                       if (::unshare(CLONE_NEWUTS) == 0) (void)::sethostname("elsewhere", 9);
                     });
    ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }))
        << machine_->output();
  }

  std::optional<BesideProgram> machine_;
};

TEST_F(RestoreTest, BackupOfRunningJobsContinuesOnAnotherMachine) {
  const std::string finished = dispatch("echo finished");
  ended(finished);
  const std::string writing = dispatch("while :; do echo line; sleep 0.01; done");
  const std::string waiting = dispatch("echo never", {"--after", writing});
  ASSERT_TRUE(wait_until([&] { return read_text(job_dir(writing) + "/output.log").size() > 100; }));
  EXPECT_EQ(luzia({"pause", "--project", "demo"}).code, 0);
  const std::string queued = dispatch("echo queued >> ran");
  const Finished made = query({"backup", path("copy")});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(query({"verify", "--store", path("copy")}).code, 0);
  EXPECT_EQ(state(writing), "running") << "the backup did not disturb it";
  const std::string after = dispatch("echo after");
  move_to_another_machine(path("copy"), writing);

  EXPECT_EQ(ended(writing)["state"], "lost");
  EXPECT_EQ(ended(waiting)["reason"], "dependency_failed");
  EXPECT_EQ(job(finished)["state"], "completed");
  EXPECT_EQ(job(finished)["task"], "echo finished");
  EXPECT_EQ(luzia({"job", after}).code, 3) << "it was dispatched after the backup";
  EXPECT_EQ(state(queued), "queued") << "the pause is in the backup";
  EXPECT_EQ(luzia({"resume", "--project", "demo"}).code, 0);
  EXPECT_EQ(ended(queued)["state"], "completed");
  EXPECT_EQ(luzia({"retry", finished}).code, 0);
  EXPECT_EQ(ended(finished)["attempts"], 2) << "its directory is made again";
  EXPECT_EQ(read_text(project() + "/ran"), "queued\n");
  expect_verified();
}

TEST_F(RestoreTest, ArchiveIsReadAndRunsNothing) {
  const std::string failed = dispatch("echo one; exit 3");
  ended(failed);
  EXPECT_EQ(luzia({"pause", "--project", "demo"}).code, 0);
  const std::string queued = dispatch("echo ran >> ran");
  const std::string archive = path("archive");
  ASSERT_EQ(query({"archive", archive, "--until", std::to_string(position())}).code, 0);
  EXPECT_EQ(luzia({"resume", "--project", "demo"}).code, 0);
  ended(queued);
  ASSERT_EQ(read_text(project() + "/ran"), "ran\n");

  const Json jobs = query_json({"jobs", "--all", "--store", archive})["jobs"];
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(query_json({"job", queued, "--store", archive})["state"], "queued");
  EXPECT_THAT(query({"why", failed, "--store", archive}).out, HasSubstr("exit code 3"));
  EXPECT_EQ(query({"verify", "--store", archive}).code, 0);
  const Finished daemon = run_to_end({kLuziad, "--store", archive}, environment());
  EXPECT_NE(daemon.code, 0);
  EXPECT_THAT(daemon.err, HasSubstr("is an archive: it is read, and nothing is added to it"));
  EXPECT_NE(luzia({"why", failed, "--store", archive}).code, 0) << "luzia would start a daemon on it";
  EXPECT_EQ(query({"verify", "--archive", archive}).code, 0) << "nothing was added";
  EXPECT_EQ(read_text(project() + "/ran"), "ran\n") << "no job ran a second time";
}

TEST_F(RestoreTest, ArchiveThatWasCutShortRunsNothingEither) {
  ended(dispatch("true"));
  const std::string until = std::to_string(position());
  constexpr int kKilledByIt = 128 + SIGKILL;
  const Finished cut = run_to_end({kLuziaQuery, "archive", path("archive"), "--until", until},
                                  environment({"LUZIA_FAILPOINTS=copy.finished@1"}));
  ASSERT_EQ(cut.code, kKilledByIt) << cut.err;
  const Finished daemon = run_to_end({kLuziad, "--store", path("archive")}, environment());
  EXPECT_NE(daemon.code, 0);
  EXPECT_THAT(daemon.err, HasSubstr("is an archive: it is read, and nothing is added to it"));
  EXPECT_EQ(query({"verify", "--store", path("archive")}).code, 0) << "whole, but for the verification";
}

}  // namespace
}  // namespace luzia
