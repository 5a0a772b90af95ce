// The daemon notices that its configuration has changed, also by links and whole folders.
#include "tools/luziad/upkeep/config_watch.h"

#include <filesystem>
#include <fstream>

#include "tests/scratch.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class ConfigWatchTest : public ScratchTest {
 protected:
  ConfigWatchTest() {
    for (const char* name : {"own", "other"}) {
      fs::create_directory(path(name));
      std::ofstream(path(name) + "/luzia.toml") << "# one\n";
    }
    uv_loop_init(&loop_);
  }
  ~ConfigWatchTest() override {
    if (watch_) watch_->close();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "handles were left open on the loop";
  }
  void begin(const std::string& file) {
    watch_ = std::make_unique<ConfigWatch>(
        &loop_, file, [this] { ++changes_; }, [this](const SystemNote&) { ++notes_; });
    watch_->begin(false);
    uv_run(&loop_, UV_RUN_NOWAIT);
  }
  bool notices() {
    const int before = changes_;
    return wait_until([&] {
      uv_run(&loop_, UV_RUN_NOWAIT);
      return changes_ > before;
    });
  }

  uv_loop_t loop_{};
  std::unique_ptr<ConfigWatch> watch_;
  int changes_ = 0, notes_ = 0;
};

TEST_F(ConfigWatchTest, WrittenAndReplacedFilesAreNoticed) {
  begin(path("own/luzia.toml"));
  std::ofstream(path("own/luzia.toml")) << "# two\n";
  EXPECT_TRUE(notices());
  fs::rename(path("other/luzia.toml"), path("own/luzia.toml"));
  EXPECT_TRUE(notices());
  EXPECT_EQ(notes_, 0);
}

TEST_F(ConfigWatchTest, EachLinkOfAChainIsWatched) {
  fs::create_directory(path("between"));
  fs::create_symlink("../own/luzia.toml", path("between/current"));
  fs::create_symlink("between/current", path("luzia.toml"));
  begin(path("luzia.toml"));
  fs::create_symlink("../other/luzia.toml", path("between/next"));
  fs::rename(path("between/next"), path("between/current"));
  EXPECT_TRUE(notices());
  watch_->judge({});
  std::ofstream(path("other/luzia.toml")) << "# three\n";
  EXPECT_TRUE(notices());
}

TEST_F(ConfigWatchTest, ReplacedFolderIsWatchedEvenIfItsFileIsBad) {
  begin(path("own/luzia.toml"));
  fs::rename(path("own"), path("old"));
  fs::rename(path("other"), path("own"));
  ASSERT_TRUE(notices());
  watch_->judge(fail(ErrorKind::usage, "config_syntax", "bad"));
  EXPECT_EQ(notes_, 1);
  std::ofstream(path("own/luzia.toml")) << "# good\n";
  EXPECT_TRUE(notices());
  watch_->judge({});
  EXPECT_EQ(notes_, 2);
}

TEST_F(ConfigWatchTest, LinksInACircleEnd) {
  fs::create_symlink("b.toml", path("a.toml"));
  fs::create_symlink("a.toml", path("b.toml"));
  begin(path("a.toml"));
  fs::remove(path("b.toml"));
  EXPECT_TRUE(notices());
}

}  // namespace
}  // namespace luzia
