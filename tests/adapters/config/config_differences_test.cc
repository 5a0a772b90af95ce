#include "adapters/config/config_differences.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

std::vector<std::string> between(const std::string& before, const std::string& after) {
  const auto old_config = parse_config(before, "before.toml"), new_config = parse_config(after, "after.toml");
  EXPECT_TRUE(old_config) << old_config.error().message;
  EXPECT_TRUE(new_config) << new_config.error().message;
  return old_config && new_config ? config_differences(*old_config, *new_config) : std::vector<std::string>();
}

TEST(ConfigDifferences, SameValuesAreNoneHoweverTheyAreWritten) {
  EXPECT_THAT(between("", ""), IsEmpty());
  EXPECT_THAT(between("[queue]\nmax_running = 3\n[retry]\nbackoff = \"60s\"\n",
                      "# moved\n[retry]\nbackoff = '1m'\n[queue]\nmax_running = 3\n"),
              IsEmpty());
}

TEST(ConfigDifferences, KeysAreNamedWithTheirTables) {
  EXPECT_THAT(between("[projects.web]\npath = \"/srv/web\"\n",
                      "[projects.web]\npath = \"/srv/other\"\n[queue]\nmax_running = 3\n"),
              UnorderedElementsAre("projects.web.path", "queue.max_running"));
}

TEST(ConfigDifferences, NewAndGoneEntriesAreNamedOnce) {
  const std::string hook = "[[hooks]]\nname = \"desktop\"\ndesktop = true\non = [\"job_failed\"]\n";
  EXPECT_THAT(between("[projects.old]\npath = \"/a\"\n[projects.kept]\npath = \"/b\"\n",
                      "[projects.kept]\npath = \"/b\"\n[projects.new]\npath = \"/c\"\n"),
              UnorderedElementsAre("projects.new (new)", "projects.old (gone)"));
  EXPECT_THAT(between("", hook), ElementsAre("hooks.desktop (new)"));
  EXPECT_THAT(between(hook, ""), ElementsAre("hooks.desktop (gone)"));
  EXPECT_THAT(between("", "[projects.first]\npath = \"/a\"\n"), ElementsAre("projects.first (new)"));
}

TEST(ConfigDifferences, ValuesOfHooksAreFoundByTheirNames) {
  const std::string rest =
      "[[webhooks]]\nname = \"b\"\nurl = \"https://b.example/\"\non = [\"job_failed\"]\n";
  const std::string first = "[[webhooks]]\nname = \"a\"\non = [\"job_failed\"]\nurl = ";
  EXPECT_THAT(between(first + "\"https://a.example/secret\"\n" + rest,
                      rest + first + "\"https://a.example/other\"\n"),
              ElementsAre("webhooks.a.url"))
      << "names without values";
}

TEST(ConfigDifferences, OnlyTheFirstAreNamed) {
  EXPECT_EQ(named_differences({"a", "b"}), "a, b");
  const std::vector<std::string> many(20, "key");
  EXPECT_THAT(named_differences(many), testing::EndsWith("key and 12 more"));
}

}  // namespace
}  // namespace luzia
