// [projects.NAME.secrets] and [agents.NAME.secrets]: where a value comes from, never the value.
#include "tests/adapters/config/parsed_config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

TEST(SecretsConfig, EachKindOfPlaceIsRead) {
  const Config config = config_of(
      "[projects.web.secrets]\nA = { file = \"~/.token\" }\nB = { command = [\"pass\", \"show\", \"x\"] }\n"
      "C = { env = \"NAME\" }\n[agents.claude.secrets]\nD = { file = \"/run/d\" }\n");
  const SecretPlaces& places = config.projects.at("web").secrets;
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places.at("A").kind, schema::SecretKind::file);
  EXPECT_THAT(places.at("A").source, ElementsAre("~/.token"));
  EXPECT_EQ(places.at("B").kind, schema::SecretKind::command);
  EXPECT_THAT(places.at("B").source, ElementsAre("pass", "show", "x"));
  EXPECT_EQ(places.at("C").kind, schema::SecretKind::env);
  EXPECT_THAT(places.at("C").source, ElementsAre("NAME"));
  EXPECT_THAT(config.agents.at("claude").secrets.at("D").source, ElementsAre("/run/d"));
  const Config back = config_of(show_config(config));
  EXPECT_EQ(show_config(back), show_config(config));
  EXPECT_THAT(back.projects.at("web").secrets.at("B").source, ElementsAre("pass", "show", "x"));
}

TEST(SecretsConfig, ValueInsteadOfAPlaceIsRefusedAndNotShown) {
  const Error error = config_error_of("[projects.web.secrets]\nA = \"hunter2hunter2\"\n");
  EXPECT_THAT(error.message, HasSubstr("luzia.toml:2:"));
  EXPECT_THAT(error.message, HasSubstr("must say where its value comes from"));
  EXPECT_THAT(error.message + error.hint, Not(HasSubstr("hunter2")));
  EXPECT_THAT(error.hint, HasSubstr("file = "));
}

TEST(SecretsConfig, DaemonGetsTheVariablesThatAreNamed) {
  const Config config = config_of(
      "[projects.web.secrets]\nA = { env = \"OF_PROJECT\" }\nD = { file = \"~/.token\" "
      "}\n[agents.claude.secrets]\nB = { env = "
      "\"OF_AGENT\" "
      "}\nC = { file = \"/x\" }\n");
  EXPECT_THAT(all_passed_variables(config), testing::IsSupersetOf({"OF_PROJECT", "OF_AGENT"}));
  EXPECT_THAT(all_passed_variables(config), Not(testing::Contains("/x")));
  EXPECT_THAT(all_secret_files(config, "/home/me"), ElementsAre("/x", "/home/me/.token"));
}

TEST(SecretsConfig, MistakesAreRefused) {
  for (const char* bad :
       {"A = { fle = \"/x\" }", "A = { file = \"token\" }", "A = { file = 3 }", "A = { command = \"pass\" }",
        "A = { command = [] }", "A = { command = [3] }", "A = { env = \"NO NAME\" }", "A = {}",
        "A = { file = \"/x\", env = \"Y\" }", "1A = { file = \"/x\" }", "LUZIA_X = { file = \"/x\" }"}) {
    EXPECT_EQ(config_error_of(std::string("[projects.web.secrets]\n") + bad + "\n").code, "config_range")
        << bad;
  }
}

}  // namespace
}  // namespace luzia
