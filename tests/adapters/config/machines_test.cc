// [machines.NAME]: what is read, and one clear line for each fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/config/config_differences.h"
#include "tests/adapters/config/parsed_config.h"

namespace luzia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Machines, AreReadAndShown) {
  const Config config = config_of(
      "[machines.build2]\nssh = \"ssh://ana@build2:2222\"\nstore = \"/srv/s\"\nlabels = [\"gpu\", \"big\"]\n"
      "max_running = 3\n[machines.\"two words\"]\nssh = \"box\"\n");
  const MachineConfig& machine = config.machines.at("build2");
  EXPECT_EQ(machine.ssh, "ssh://ana@build2:2222");
  EXPECT_EQ(machine.store, "/srv/s");
  EXPECT_THAT(machine.labels, ElementsAre("gpu", "big"));
  EXPECT_EQ(machine.max_running, 3U);
  const Config back = config_of(show_config(config));
  EXPECT_EQ(show_config(back), show_config(config));
  EXPECT_EQ(back.machines.at("two words").ssh, "box");
}

TEST(Machines, FaultsAreOneLineWithTheirPlace) {
  struct Fault {
    std::string toml, message, hint;
  };
  const std::vector<Fault> faults = {
      {"[machines.a]\n", "luzia.toml:1:11: machine 'a' has no ssh", "user@host"},
      {"[machines.a]\nssh = \"\"\n", "machine 'a' has no ssh", "user@host"},
      {"[machines.a]\nssh = \"-oProxyCommand=id\"\n",
       "luzia.toml:2:7: machines.a.ssh: '-oProxyCommand=id' has", "ssh://user@host"},
      {"[machines.any]\nssh = \"h\"\n", "'any' stands for all machines", "another name"},
      {"[machines.local]\nssh = \"h\"\n", "'local' is this machine", "another name"},
      {"[machines.a]\nssh = \"h\"\nstore = \"~/s\"\n", "which is no absolute path", "from / on"},
      {"[machines.a]\nssh = \"ssh://h/s\"\nstore = \"/s\"\n", "names two stores", "one of them"},
      {"[machines.a]\nssh = \"h\"\nlabels = [\"any\"]\n", "every machine's label", "another label"},
      {"[machines.a]\nssh = \"h\"\nlabels = [\"\"]\n", "which is empty", "another label"},
      {"[machines.a]\nssh = \"h\"\nlabels = [\"b\"]\n[machines.b]\nssh = \"h\"\n", "the name of a machine",
       "another label"},
      {"[machines.a]\nssh = 3\n", "machines.a.ssh is", ""},
      {"[machines.a]\nssh = \"h\"\nlabel = []\n", "unknown key 'label'", "did you mean labels?"},
      {"[machines.-a]\nssh = \"h\"\n", "cannot be a name", ""},
  };
  for (const Fault& fault : faults) {
    const Error error = config_error_of(fault.toml);
    EXPECT_THAT(error.message, HasSubstr(fault.message)) << fault.toml;
    EXPECT_THAT(error.hint, HasSubstr(fault.hint)) << fault.toml;
    EXPECT_EQ(error.message.find("more;"), std::string::npos) << "one fault, told once: " << error.message;
  }
}

TEST(Machines, DifferencesNameEach) {
  const Config before = config_of("[machines.a]\nssh = \"h\"\n");
  const Config after = config_of("[machines.a]\nssh = \"i\"\n[machines.b]\nssh = \"h\"\n");
  EXPECT_THAT(config_differences(before, after), ElementsAre("machines.a.ssh", "machines.b (new)"));
  EXPECT_THAT(config_differences(config_of(""), before), ElementsAre("machines.a (new)"));
}

}  // namespace
}  // namespace luzia
