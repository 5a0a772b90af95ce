// The repository that a sandbox shows, where root sees less than the job's user.
#include "tools/luziad/attempts/job_repository.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// Of this thread, as on a file system of a network that takes root for nobody.
void give_up_bypassing_permissions() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  ASSERT_EQ(::syscall(SYS_capget, &header, held), 0);
  constexpr std::uint32_t kBypassing = (1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH);
  held[0].effective &= ~kBypassing;
  held[0].permitted &= ~kBypassing;
  held[0].inheritable &= ~kBypassing;
  ASSERT_EQ(::syscall(SYS_capset, &header, held), 0);
}

class JobRepositoryTest : public ScratchTest {};

TEST_F(JobRepositoryTest, IsWhatTheJobsUserSees) {
  schema::JobSpecT spec;
  spec.home = path("home");
  spec.working_dir = path("demo");
  spec.uid = ::geteuid() == 0 ? 65534 : ::geteuid();
  spec.gid = ::geteuid() == 0 ? 65534 : ::getegid();
  const std::string git = spec.working_dir + "/.git";
  fs::create_directories(git);
  // The one around it is another's.
  fs::create_directories(path(".git"));
  for (const std::string& folder : {spec.working_dir, git}) {
    ASSERT_EQ(::chown(folder.c_str(), spec.uid, spec.gid), 0);
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  }
  ASSERT_EQ(::chmod(scratch_.c_str(), 0755), 0);
  std::optional<JobRepository> found;
  bool hidden_from_us = false;
  std::thread([&] {
    give_up_bypassing_permissions();
    struct stat status;
    hidden_from_us = ::lstat(git.c_str(), &status) != 0 && errno == EACCES;
    found = repository_of_job(spec);
  }).join();
  EXPECT_EQ(hidden_from_us, ::geteuid() == 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->folder, git);
  EXPECT_EQ(found->only_read.size(), 3U);
}

}  // namespace
}  // namespace luzia
