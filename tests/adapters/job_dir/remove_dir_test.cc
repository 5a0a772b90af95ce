// Removes a directory that its owner has filled with traps.
#include "adapters/job_dir/remove_dir.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/adapters/job_dir/scratch.h"

namespace luzia {
namespace {

class RemoveDir : public ScratchTest {
 protected:
  RemoveDir() {
    fs::create_directory(path("jobs"));
    fs::create_directory(job_);
    write_text(job_ + "/output.log", "said\n");
  }
  Status remove() { return remove_job_dir(job_); }
  std::vector<std::string> left() { return names(path("jobs")); }
  /// Creates a chain of folders that is deeper than the longest possible path.
  void nest(int levels) {
    int at = ::open(job_.c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels && at >= 0; ++i) {
      ASSERT_EQ(::mkdirat(at, "d", 0700), 0);
      const int below = ::openat(at, "d", O_RDONLY | O_DIRECTORY);
      ::close(at);
      at = below;
    }
    ASSERT_GE(at, 0);
    ::close(::openat(at, "bottom", O_CREAT | O_WRONLY, 0600));
    ::close(at);
  }
  /// Removes it as the daemon of an ordinary user would.
  int remove_as(uid_t uid) {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool changed = ::setgid(uid) == 0 && ::setuid(uid) == 0;
      ::_exit(changed && remove() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const std::string job_ = path("jobs/k1");
};

TEST_F(RemoveDir, RemovesAllOfItAndNothingElse) {
  fs::create_directories(job_ + "/attempt-1/deep/er");
  write_text(job_ + "/attempt-1/deep/er/file", "x");
  fs::create_directory(path("jobs/k2"));
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), ElementsAre("k2"));
  EXPECT_TRUE(remove()) << "removing it again succeeds";
}

TEST_F(RemoveDir, CreatesNoMissingJobsFolder) {
  EXPECT_TRUE(remove_job_dir(path("elsewhere/k1")));
  EXPECT_FALSE(fs::exists(path("elsewhere")));
}

TEST_F(RemoveDir, FollowsNoLink) {
  fs::create_directory(path("precious"));
  write_text(path("precious/file"), "kept");
  fs::create_directory_symlink(path("precious"), job_ + "/link");
  fs::create_symlink(path("precious/file"), job_ + "/file");
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_EQ(read_text(path("precious/file")), "kept");
}

TEST_F(RemoveDir, LinkIsRemovedAsALink) {
  fs::create_directory(path("precious"));
  write_text(path("precious/file"), "kept");
  fs::remove_all(job_);
  fs::create_directory_symlink(path("precious"), job_);
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_EQ(read_text(path("precious/file")), "kept");
}

TEST_F(RemoveDir, RemovesFoldersDeeperThanAnyPath) {
  nest(5'000);
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemoveDir, NamesMayHaveAnyBytes) {
  for (const char* name : {"a\nb", "-rf", "\xff\xfe", " ", "*", "\x1b[2J", "...."}) {
    write_text(job_ + "/" + name, "x");
    fs::create_directories(job_ + "/folder/" + name);
  }
  ::mkfifo((job_ + "/fifo").c_str(), 0600);
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemoveDir, RemovesFoldersWithoutPermissions) {
  constexpr uid_t kNobody = 65534;
  fs::create_directories(job_ + "/shut/inner");
  write_text(job_ + "/shut/inner/file", "x");
  shell_output("chown -R 65534:65534 " + path("jobs"));
  for (const char* folder : {"/shut/inner", "/shut", ""}) ::chmod((job_ + folder).c_str(), 0);
  ::chmod(path("").c_str(), 0755);
  EXPECT_EQ(remove_as(kNobody), 0);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemoveDir, EntersNoMountAndNamesIt) {
  fs::create_directory(path("precious"));
  write_text(path("precious/file"), "kept");
  fs::create_directories(job_ + "/inner/mount");
  const std::string source = path("precious"), target = job_ + "/inner/mount";
  ASSERT_EQ(::mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr), 0);
  const Status done = remove();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("cannot remove 'mount'"));
  EXPECT_THAT(done.error().hint, HasSubstr("umount"));
  EXPECT_EQ(read_text(path("precious/file")), "kept");
  EXPECT_FALSE(fs::exists(job_ + "/output.log")) << "everything else is gone";
  shell_output("umount $(grep -o '[^ ]*/jobs/[^ ]*' /proc/self/mounts | grep " + path("") + ")");
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemoveDir, ResumesAfterAnInterruption) {
  fs::create_directories(path("jobs/.removing-k1/0/deep"));
  write_text(path("jobs/.removing-k1/0/deep/file"), "x");
  write_text(path("jobs/.removing-k1/1"), "x");
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemoveDir, TouchesNothingReplaceableByOthers) {
  fs::permissions(path("jobs"), fs::perms::all);
  const Status done = remove();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, "unsafe_jobs_root");
  EXPECT_THAT(left(), ElementsAre("k1"));
}

TEST_F(RemoveDir, RefusesAForeignWorkFolder) {
  fs::create_directory(path("jobs/.removing-k1"));
  ASSERT_EQ(::chown(path("jobs/.removing-k1").c_str(), 65534, 65534), 0);
  EXPECT_EQ(remove().error().code, "unsafe_job_dir");
  EXPECT_THAT(names(job_), ElementsAre("output.log"));
}

TEST_F(RemoveDir, StopsWithTheDaemon) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(remove_job_dir(job_, stop.get_token()).error().code, "cancelled");
  EXPECT_TRUE(remove());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemoveDir, MeasuresFreeableSpaceWithinALimit) {
  write_text(job_ + "/large", std::string(100'000, 'x'));
  const DirSize size = measure_job_dir(job_);
  EXPECT_EQ(size.files, 2U);
  EXPECT_GE(size.bytes, 100'000U);
  EXPECT_TRUE(size.whole);
  nest(50);
  EXPECT_FALSE(measure_job_dir(job_).whole);
  EXPECT_EQ(measure_job_dir(path("none")).files, 0U);
}

}  // namespace
}  // namespace luzia
