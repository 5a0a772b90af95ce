// Programs that root starts in another user's folder: they run as that user, and root keeps its terminal and
// its environment to itself.
#include "adapters/terminal/child_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kAda = 12'345;
constexpr const char* kSecret = "LUZIA_TEST_SECRET";

class ChildProgramTest : public ScratchTest {
 protected:
  ChildProgramTest() { ::setenv(kSecret, "hidden", 1); }
  ~ChildProgramTest() override { ::unsetenv(kSecret); }

  std::string said(const std::string& script) const {
    const auto end = run_child({"/bin/sh", "-c", script}, scratch_);
    EXPECT_TRUE(end.has_value()) << end.error().message;
    EXPECT_TRUE(!end || end->code == 0) << end->err;
    return end ? end->out : std::string();
  }
};

/// User id, session, and what it sees of a variable of ours.
constexpr const char* kAll = "id -u; cut -d' ' -f6 /proc/$$/stat; echo \"[$LUZIA_TEST_SECRET]\"";

TEST_F(ChildProgramTest, OwnFolderChangesNothing) {
  EXPECT_EQ(said(kAll), std::to_string(::geteuid()) + "\n" + std::to_string(::getsid(0)) + "\n[hidden]\n");
}

TEST_F(ChildProgramTest, OwnerOfTheFolderGetsNothingOfRoot) {
  if (::geteuid() != 0) return;  // only root runs programs as others
  ASSERT_EQ(::chown(scratch_.c_str(), kAda, kAda), 0);
  const std::string all = said(kAll);
  EXPECT_TRUE(all.starts_with("12345\n")) << all;
  EXPECT_TRUE(all.ends_with("\n[]\n")) << all;
  EXPECT_EQ(all.find("\n" + std::to_string(::getsid(0)) + "\n"), std::string::npos)
      << "it could open root's terminal and type into it";
  EXPECT_EQ(said("echo \"$PATH\""), std::string(::getenv("PATH")) + "\n") << "and finds its programs";
}

}  // namespace
}  // namespace luzia
