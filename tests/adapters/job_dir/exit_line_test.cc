#include <sys/stat.h>
#include <unistd.h>

#include "adapters/job_dir/job_dir.h"
#include "tests/adapters/job_dir/scratch.h"

namespace luzia {
namespace {

class ExitLine : public ScratchTest {
 protected:
  ExitLine() { fs::create_directory(path("j1")); }
  std::string output() const { return path("j1/output.log"); }
  /// The content of output.log after the exit line was added to `text`.
  std::string ended(const std::string& text, int code = 1) {
    write_text(output(), text);
    EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid(), code));
    return read_text(output());
  }
};

TEST_F(ExitLine, EqualsThatOfLuziaRun) {
  EXPECT_EQ(ended(""), "\nexit:1\n");
  EXPECT_EQ(ended("said\n", -9), "said\n\nexit:-9\n");
  EXPECT_EQ(ended("half a line"), "half a line\nexit:1\n");
  const std::string later = std::string(100, 'x') + "\nexit:0\nmore\n";
  EXPECT_EQ(ended(later), later + "\nexit:1\n");
}

TEST_F(ExitLine, IsWrittenOnce) {
  EXPECT_EQ(ended("said\n\nexit:0\n"), "said\n\nexit:0\n");
  EXPECT_EQ(ended("\nexit:\n"), "\nexit:\n\nexit:1\n") << "a line without a code is no exit line";
  EXPECT_EQ(ended("\nexit:12x\n"), "\nexit:12x\n\nexit:1\n");
}

TEST_F(ExitLine, IsNotWrittenIntoTheNextAttemptsOutput) {
  const std::string mark = path("j1.2.moved");
  write_text(output(), "of the first\n");
  EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid(), 1, mark));
  EXPECT_EQ(read_text(output()), "of the first\n\nexit:1\n");
  write_text(mark, "");
  write_text(output(), "of the second\n");
  EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid(), 1, mark));
  EXPECT_EQ(read_text(output()), "of the second\n");
}

TEST_F(ExitLine, FollowsNoLinkAndWaitsForNoReader) {
  write_text(path("precious"), "keep\n");
  fs::create_symlink(path("precious"), output());
  EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid(), 1));
  EXPECT_EQ(read_text(path("precious")), "keep\n");
  fs::remove(output());
  ASSERT_EQ(::mkfifo(output().c_str(), 0600), 0);
  EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid(), 1));
  fs::remove(output());
  EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid(), 1));
  EXPECT_FALSE(fs::exists(output()));
  write_text(output(), "of another\n");
  EXPECT_TRUE(append_exit_line(path("j1"), ::geteuid() + 1, 1));
  EXPECT_EQ(read_text(output()), "of another\n");
}

}  // namespace
}  // namespace luzia
