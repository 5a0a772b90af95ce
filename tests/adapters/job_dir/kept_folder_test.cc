// Folders that no other user can replace. Only root can test with another user.
#include "adapters/job_dir/kept_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/job_dir/job_dir.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kTheirs = 4321;
constexpr gid_t kPeople = 4321, kService = 4;

class KeptFolder : public ScratchTest {
 protected:
  KeptFolder() { ::chmod(scratch_.c_str(), 0755); }
  void folder(const std::string& name, uid_t owner = 0, mode_t mode = 0755, gid_t group = 0) const {
    fs::create_directories(path(name));
    ASSERT_EQ(::chown(path(name).c_str(), owner, group), 0);
    ASSERT_EQ(::chmod(path(name).c_str(), mode), 0);
  }
  static std::string code(const std::string& path) {
    const auto opened = open_kept_folder(path);
    return opened ? "" : opened.error().code;
  }
  static bool is_root() { return ::geteuid() == 0; }
};

TEST_F(KeptFolder, FolderBelowAnotherUsersIsRefused) {
  if (!is_root()) return;
  folder("home", kTheirs);
  folder("home/state/jobs");
  EXPECT_EQ(code(path("home/state/jobs")), "unsafe_jobs_root");
  EXPECT_EQ(code(path("home")), "unsafe_jobs_root");
  const Status checked = check_jobs_root(path("home/state/jobs"));
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("by " + path("home")));
  EXPECT_THAT(checked.error().hint, HasSubstr(path("home") + " belong to root"));
}

TEST_F(KeptFolder, FolderWritableByOthersIsRefused) {
  if (!is_root()) return;
  folder("open", 0, 0777);
  folder("open/jobs");
  EXPECT_EQ(code(path("open/jobs")), "unsafe_jobs_root");
  folder("sticky", 0, 01777);
  folder("sticky/jobs");
  EXPECT_EQ(code(path("sticky/jobs")), "") << "as /tmp";
  folder("sticky/theirs", kTheirs);
  EXPECT_EQ(code(path("sticky/theirs")), "unsafe_jobs_root");
  folder("people", 0, 0775, kPeople);
  folder("people/jobs");
  EXPECT_EQ(code(path("people/jobs")), "unsafe_jobs_root");
  folder("service", 0, 0775, kService);
  folder("service/jobs");
  EXPECT_EQ(code(path("service/jobs")), "") << "like /var/log on Ubuntu";
}

TEST_F(KeptFolder, OnlyTrustedLinksAreFollowed) {
  if (!is_root()) return;
  folder("real/jobs");
  fs::create_directory_symlink(path("real"), path("link"));
  EXPECT_EQ(code(path("link/jobs")), "");
  fs::create_directory_symlink("../real", path("real/back"));
  EXPECT_EQ(code(path("real/back/jobs")), "");
  folder("sticky", 0, 01777);
  fs::create_directory_symlink(path("real"), path("sticky/planted"));
  ASSERT_EQ(::lchown(path("sticky/planted").c_str(), kTheirs, kPeople), 0);
  EXPECT_EQ(code(path("sticky/planted/jobs")), "unsafe_jobs_root");
  folder("theirs", kTheirs);
  fs::create_directory_symlink(path("theirs"), path("away"));
  EXPECT_EQ(code(path("away/jobs")), "unsafe_jobs_root");
  fs::create_directory_symlink("loop", path("loop"));
  EXPECT_EQ(code(path("loop/jobs")), "job_dir_failed");
}

TEST_F(KeptFolder, MissingFoldersAreNotCreatedThroughAnothers) {
  if (!is_root()) return;
  const auto made = open_kept_folder(path("a/b/jobs"), MissingFolders{.itself = 0711, .above = 0755});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(fs::status(path("a/b/jobs")).permissions(), fs::perms(0711));
  EXPECT_EQ(fs::status(path("a/b")).permissions(), fs::perms(0755));
  folder("theirs", kTheirs);
  EXPECT_FALSE(open_kept_folder(path("theirs/jobs"), MissingFolders{.itself = 0711, .above = 0755}));
  EXPECT_FALSE(fs::exists(path("theirs/jobs")));
  EXPECT_EQ(code(path("none/jobs")), "no_folder");
  EXPECT_TRUE(check_jobs_root(path("none/jobs"))) << "the missing folder can be created";
}

TEST_F(KeptFolder, JobFilesAreNotWrittenThroughAnothersLink) {
  if (!is_root()) return;
  folder("home", kTheirs);
  folder("home/jobs");
  folder("precious/j1");
  fs::rename(path("home/jobs"), path("home/old"));
  fs::create_directory_symlink(path("precious"), path("home/jobs"));
  view::JobT job;
  job.id = "j1";
  job.dir = path("home/jobs/j1");
  EXPECT_FALSE(write_meta_json(job, "task", kTheirs, kPeople));
  JobDirSpec spec;
  spec.path = job.dir;
  spec.uid = kTheirs;
  spec.gid = kPeople;
  spec.working_dir = "/";
  EXPECT_FALSE(prepare_job_dir(spec));
  EXPECT_TRUE(fs::is_empty(path("precious/j1")));
  struct stat status {};
  ASSERT_EQ(::stat(path("precious/j1").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0U);
}

}  // namespace
}  // namespace luzia
