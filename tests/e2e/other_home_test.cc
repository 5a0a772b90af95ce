// What a daemon of root does in the home of another user, who may put anything there at any moment. Needs
// root; the test has its own mounts and user database.
#include <sys/stat.h>
#include <sys/syscall.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/own_mounts.h"
#include "tests/failing_calls/failing_calls.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

std::vector<int> calls_on_their_folder() {
  std::vector<int> calls = {SYS_openat, SYS_fchownat};
#ifdef SYS_lchown
  calls.push_back(SYS_lchown);
#endif
  return calls;
}

class OtherHomeTest : public DaemonTest {
 protected:
  static constexpr uid_t kTheirs = 4321;

  ~OtherHomeTest() override {
    if (mounted_) ::umount2("/etc/passwd", MNT_DETACH);
  }

  /// False if the test cannot become other users or mount; then no program may be started.
  bool make_other_user() {
    if (::geteuid() != 0) return false;
    fs::create_directories(their_home());
    EXPECT_EQ(::chown(their_home().c_str(), kTheirs, kTheirs), 0);
    write_text(path("passwd"),
               "root:x:0:0::" + home() + ":/bin/sh\nother:x:4321:4321::" + their_home() + ":/bin/sh\n");
    mounted_ =
        enter_own_mounts() && ::mount(path("passwd").c_str(), "/etc/passwd", nullptr, MS_BIND, nullptr) == 0;
    return mounted_;
  }

  std::string their_home() const { return path("theirs"); }
  static std::uint32_t owner(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(::lstat(file.c_str(), &status), 0) << file;
    return status.st_uid;
  }

 private:
  bool mounted_ = false;
};

TEST_F(OtherHomeTest, TemporaryFolderBelongsToItsUser) {
  if (!make_other_user()) return;
  EXPECT_EQ(ended(dispatch("touch \"$TMPDIR/made\"", {"--user", "other"}))["state"], "completed");
  EXPECT_EQ(owner(their_home() + "/.tmp"), kTheirs);
  EXPECT_EQ(owner(their_home() + "/.tmp/made"), kTheirs);
}

TEST_F(OtherHomeTest, SwappedFileKeepsItsOwner) {
  if (!make_other_user()) return;
  const std::string precious = their_home() + "/precious", folder = their_home() + "/.tmp";
  write_text(precious, "of root");
  bool swapped = false;
  const auto swap = [&](const AskedCall& call) {
    const bool by_descriptor = call.number == SYS_openat || call.number == SYS_fchownat;
    const std::string file = call.program() == "luziad" ? call.text(by_descriptor ? 1 : 0) : "";
    if (!swapped && file == folder && fs::exists(folder)) {
      swapped = true;
      fs::remove(folder);
      fs::rename(precious, folder);
    }
    return FailingCalls::kGoOn;
  };
  const FailingCalls calls(path("calls"), calls_on_their_folder(), swap);
  const BesideProgram daemon(calls.filtered({kLuziad, "--store", store()}), environment(),
                             path("luziad.out"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(store() + "/socket"); })) << daemon.output();
  EXPECT_EQ(ended(dispatch("true", {"--user", "other"}))["state"], "completed");
  EXPECT_TRUE(swapped);
  EXPECT_EQ(owner(folder), 0u);
}

}  // namespace
}  // namespace luzia
