// A full disk. If mounting is allowed, store and jobs lie on a tmpfs that shrinks to its used size. Otherwise
// the daemon gets a file size limit, which makes its writes fail in the same place.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/own_mounts.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class FullDiskTest : public DaemonTest {
 protected:
  /// An agent that receives its task whole, however long.
  FullDiskTest() { configure("[agents.reader]\ncommand = [\"cat\"]\n"); }
  ~FullDiskTest() override {
    if (!mounted_) return;
    for (const pid_t pid : own_processes()) ::kill(pid, SIGKILL);
    ::umount2(disk().c_str(), MNT_DETACH);
  }

  std::string disk() const { return path("disk"); }

  bool mount_disk() {
    fs::create_directories(disk());
    mounted_ = enter_own_mounts() && ::mount("tmpfs", disk().c_str(), "tmpfs", 0, "size=1g,mode=0755") == 0;
    if (mounted_) place_store(disk() + "/store", disk() + "/jobs");
    return mounted_;
  }

  void resize_disk(const std::string& options) const {
    ASSERT_EQ(::mount("tmpfs", disk().c_str(), "tmpfs", MS_REMOUNT, options.c_str()), 0) << options;
  }

  struct statvfs disk_status() const {
    struct statvfs status {};
    EXPECT_EQ(::statvfs(disk().c_str(), &status), 0);
    return status;
  }

  void fill_disk() const {
    const auto status = disk_status();
    resize_disk("size=" + std::to_string((status.f_blocks - status.f_bfree) * status.f_frsize));
  }

  void use_up_inodes() const {
    const auto status = disk_status();
    resize_disk("nr_inodes=" + std::to_string(status.f_files - status.f_ffree));
  }

  void free_disk() const { resize_disk("size=1g,nr_inodes=100000"); }

  /// Whether the daemon reports that nothing new starts because it lacks `what`.
  bool waits_for(const std::string& what) const {
    return wait_until([&] {
      const std::string told = luzia({"daemon", "status"}).out;
      return told.find("nothing new starts while less than " + what) != std::string::npos;
    });
  }

  /// Dispatches large jobs and returns the first that is not acknowledged. Runs as if inside a job: then no
  /// client starts a new daemon, without the test's limits, when the first one is gone.
  Finished dispatch_until_refused() const {
    const std::string task = ": " + std::string(1'000'000, 'x');
    Finished sent;
    for (int i = 0; i < 100 && (i == 0 || sent.code == 0); ++i)
      sent = luzia({"demo", "-", "-q", "--agent", "reader"}, task, {"LUZIA_JOB_ID=none"});
    return sent;
  }

 private:
  bool mounted_ = false;
};

TEST_F(FullDiskTest, DispatchIsRefusedWhileCancelWorks) {
  if (!mount_disk()) return;  // otherwise the next test covers this machine
  const std::string running = dispatch("while :; do sleep 0.05; done");
  ASSERT_TRUE(becomes(running, "running"));
  fill_disk();
  const Finished refused = dispatch_until_refused();
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;

  Finished cancelled;
  EXPECT_TRUE(wait_until([&] {
    cancelled = luzia({"cancel", running, "--grace", "0", "--command-id", "cancel-1"});
    return cancelled.code == 0;
  })) << cancelled.err;
  EXPECT_EQ(ended(running)["state"], "killed");
  EXPECT_TRUE(wait_until([&] { return processes_of(running).empty(); }));

  free_disk();
  EXPECT_TRUE(wait_until([&] { return luzia({"cancel", "--all", "--yes"}).code == 0; }));
  EXPECT_EQ(ended(dispatch("echo again"))["state"], "completed");
  expect_verified();
}

TEST_F(FullDiskTest, JobsWaitForSpaceOnTheirDisk) {
  if (!mount_disk()) return;
  place_store(path("store"), disk() + "/jobs");
  EXPECT_EQ(ended(dispatch("echo before"))["state"], "completed");
  for (const bool has_inodes : {true, false}) {
    has_inodes ? fill_disk() : use_up_inodes();
    ASSERT_TRUE(waits_for(has_inodes ? "40 MiB" : "1,000 files")) << luzia({"daemon", "status"}).out;
    const std::string waiting = dispatch("echo ran");
    EXPECT_THAT(luzia({"why", waiting}).out, testing::HasSubstr("the disk of " + disk()));
    EXPECT_EQ(state(waiting), "queued");
    free_disk();
    const Json row = ended(waiting);
    EXPECT_EQ(row["state"], "completed") << row;
    EXPECT_EQ(row["attempts"], 1) << row;
  }
  expect_verified();
}

TEST_F(FullDiskTest, LogWithoutSpaceLosesNothingAcknowledged) {
  Finished refused;
  std::string kept;
  {
    BesideProgram limited({kLuziad, "--store", store()}, environment(), path("luziad.out"));
    ASSERT_TRUE(wait_until([&] { return luzia({"jobs"}, "", {"LUZIA_JOB_ID=none"}).code == 0; }));
    const rlimit limit{300'000, 300'000};
    ASSERT_EQ(::prlimit(limited.pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
    kept = dispatch("echo kept");
    EXPECT_EQ(ended(kept)["state"], "completed");
    refused = dispatch_until_refused();
    limited.signal(SIGKILL);
    limited.end();
  }
  EXPECT_EQ(refused.code, 5) << refused.err;
  EXPECT_EQ(error_lines(refused.err), 1u) << refused.err;
  kill_and_start_daemon();
  EXPECT_EQ(state(kept), "completed");
  EXPECT_EQ(ended(dispatch("echo again"))["state"], "completed");
  expect_verified();
}

}  // namespace
}  // namespace luzia
