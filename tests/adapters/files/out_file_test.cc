// Files that appear complete or not at all, in all kinds of folders and over all kinds of files.
#include "adapters/files/out_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/scratch.h"
#include "tests/text_files.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class OutFileTest : public ScratchTest {
 protected:
  ~OutFileTest() override { chmod(scratch_.c_str(), 0755); }
  static void write_old(const std::string& path, mode_t mode) {
    std::ofstream(path) << "old and long";
    chmod(path.c_str(), mode);
  }
  static std::string text(const std::string& path) { return whole_text(path); }
  static mode_t mode(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(scratch_), {}));
  }
};

Status write_new(const std::string& path) {
  auto file = OutFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (auto written = file->write("new"); !written) return written;
  return file->finish();
}

TEST_F(OutFileTest, AppearsOnlyWhenFinished) {
  {
    auto file = OutFile::create(path("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("new"));
    EXPECT_FALSE(fs::exists(path("a")));
  }
  EXPECT_EQ(files(), 0u);
  EXPECT_TRUE(write_new(path("a")));
  EXPECT_EQ(text(path("a")), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutFileTest, KeepsTheModeOfTheReplacedFile) {
  for (const mode_t kept : {0600, 0640, 0444, 0664}) {
    write_old(path("a"), kept);
    EXPECT_TRUE(write_new(path("a")));
    EXPECT_EQ(text(path("a")), "new");
    EXPECT_EQ(mode(path("a")), kept);
    fs::remove(path("a"));
  }
}

TEST_F(OutFileTest, ReplacesTheTargetOfALink) {
  write_old(path("a"), 0600);
  fs::create_symlink(path("a"), path("link"));
  EXPECT_TRUE(write_new(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text(path("a")), "new");
}

/// Runs as a user who is subject to permissions.
class AsNobody {
 public:
  AsNobody() { EXPECT_EQ(seteuid(is_root_ ? kNobody : geteuid()), 0); }
  ~AsNobody() { EXPECT_EQ(seteuid(is_root_ ? 0 : geteuid()), 0); }
  static constexpr uid_t kNobody = 65534;

 private:
  bool is_root_ = geteuid() == 0;
};

TEST_F(OutFileTest, WritesInPlaceInAReadOnlyFolder) {
  write_old(path("own"), 0640);
  EXPECT_EQ(chown(path("own").c_str(), geteuid() == 0 ? AsNobody::kNobody : geteuid(), gid_t(-1)), 0);
  write_old(path("locked"), 0444);
  chmod(scratch_.c_str(), 0555);
  const AsNobody nobody;
  EXPECT_TRUE(write_new(path("own")));
  EXPECT_EQ(text(path("own")), "new");
  EXPECT_EQ(mode(path("own")), 0640u);
  for (const char* name : {"locked", "another"}) {
    const Status refused = write_new(path(name));
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "output_failed");
    EXPECT_THAT(refused.error().message, testing::HasSubstr("Permission denied"));
  }
  EXPECT_EQ(files(), 2u);
}

}  // namespace
}  // namespace luzia
