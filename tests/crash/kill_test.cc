// Kills a server during any disk operation, at each failpoint of its commit path, and at any moment. The long
// form: tools/dev/campaign kill.
#include <gtest/gtest.h>

#include "tests/crash/kills.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

TEST(KilledServer, LosesAndRepeatsNoAcknowledgedCommand) {
  const TempStore place;
  Kills::Counts all;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Kills kills(seed, LUZIA_SERVE_UNTIL_KILLED, place.path());
    const std::string broken = kills.run(16);
    std::string story;
    for (const std::string& line : kills.story()) story += line + '\n';
    ASSERT_EQ(broken, "") << "seed " << seed << '\n' << story;
    all += kills.counts();
  }
  EXPECT_EQ(all.kills, 32U);
  EXPECT_GT(all.at_operations, 3U);
  EXPECT_GT(all.at_failpoints, 3U);
  EXPECT_GT(all.from_outside, 3U);
  EXPECT_GT(all.acknowledged, 50U);
}

}  // namespace
}  // namespace luzia::test
