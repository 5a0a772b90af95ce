#include "adapters/socket/socket_path.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class SocketPath : public ScratchTest {
 protected:
  void SetUp() override {
    ::setenv("XDG_RUNTIME_DIR", scratch_.c_str(), 1);
    long_store_ = scratch_ + "/" + std::string(120, 's');
    fs::create_directories(long_store_);
  }
  void TearDown() override { ::unsetenv("XDG_RUNTIME_DIR"); }
  std::string long_store_;
};

TEST_F(SocketPath, IsInTheStoreIfItFits) {
  EXPECT_EQ(socket_path("/var/lib/luzia/store").value(), "/var/lib/luzia/store/socket");
  const std::string longest = "/" + std::string(kMaxSocketPath - 8, 'a');
  EXPECT_EQ(socket_path(longest).value(), longest + "/socket");
}

TEST_F(SocketPath, LongPathGetsAPrivateDirectory) {
  const auto path = socket_path(long_store_);
  ASSERT_TRUE(path.has_value()) << path.error().message;
  EXPECT_EQ(path->rfind(scratch_ + "/luzia/", 0), 0u);
  EXPECT_LE(path->size(), kMaxSocketPath);
  struct stat status;
  ASSERT_EQ(::lstat((scratch_ + "/luzia").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

TEST_F(SocketPath, DaemonAndClientAgreeForAnySpelling) {
  EXPECT_EQ(socket_path(long_store_).value(), socket_path(scratch_ + "/./" + std::string(120, 's')).value());
  const std::string other = scratch_ + "/" + std::string(120, 't');
  EXPECT_NE(socket_path(long_store_).value(), socket_path(other).value());
}

TEST_F(SocketPath, SymbolicLinkAsDirectoryIsRefused) {
  fs::create_directories(scratch_ + "/elsewhere");
  fs::create_directory_symlink(scratch_ + "/elsewhere", scratch_ + "/luzia");
  const auto path = socket_path(long_store_);
  ASSERT_FALSE(path.has_value());
  EXPECT_EQ(path.error().code, "unsafe_directory");
}

TEST_F(SocketPath, DirectoryThatOthersCanWriteIsRefused) {
  fs::create_directories(scratch_ + "/luzia");
  ::chmod((scratch_ + "/luzia").c_str(), 0777);
  const auto path = socket_path(long_store_);
  ASSERT_FALSE(path.has_value());
  EXPECT_EQ(path.error().code, "unsafe_directory");
  EXPECT_EQ(path.error().kind, ErrorKind::refused);
}

TEST_F(SocketPath, LongRuntimeDirectoryFallsBackToTheTempFolder) {
  const std::string deep = scratch_ + "/" + std::string(100, 'r');
  fs::create_directories(deep);
  ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
  const auto path = socket_path(long_store_);
  ASSERT_TRUE(path.has_value()) << path.error().message;
  EXPECT_LE(path->size(), kMaxSocketPath);
}

TEST_F(SocketPath, TopmostInaccessibleFolderIsNamed) {
  const std::string inner = scratch_ + "/inner", path = inner + "/store.attempts";
  fs::create_directory(inner);
  ASSERT_EQ(::chmod(inner.c_str(), 0700), 0);
  EXPECT_EQ(shut_folder_above(path), scratch_);
  ASSERT_EQ(::chmod(scratch_.c_str(), 0711), 0);
  EXPECT_EQ(shut_folder_above(path), inner);
  ASSERT_EQ(::chmod(inner.c_str(), 0711), 0);
  EXPECT_EQ(shut_folder_above(path), "");
}

}  // namespace
}  // namespace luzia
