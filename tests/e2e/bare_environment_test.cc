// Where everything is when the environment says nothing (cron, env -i): below the home that the user database
// names. Tried among mounts of its own, with a user database of its own: else it would be the tester's store.
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/own_mounts.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

class BareEnvironmentTest : public DaemonTest {
 protected:
  ~BareEnvironmentTest() override {
    if (mounted_) ::umount2("/etc/passwd", MNT_DETACH);
  }
  /// False where the kernel allows no such mounts; nothing may be started then.
  bool use_accounts(const std::string& passwd) {
    write_text(path("passwd"), passwd);
    mounted_ =
        enter_own_mounts() && ::mount(path("passwd").c_str(), "/etc/passwd", nullptr, MS_BIND, nullptr) == 0;
    return mounted_;
  }

 private:
  bool mounted_ = false;
};

TEST_F(BareEnvironmentTest, StoreJobsAndConfigurationAreThoseOfALogin) {
  if (!use_accounts("root:x:0:0::" + home() + ":/bin/sh\n")) return;
  write_text(home() + "/.config/luzia/luzia.toml", "[projects.demo]\npath = \"" + project() + "\"\n");
  // Empty and relative ones count as not set.
  const Words environments[] = {{},
                                {"HOME=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME="},
                                {"HOME=home", "XDG_STATE_HOME=state", "XDG_CONFIG_HOME=config"}};
  for (const Words& bare : environments) {
    const Finished sent = run_to_end({kLuzia, "dispatch", "demo", "echo \"at $HOME\"", "--wait"}, bare);
    ASSERT_EQ(sent.code, 0) << sent.err;
    const std::string id = lines_of(sent.out).at(0);
    EXPECT_EQ(read_text(home() + "/.local/state/luzia/jobs/" + id + "/output.log"),
              "at " + home() + "\n\nexit:0\n");
    EXPECT_TRUE(fs::is_directory(home() + "/.local/state/luzia/store/log"));
    // From a login, HOME set: the same daemon and store, with and without asking the daemon.
    EXPECT_EQ(job(id)["dir"], job_dir(id));
    const Finished alone = run_to_end({kLuziaQuery, "job", id, "--json"}, bare);
    EXPECT_EQ(alone.code, 0) << alone.err;
    stop_daemon();
  }
  EXPECT_EQ(query_json({"jobs", "--all"})["jobs"].size(), std::size(environments));
}

}  // namespace
}  // namespace luzia
