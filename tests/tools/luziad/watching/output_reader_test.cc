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
