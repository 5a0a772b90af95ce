#include "tools/cli/start_daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace luzia {
namespace {

using ::testing::ElementsAre;

TEST(StartDaemon, EnvironmentHasNoJobVariablesOrSecrets) {
  const char* environment[] = {"HOME=/h",         "LUZIA_JOB_ID=x",    "LUZIA_SOCKET=/s", "AWS_SECRET=1",
                               "LC_ALL=C",        "XDG_STATE_HOME=/x", "PATH=/bin",       "LD_PRELOAD=/evil",
                               "LUZIA_CONFIG=/c", "HOMEWARD=1",        "LUZIA_ATTEMPT=1", nullptr};
  EXPECT_THAT(daemon_environment(environment),
              ElementsAre("HOME=/h", "LC_ALL=C", "XDG_STATE_HOME=/x", "PATH=/bin", "LUZIA_CONFIG=/c"));
}

TEST(StartDaemon, EnvironmentHasTheVariablesOfAgents) {
  const char* environment[] = {"OPENAI_API_KEY=k", "OPENAI_API_KEY_2=x", "HOME=/h", nullptr};
  EXPECT_THAT(daemon_environment(environment, {"OPENAI_API_KEY"}),
              ElementsAre("OPENAI_API_KEY=k", "HOME=/h"));
}

TEST(StartDaemon, MissingNamedProgramIsNotReplaced) {
  ::setenv("LUZIA_DAEMON", "/nonexistent/luziad", 1);
  EXPECT_EQ(find_daemon_program(), "");
  const auto client = start_daemon({"/tmp/luzia-no-store", "/tmp/luzia-no-store/socket", "", ""}, {},
                                   [](std::string_view) {});
  ASSERT_FALSE(client.has_value());
  EXPECT_EQ(client.error().code, "no_daemon_program");
  ::setenv("LUZIA_DAEMON", "/bin/true", 1);
  EXPECT_EQ(find_daemon_program(), "/bin/true");
  ::unsetenv("LUZIA_DAEMON");
}

}  // namespace
}  // namespace luzia
