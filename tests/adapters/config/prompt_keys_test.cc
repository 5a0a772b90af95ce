// [prompts], [web_search], and the prompts of projects.
#include <gtest/gtest.h>

#include "adapters/config/config.h"

namespace luzia {
namespace {

TEST(PromptConfig, NothingIsAddedToTasksByDefault) {
  const auto plain = parse_config("[projects.web]\npath = \"/srv\"\n", "luzia.toml");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->projects.at("web").prompt, "");
  EXPECT_EQ(plain->prompts.folder, "");
  EXPECT_EQ(plain->prompts.max_bytes, 64u << 10);
  EXPECT_EQ(plain->web_search.url, "");
  const auto set = parse_config(
      "[prompts]\nfolder = \"/srv/prompts\"\nmax_bytes = \"8KiB\"\n"
      "[web_search]\nurl = \"https://s.example/?q={query}\"\n"
      "[projects.web]\nprompt = \"debugging\"\n",
      "luzia.toml");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->projects.at("web").prompt, "debugging");
  EXPECT_EQ(set->prompts.folder, "/srv/prompts");
  EXPECT_EQ(set->prompts.max_bytes, 8u << 10);
  EXPECT_EQ(set->web_search.url, "https://s.example/?q={query}");
  const auto back = parse_config(show_config(*set), "luzia.toml");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(show_config(*back), show_config(*set));
}

}  // namespace
}  // namespace luzia
