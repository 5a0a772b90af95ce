// The exit record on a disk that is full or refuses writes: it is late, but whole and never empty.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/adapters/launcher/attempt_fixture.h"

namespace luzia {
namespace {

class FullDisk : public AttemptTest {
 protected:
  ~FullDisk() override {
    if (mounted_) ::umount2(run_dir().c_str(), MNT_DETACH);
  }
  /// Mounts a tiny file system for STORE/run; false if privileges are missing.
  bool mount_tiny_run_dir() {
    return mounted_ = ::mount("tiny", run_dir().c_str(), "tmpfs", 0, "size=64k,mode=0700") == 0;
  }
  /// Writes until nothing fits any more.
  static void fill_up(const std::string& path) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    while (::write(fd, block.data(), block.size()) > 0) {
    }
    ::close(fd);
  }
  static void limit_files_of(const ProcessId& process, rlim_t bytes) {
    const rlimit limit{bytes, RLIM_INFINITY};
    ASSERT_EQ(::prlimit(static_cast<pid_t>(process.pid), RLIMIT_FSIZE, &limit, nullptr), 0);
  }
  bool mounted_ = false;
};

TEST_F(FullDisk, UnwritableRecordIsRetried) {
  const LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.01; done; exit 3");
  const Claim claim = start(spec);
  limit_files_of(claim.runner, 0);  // every write fails, as on a disk with errors
  write_text(path("go"), "");
  ASSERT_TRUE(wait_until([&] { return !is_alive(claim.agent); }));
  // luzia-run keeps trying. Meanwhile no exit is visible, and the exit line waits for the record.
  for (int look = 0; look < 50; ++look) {
    const auto record = read_exit_record(spec.run_dir, spec.job, spec.attempt);
    ASSERT_TRUE(record);
    ASSERT_FALSE(record->has_value());
    ASSERT_TRUE(is_alive(claim.runner));
    ASSERT_EQ(output(), "");
  }
  limit_files_of(claim.runner, RLIM_INFINITY);
  EXPECT_EQ(end_of(spec).exit_code, 3);
  EXPECT_EQ(output(), "\nexit:3\n");
}

TEST_F(FullDisk, RecordsSpaceIsReservedBeforeTheStart) {
  const LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.01; done; exit 3");
  const bool tiny = mount_tiny_run_dir();
  const Claim claim = start(spec);
  if (tiny) {
    fill_up(run_dir() + "/filler");
  } else {
    // Without its own file system: luzia-run may not make any file longer than its record already is.
    limit_files_of(claim.runner, std::filesystem::file_size(exit_record_path(run_dir(), "j1", 1) + ".tmp"));
  }
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 3);
  if (tiny) {
    std::string more = run_dir() + "/more";
    const int fd = ::open(more.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_LT(::write(fd, "x", 1), 0) << "the disk was not full after all";
    ::close(fd);
  }
}

TEST_F(FullDisk, NothingStartsWithoutSpaceForTheRecord) {
  LaunchSpec spec = shell("touch $S/ran");
  rlimit before{};
  if (mount_tiny_run_dir()) {
    fill_up(run_dir() + "/filler");
  } else {
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit limit{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  const auto claim = launcher_.launch(spec);
  if (!mounted_) ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(claim);
  // A file size limit does not count as a full disk.
  EXPECT_EQ(claim.error().code, mounted_ ? "out_of_resources" : "launch_failed");
  EXPECT_FALSE(exists(path("ran")));
  EXPECT_FALSE(exists(claim_path(run_dir(), "j1", 1)));
  EXPECT_FALSE(exists(exit_record_path(run_dir(), "j1", 1) + ".tmp"));
}

TEST_F(FullDisk, RemovedRecordIsRewritten) {
  const LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.01; done; exit 3");
  start(spec);
  std::filesystem::remove(exit_record_path(run_dir(), "j1", 1) + ".tmp");
  write_text(path("go"), "");
  EXPECT_EQ(end_of(spec).exit_code, 3);
}

TEST_F(FullDisk, LuziaRunDoesNotWaitForADeletedStore) {
  const LaunchSpec spec = shell("while [ ! -e $S/go ]; do sleep 0.01; done; exit 3");
  const Claim claim = start(spec);
  std::filesystem::remove_all(run_dir());
  write_text(path("go"), "");
  EXPECT_TRUE(wait_until([&] { return !is_alive(claim.runner); }));
  EXPECT_EQ(output(), "\nexit:3\n");
}

}  // namespace
}  // namespace luzia
