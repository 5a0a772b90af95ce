#include "tools/luziad/watching/output_reader.h"

#include <unistd.h>

#include <filesystem>

#include "tests/scratch.h"

namespace luzia {
namespace {

TEST(OutputOwner, IsTheAccountOrADeletedAccountsNumber) {
  EXPECT_EQ(output_owner("root"), 0u);
  EXPECT_EQ(output_owner("4000123"), 4'000'123u);
}

TEST(OutputOwner, UnknownAccountIsNobodyNotRoot) {
  for (const char* user : {"", "no-such-account-of-ours", "12 ", "12x", "-1", "99999999999"}) {
    EXPECT_EQ(output_owner(user), kNoOwner) << "'" << user << "'";
  }
}

std::string text_of(const Result<OutputReader>& reader) {
  if (!reader) return reader.error().code;
  const auto bytes = reader->read(0, 100);
  return bytes ? *bytes : bytes.error().code;
}

TEST(OutputReader, FolderOrFileThatIsALinkIsNotRead) {
  namespace fs = std::filesystem;
  const ScratchFolder folder;
  fs::create_directories(folder.path() + "/above/job");
  fs::create_directories(folder.path() + "/other");
  folder.write("above/job/output.log", "secret of another\n");
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/above/job", ::geteuid())), "secret of another\n");
  fs::create_directory_symlink("above/job", folder.path() + "/job");
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/job", ::geteuid())), "output_unreadable");
  fs::create_symlink("../above/job/output.log", folder.path() + "/other/output.log");
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/other", ::geteuid())), "output_unreadable");
  fs::create_directory_symlink("above", folder.path() + "/here");
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/here/job", ::geteuid())), "secret of another\n")
      << "a person may keep jobs behind a link";
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/above/job", ::geteuid() + 1)), "output_unreadable");
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/missing", ::geteuid())), "");
  EXPECT_EQ(text_of(OutputReader::open(folder.path() + "/above", ::geteuid())), "");
}

TEST(OutputReader, ExitLineIsNotOutput) {
  const std::vector<std::pair<std::string, std::uint64_t>> sizes = {
      {"", 0},
      {"\nexit:0\n", 0},
      {"a\n\nexit:-15\n", 2},
      {"a\nexit:0", 8},
      {"a\nexit:zero\n", 12},
      {"exit:0\n", 7},
      {std::string(40, 'x') + "\n\nexit:127\n", 41}};
  for (const auto& [text, size] : sizes) {
    const ScratchFolder folder;
    folder.write("output.log", text);
    const auto reader = OutputReader::open(folder.path(), ::geteuid());
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(reader->size(), text.size());
    EXPECT_EQ(reader->size_without_exit_line(text.size()), size) << text;
  }
}

TEST(OutputReader, LastLinesIgnoreAnEndlessLine) {
  const ScratchFolder folder;
  const std::string file = folder.write("output.log", "first\n");
  constexpr std::uint64_t kSize = 2'000'000'000;
  ASSERT_EQ(::truncate(file.c_str(), static_cast<off_t>(kSize)), 0);
  const auto reader = OutputReader::open(folder.path(), ::geteuid());
  ASSERT_TRUE(reader) << reader.error().message;
  const auto offset = reader->offset_of_last_lines(5, kSize);
  ASSERT_TRUE(offset);
  EXPECT_GT(*offset, kSize - 2 * OutputReader::kMostLookedBack);
  EXPECT_LT(*offset, kSize - OutputReader::kMostLookedBack + (1 << 20));
}

}  // namespace
}  // namespace luzia
