// The systemd units keep the design's promises about a stopped daemon and the socket.
#include <fstream>

#include "tests/matchers.h"
#include "tests/paths.h"

namespace luzia {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(source_path(path));
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Units, StoppingTheDaemonSparesTheAgents) {
  for (const char* scope : {"system", "user"}) {
    const std::string unit = read("tools/luziad/systemd/luziad." + std::string(scope) + ".service.in");
    EXPECT_THAT(unit, HasSubstr("\nKillMode=process\n"));
    EXPECT_THAT(unit, HasSubstr("\nOOMPolicy=continue\n"));
  }
}

TEST(Units, AgentsGetTheUsualSoftLimitOfDescriptors) {
  for (const char* scope : {"system", "user"}) {
    EXPECT_THAT(read("tools/luziad/systemd/luziad." + std::string(scope) + ".service.in"),
                HasSubstr("\nLimitNOFILE=1024:65536\n"));
  }
}

// The unit's cgroup holds all agents; [jobs] limits each.
TEST(Units, AgentsAreNotCountedAgainstTheDaemon) {
  for (const char* scope : {"system", "user"}) {
    const std::string unit = read("tools/luziad/systemd/luziad." + std::string(scope) + ".service.in");
    EXPECT_THAT(unit, HasSubstr("\nDelegate=yes\n"));
    EXPECT_THAT(unit, HasSubstr("\nTasksMax=infinity\n"));
  }
}

TEST(Units, PageOfTheSystemMayCompareFilesOfProjects) {
  const std::string unit = read("tools/luziad/systemd/luzia-web.system.service.in");
  EXPECT_THAT(unit, HasSubstr("\nProtectHome=read-only\n"));
  EXPECT_THAT(unit, HasSubstr("\nPrivateTmp=yes\n"));
}

TEST(Units, SocketIsPrivate) {
  for (const char* scope : {"system", "user"}) {
    EXPECT_THAT(read("tools/luziad/systemd/luziad." + std::string(scope) + ".socket.in"),
                HasSubstr("\nSocketMode=0600\n"));
  }
}

TEST(Units, PageIsStartedByTheRuleOfTheConfiguration) {
  for (const auto& [scope, store] :
       {std::pair("system", "/var/lib/luzia/store"), {"user", "%h/.local/state/luzia/store"}}) {
    const std::string unit = read("tools/luziad/systemd/luzia-web." + std::string(scope) + ".service.in");
    EXPECT_THAT(unit, HasSubstr(std::string("/luzia web start --fg --store ") + store + "\n"));
    EXPECT_THAT(unit, HasSubstr("\nNoNewPrivileges=yes\n"));
  }
}

TEST(Units, UserUnitsRefuseRoot) {  // root's store is the system's store
  for (const char* kind : {"service", "socket"}) {
    EXPECT_THAT(read("tools/luziad/systemd/luziad.user." + std::string(kind) + ".in"),
                HasSubstr("\nConditionUser=!root\n"));
    EXPECT_THAT(read("tools/luziad/systemd/luziad.system." + std::string(kind) + ".in"),
                HasSubstr("/var/lib/luzia/store"));
  }
}

}  // namespace
}  // namespace luzia
