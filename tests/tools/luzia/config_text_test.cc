// Tables that commands add to a configuration file and remove from it.
#include "tools/luzia/config_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/text_files.h"

namespace luzia {
namespace {

using testing::HasSubstr;

class ConfigText : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/luzia-config-XXXXXX";
    folder_ = ::mkdtemp(name);
    file_ = folder_ + "/below/luzia.toml";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_ + "/below");
    std::ofstream(file_) << text;
  }
  std::string text() const { return whole_text(file_); }

  std::string folder_, file_;
};

TEST_F(ConfigText, AddedTableIsTheOnlyChange) {
  const auto added = add_config_table(file_, "[machines.a]", "ssh = \"h\"\n");
  ASSERT_TRUE(added.has_value()) << added.error().message;
  EXPECT_EQ(text(), "[machines.a]\nssh = \"h\"\n");
  write("# mine\n[queue]\nmax_running = 3 # of mine");
  ASSERT_TRUE(add_config_table(file_, "[machines.a]", "ssh = \"h\"\n"));
  EXPECT_EQ(text(), "# mine\n[queue]\nmax_running = 3 # of mine\n\n[machines.a]\nssh = \"h\"\n");
}

TEST_F(ConfigText, TableThatWouldBreakTheFileIsNotAdded) {
  const std::string before = "[machines.a]\nssh = \"h\"\n";
  write(before);
  const auto twice = add_config_table(file_, "[machines.a]", "ssh = \"h\"\n");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().code, "config_syntax");
  EXPECT_THAT(twice.error().hint, HasSubstr("by hand"));
  EXPECT_EQ(text(), before);
}

TEST_F(ConfigText, RemovedTableLeavesTheRestAsItWas) {
  const std::string head = "# mine\n[queue]\nmax_running = 3\n",
                    tail = "\n# of b\n[machines.b]\nssh = \"i\"\n";
  write(head + "\n  [machines.a]  \nssh = \"h\" # there\n\n# still of a\nlabels = [\"x\"]\n" + tail);
  ASSERT_TRUE(remove_config_table(file_, "[machines.a]"));
  EXPECT_EQ(text(), head + tail);
  ASSERT_TRUE(remove_config_table(file_, "[machines.b]"));
  EXPECT_EQ(text(), head + "\n# of b\n");
  const Status none = remove_config_table(file_, "[machines.b]");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, "not_in_file");
}

TEST_F(ConfigText, FileThatIsEmptyThenIsDeleted) {
  ASSERT_TRUE(add_config_table(file_, "[machines.a]", "ssh = \"h\"\n"));
  ASSERT_TRUE(remove_config_table(file_, "[machines.a]"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(ConfigText, AllTablesOfSeveralWritersAreThere) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([this, i] {
      EXPECT_TRUE(add_config_table(file_, "[machines.m" + std::to_string(i) + "]", "ssh = \"h\"\n"));
    });
  }
  for (std::thread& writer : writers) writer.join();
  for (int i = 0; i < 8; ++i) EXPECT_THAT(text(), HasSubstr("[machines.m" + std::to_string(i) + "]\n"));
}

}  // namespace
}  // namespace luzia
