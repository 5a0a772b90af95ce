#include "engine/log/store_dir.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "tests/engine/log/temp_store.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

TEST(StoreFilesystem, NetworkAndFuseTypesAreRefused) {
  for (const long type : {0x6969L, 0xff534d42L, 0xfe534d42L, 0x517bL, 0x65735546L}) {
    EXPECT_TRUE(is_refused_filesystem(type)) << std::hex << type;
  }
  // statfs's f_type is signed on some machines.
  EXPECT_TRUE(is_refused_filesystem(static_cast<int>(0xff534d42)));
}

TEST(StoreFilesystem, LocalTypesAreAccepted) {
  for (const long type :
       {0xef53L, 0x58465342L, 0x9123683eL, 0x01021994L, 0x2fc12fc1L, 0xf2f52010L, 0x794c7630L}) {
    EXPECT_FALSE(is_refused_filesystem(type)) << std::hex << type;
  }
}

TEST(StoreFilesystem, NearestExistingFolderCounts) {
  TempStore store;
  EXPECT_TRUE(check_store_filesystem(store.path() + "/a/b/c"));
  EXPECT_TRUE(check_store_filesystem("no/such/relative/folder"));
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

TEST(StoreDir, OnlyMembersMayLetAGroupIn) {
  EXPECT_TRUE(may_let_in(getegid()));
  constexpr gid_t kStrange = 54'321;
  EXPECT_EQ(may_let_in(kStrange), geteuid() == 0);
  if (geteuid() != 0) return;
  const auto as_somebody = [] {
    const bool dropped = setgroups(0, nullptr) == 0 && setgid(65'534) == 0 && setuid(65'534) == 0;
    _exit(dropped && may_let_in(65'534) && !may_let_in(kStrange) ? 0 : 1);
  };
  EXPECT_EXIT(as_somebody(), testing::ExitedWithCode(0), "");
}

TEST(StoreDir, IsPrivateForEveryUmask) {
  for (const mode_t mask : {0U, 022U, 0777U}) {
    TempStore store;
    const std::string deep = store.path() + "/a//b/";
    const mode_t before = umask(mask);
    EXPECT_TRUE(prepare_store_dir(deep));
    umask(before);
    EXPECT_EQ(mode_of(store.path()), 0755U);
    EXPECT_EQ(mode_of(store.path() + "/a"), 0755U);
    EXPECT_EQ(mode_of(deep), 0700U);
  }
}

TEST(StoreDir, BelowAWritableFolderIsRefusedWithAFix) {
  for (const mode_t mode : {0777U, 0757U}) {
    TempStore store;
    const std::string open = store.path() + "/open", below = open + "/luzia/store";
    ASSERT_TRUE(prepare_store_dir(below));
    ASSERT_EQ(chmod(open.c_str(), mode), 0);
    const auto refused = prepare_store_dir(below);
    ASSERT_FALSE(refused) << std::oct << mode;
    EXPECT_EQ(refused.error().code, "store_permissions");
    EXPECT_NE(refused.error().message.find(open + " above it"), std::string::npos) << refused.error().message;
    EXPECT_EQ(refused.error().hint, "chmod go-w " + open);
    ASSERT_EQ(chmod(open.c_str(), 01777), 0);
    EXPECT_TRUE(prepare_store_dir(below)) << "in a sticky folder nobody can rename others' files";
  }
}

TEST(StoreDir, BelowAFolderOfAnotherUserOrGroupIsRefused) {
  constexpr uid_t kOther = 12'345;
  if (geteuid() != 0) return;  // only root can change a folder's owner
  TempStore store;
  const std::string above = store.path() + "/above", below = above + "/store";
  ASSERT_TRUE(prepare_store_dir(below));
  ASSERT_EQ(chown(above.c_str(), kOther, 0), 0);
  ASSERT_FALSE(prepare_store_dir(below));
  ASSERT_EQ(chown(above.c_str(), 0, kOther), 0);
  ASSERT_TRUE(prepare_store_dir(below));
  ASSERT_EQ(chmod(above.c_str(), 0775), 0);
  EXPECT_EQ(prepare_store_dir(below).error().hint, "chmod g-w " + above);
  ASSERT_EQ(chown(above.c_str(), 0, 0), 0);
  EXPECT_TRUE(prepare_store_dir(below)) << "root's own group is root";
}

TEST(StoreDir, FileInItsPlaceIsRefused) {
  TempStore store;
  write_file(store.path(), "a file");
  auto prepared = prepare_store_dir(store.path());
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code, "store_unusable");
  EXPECT_EQ(prepare_store_dir(store.path() + "/below").error().code, "store_unusable");
}

TEST(StoreDir, LinkInAWorldWritableFolderIsRefused) {
  TempStore store, elsewhere;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  ASSERT_TRUE(prepare_store_dir(elsewhere.path()));
  const std::string shared = store.path() + "/shared";
  ASSERT_EQ(mkdir(shared.c_str(), 0700), 0);
  ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
  ASSERT_EQ(symlink(elsewhere.path().c_str(), (shared + "/mine").c_str()), 0);
  for (const std::string& path : {shared + "/mine", shared + "/mine/store"}) {
    const auto prepared = prepare_store_dir(path);
    ASSERT_FALSE(prepared) << path;
    EXPECT_EQ(prepared.error().code, "store_permissions");
  }
  EXPECT_TRUE(prepare_store_dir(shared + "/real/store"));
}

TEST(StoreDir, LinkInAPrivateFolderIsFollowed) {
  TempStore store, elsewhere;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  ASSERT_TRUE(prepare_store_dir(elsewhere.path()));
  ASSERT_EQ(symlink(elsewhere.path().c_str(), (store.path() + "/link").c_str()), 0);
  EXPECT_TRUE(prepare_store_dir(store.path() + "/link/store"));
}

TEST(StoreDir, FolderOfAnotherUserIsRefused) {
  TempStore store;
  constexpr uid_t kOther = 12'345;
  // Only root can change a folder's owner; other users try a folder that another user owns.
  const bool root = geteuid() == 0;
  if (root) {
    ASSERT_TRUE(prepare_store_dir(store.path()));
    ASSERT_EQ(chown(store.path().c_str(), kOther, kOther), 0);
  }
  const auto prepared = prepare_store_dir(root ? store.path() : "/usr");
  ASSERT_EQ(prepared.has_value(), !root) << "a folder of root is as safe as one's own";
  if (root) {
    EXPECT_EQ(prepared.error().code, "store_permissions");
  }
}

TEST(StoreLock, MovedLockIsStillHeldAndFreedOnce) {
  TempStore store;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  {
    auto lock = StoreLock::acquire(store.path());
    ASSERT_TRUE(lock);
    const StoreLock moved = std::move(*lock);
    EXPECT_EQ(StoreLock::acquire(store.path()).error().code, "store_locked");
  }
  EXPECT_TRUE(StoreLock::acquire(store.path()));
}

TEST(StoreLock, LockOfAKilledProcessIsWaitedFor) {
  TempStore store;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  int ready[2], hold[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(hold, O_CLOEXEC), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    close(hold[1]);
    const auto lock = StoreLock::acquire(store.path());
    // Its child has the lock too, as one that has not run its own program yet.
    char byte = lock ? 'y' : 'n';
    if (fork() == 0) _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
    if (write(ready[1], &byte, 1) == 1) pause();
    _exit(1);
  }
  char byte = 'n';
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  EXPECT_EQ(StoreLock::acquire(store.path()).error().code, "store_locked") << "it lives";
  ASSERT_EQ(kill(holder, SIGKILL), 0);
  siginfo_t dead;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(holder), &dead, WEXITED | WNOWAIT), 0);
  std::thread child_runs_its_program([&] {
    poll(nullptr, 0, 100);
    close(hold[1]);
  });
  EXPECT_TRUE(StoreLock::acquire(store.path()));
  child_runs_its_program.join();
  EXPECT_EQ(waitpid(holder, nullptr, 0), holder);
  for (const int fd : {ready[0], ready[1], hold[0]}) close(fd);
}

TEST(StoreLock, AdoptedLockWasNeverFree) {
  TempStore store;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  const auto lock = StoreLock::acquire(store.path());
  ASSERT_TRUE(lock);
  const int passed_on =
      dup(lock->keep_over_exec());  // as after exec: the same lock through another descriptor
  EXPECT_EQ(fcntl(lock->keep_over_exec(), F_GETFD) & FD_CLOEXEC, 0);
  {
    const auto adopted = StoreLock::adopt(store.path(), passed_on);
    ASSERT_TRUE(adopted);
    EXPECT_NE(fcntl(passed_on, F_GETFD) & FD_CLOEXEC, 0) << "agents must not hold it";
    EXPECT_EQ(StoreLock::acquire(store.path()).error().code, "store_locked");
  }
}

TEST(StoreLock, ForeignDescriptorIsNotAdopted) {
  TempStore store;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  write_file(store.path() + "/other", "");
  const int other = open((store.path() + "/other").c_str(), O_RDWR | O_CLOEXEC);
  for (const int fd : {other, 12345}) {
    const auto lock = StoreLock::adopt(store.path(), fd);
    ASSERT_TRUE(lock);
    EXPECT_EQ(StoreLock::acquire(store.path()).error().code, "store_locked");
  }
  EXPECT_EQ(close(other), 0) << "a foreign descriptor must stay open";
}

TEST(StoreLock, LinkInItsPlaceIsRefused) {
  TempStore store;
  ASSERT_TRUE(prepare_store_dir(store.path()));
  write_file(store.beside("victim"), "precious");
  std::filesystem::create_symlink(store.beside("victim"), store.path() + "/lock");
  EXPECT_FALSE(StoreLock::acquire(store.path()));
  EXPECT_EQ(read_file(store.beside("victim")), "precious");
}

}  // namespace
}  // namespace luzia::test
