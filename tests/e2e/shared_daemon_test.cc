// A daemon of root that others may use: each sees and names only the jobs of their own projects. Needs two
// users, so it tests nothing without root.
#include <grp.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {
namespace {

class SharedDaemonTest : public DaemonTest {
 protected:
  /// False if the test cannot become other users.
  bool start_shared() {
    if (::geteuid() != 0) return false;
    share(true);
    copy_client();
    start_daemon();
    return true;
  }

  /// Whether `nobody` may use the project `shared`.
  void share(bool with_nobody) {
    const std::string users = with_nobody ? "users = [\"nobody\"]\n" : "";
    configure("[store]\ngroup = \"nogroup\"\n[projects.shared]\npath = \"" + project() + "\"\n" + users);
  }

  std::string dispatch_shared(const std::string& task) const {
    const Finished sent = luzia({"dispatch", "shared", task});
    EXPECT_EQ(sent.code, 0) << sent.err;
    return lines_of(sent.out).at(0);
  }

  /// Runs luzia as the user `nobody` beside the test; its output goes to the file `out` of the scratch
  /// folder.
  struct Nobody : BesideProgram {
    Nobody(const SharedDaemonTest& test, const Words& words, const std::string& out)
        : BesideProgram(test.with_client(words), {"LUZIA_SOCKET=" + test.store() + "/socket", "HOME=/"},
                        test.path(out), become_nobody) {}
    static void become_nobody() {
      constexpr unsigned kNobody = 65534;
      if (::setgroups(0, nullptr) != 0 || ::setgid(::getgrnam("nogroup")->gr_gid) != 0 ||
          ::setuid(kNobody) != 0) {
        ::_exit(99);
      }
    }
  };
  int as_nobody(const Words& words) const { return Nobody(*this, words, "nobody.out").end(); }
  std::string said_to_nobody() const { return read_text(path("nobody.out")); }

 private:
  /// Other users cannot reach the build folder.
  void copy_client() const { std::filesystem::copy_file(kLuzia, path("luzia")); }
  Words with_client(const Words& words) const {
    Words all = {path("luzia")};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
};

TEST_F(SharedDaemonTest, NamesResolveOnlyInTheCallersProjects) {
  if (!start_shared()) return;
  const std::string shared = dispatch_shared("while [ ! -e go ]; do sleep 0.05; done");
  const std::string other = dispatch("while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(becomes(shared, "running") && becomes(other, "running"));
  ASSERT_EQ(shared.substr(0, 4), other.substr(0, 4));
  EXPECT_EQ(as_nobody({"pause", shared.substr(0, 4)}), 0) << said_to_nobody();
  EXPECT_EQ(as_nobody({"cancel", "@last", "--grace", "0"}), 0) << said_to_nobody();
  ended_as(shared, "killed", "cancelled");
  EXPECT_EQ(state(other), "running");
  EXPECT_EQ(as_nobody({"cancel", other}), 3) << said_to_nobody();
  EXPECT_THAT(said_to_nobody(), HasSubstr("no job '" + other + "'"));
  EXPECT_EQ(state(other), "running");
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(other)["state"], "completed");
}

TEST_F(SharedDaemonTest, LostProjectIsNoLongerFollowed) {
  if (!start_shared()) return;
  const std::string id = dispatch_shared("echo one; while [ ! -e go ]; do sleep 0.05; done; echo secret");
  const Nobody logs(*this, {"logs", "-f", id}, "logs.out"), watch(*this, {"watch", id}, "watch.out"),
      all(*this, {"follow", "--since", "0"}, "all.out");
  ASSERT_TRUE(wait_until([&] { return logs.output() == "one\n"; }));
  ASSERT_TRUE(wait_until([&] { return !watch.output().empty(); }));
  ASSERT_TRUE(wait_until([&] { return all.output().find(id) != std::string::npos; }));
  share(false);
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
  for (const auto* follower : {&logs, &watch}) {
    EXPECT_TRUE(wait_until([&] { return !is_running(follower->pid()); }));
    EXPECT_THAT(follower->output(), HasSubstr("nobody may not see project 'shared' any more"));
    EXPECT_EQ(error_lines(follower->output()), 1u) << follower->output();
    EXPECT_THAT(follower->output(), testing::Not(HasSubstr("secret")));
  }
  EXPECT_THAT(all.output(), testing::Not(HasSubstr("AttemptEnded")));
  // A client that follows everything continues with the projects that are left.
  share(true);
  ASSERT_EQ(luzia({"daemon", "reload"}).code, 0);
  const std::string again = dispatch_shared("echo again");
  EXPECT_TRUE(wait_until([&] { return all.output().find(again) != std::string::npos; }));
}

}  // namespace
}  // namespace luzia
