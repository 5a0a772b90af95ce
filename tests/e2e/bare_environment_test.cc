// The locations of store, jobs and configuration if the environment sets nothing (cron, env -i) or only HOME
// (a shell, sudo). For root they are always the same. The test has its own mounts, user database and system
// folders, so that it does not use the tester's store.
#include <filesystem>

#include "tests/e2e/daemon_fixture.h"
#include "tests/e2e/own_mounts.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

constexpr char kSystemStore[] = "/var/lib/luzia/store", kSystemJobs[] = "/var/log/luz-orchestrator/jobs";

class BareEnvironmentTest : public DaemonTest {
 protected:
  ~BareEnvironmentTest() override {
    for (const char* place : mounted_) ::umount2(place, MNT_DETACH);
  }
  /// Makes the test's folder root's home. False if the kernel allows no such mounts; then no program may be
  /// started.
  bool enter() {
    write_text(path("passwd"), "root:x:0:0::" + home() + ":/bin/sh\n");
    for (const char* folder : {"lib", "log"}) fs::create_directory(path(folder));
    write_text(config(), "[projects.demo]\npath = \"" + project() + "\"\n");
    return enter_own_mounts() && mount_at("/etc/passwd", "passwd") && mount_at("/var/lib", "lib") &&
           mount_at("/var/log", "log");
  }
  std::string config() const { return home() + "/.config/luzia/luzia.toml"; }
  std::string earlier_store() const { return home() + "/.local/state/luzia/store"; }
  /// PATH contains the scratch folder, so that the fixture recognizes its processes.
  Finished run_bare(const std::string& program, Words words, Words bare) const {
    words.insert(words.begin(), program);
    bare.push_back("PATH=/usr/bin:/bin:" + path("bin"));
    return run_to_end(words, bare);
  }

 private:
  bool mount_at(const char* place, const std::string& own) {
    if (::mount(path(own).c_str(), place, nullptr, MS_BIND, nullptr) != 0) return false;
    mounted_.push_back(place);
    return true;
  }

  std::vector<const char*> mounted_;
};

TEST_F(BareEnvironmentTest, RootAlwaysUsesTheSystemsStore) {
  if (!enter()) return;
  const std::string other = path("other");
  // Also checks the job's HOME. Empty and relative values count as unset.
  const std::pair<Words, std::string> environments[] = {
      {{}, home()},
      {{"HOME=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME="}, home()},
      {{"HOME=home", "XDG_STATE_HOME=state", "XDG_CONFIG_HOME=config"}, home()},
      {{"HOME=" + home()}, home()},
      {{"HOME=" + other, "XDG_CONFIG_HOME=" + home() + "/.config"}, other}};
  for (const auto& [bare, home_of_job] : environments) {
    const Finished sent = run_bare(kLuzia, {"dispatch", "demo", "echo \"at $HOME\"", "--wait"}, bare);
    ASSERT_EQ(sent.code, 0) << sent.err;
    const std::string id = lines_of(sent.out).at(0);
    EXPECT_EQ(read_text(std::string(kSystemJobs) + "/" + id + "/output.log"),
              "at " + home_of_job + "\n\nexit:0\n");
    EXPECT_TRUE(fs::is_directory(std::string(kSystemStore) + "/log"));
    const Finished alone = run_bare(kLuziaQuery, {"job", id, "--json"}, bare);
    EXPECT_EQ(alone.code, 0) << alone.err;
    EXPECT_EQ(run_bare(kLuzia, {"daemon", "stop"}, bare).code, 0);
  }
  const Finished all = run_bare(kLuziaQuery, {"jobs", "--all", "--json"}, {});
  EXPECT_EQ(Json::parse(all.out)["jobs"].size(), std::size(environments)) << all.err;
  EXPECT_FALSE(fs::exists(earlier_store()));
}

TEST_F(BareEnvironmentTest, RootsEarlierStoreIsNamedUntilUsedOrGone) {
  if (!enter()) return;
  fs::create_directories(earlier_store() + "/log");
  const auto doctor = [this] { return run_bare(kLuzia, {"doctor", "--json"}, {}).out; };
  const auto is_named = AllOf(HasSubstr(earlier_store()), HasSubstr(kSystemStore));
  const Finished started = run_bare(kLuzia, {"jobs"}, {});
  EXPECT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(started.err, is_named);
  EXPECT_THAT(run_bare(kLuzia, {"jobs"}, {}).err, Not(HasSubstr(earlier_store()))) << "once a daemon";
  EXPECT_THAT(doctor(), is_named);
  EXPECT_EQ(run_bare(kLuzia, {"daemon", "stop"}, {}).code, 0);

  fs::remove(earlier_store() + "/log");
  EXPECT_THAT(doctor(), Not(HasSubstr(earlier_store())));
  write_text(config(), "[store]\npath = \"" + earlier_store() + "\"\n");
  const Finished used = run_bare(kLuzia, {"daemon", "start"}, {});
  EXPECT_EQ(used.code, 0) << used.err;
  EXPECT_TRUE(fs::is_directory(earlier_store() + "/log"));
  EXPECT_THAT(used.err + doctor(), Not(HasSubstr(kSystemStore)));
  EXPECT_EQ(run_bare(kLuzia, {"daemon", "stop"}, {}).code, 0);
}

}  // namespace
}  // namespace luzia
