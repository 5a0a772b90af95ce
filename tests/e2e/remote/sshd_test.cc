// Another machine behind a real sshd on a loopback port, with keys and configuration of its own.
#include "tests/e2e/sshd.h"

#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "tests/e2e/remote/far_machine.h"

namespace luzia {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SshdTest : public RemoteTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(path("sshd"));
    for (const char* key : {"host", "user", "stranger"}) make_ssh_key(path(std::string("sshd/") + key));
    configure("[machines.far]\nssh = \"far\"\n");
    add_far("far");
    const int port = free_port();
    port_ = std::to_string(port);
    trust_host();
    use_key("user");
    sshd_ =
        start_sshd(path("sshd"), {port, path("sshd/host"), path("sshd/user.pub"), far_environment("far")});
  }

  void trust_host() const {
    write_text(path("sshd/known_hosts"), "[127.0.0.1]:" + port_ + " " + read_text(path("sshd/host.pub")));
  }
  void use_key(const std::string& name, const std::string& more = {}) const {
    const passwd* account = ::getpwuid(::geteuid());
    write_text(path("sshd/client"),
               "Host far\n  HostName 127.0.0.1\n  Port " + port_ + "\n  User " +
                   (account == nullptr ? "root" : account->pw_name) + "\n  IdentityFile " +
                   path("sshd/" + name) + "\n  IdentitiesOnly yes\n  IdentityAgent none\n" +
                   "  UserKnownHostsFile " + path("sshd/known_hosts") +
                   "\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n" + more);
    ssh_is("exec /usr/bin/ssh -F " + path("sshd/client") + " \"$@\"\n");
  }
  std::string port_;
  std::unique_ptr<BesideProgram> sshd_;
};

TEST_F(SshdTest, JobRunsWhereItsMachineIs) {
  write_text(far("far", ".bashrc"), "echo Welcome; echo to stderr >&2\n");
  write_text(far("far", ".profile"), "echo Welcome\n");
  const std::string id = dispatch_on("far", "echo from there; while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_FALSE(id.empty()) << read_text(path("sshd/sshd.log"));
  BesideProgram wait({kLuzia, "--on", "far", "wait", id}, here_environment(), path("waited"));
  EXPECT_TRUE(wait_until([&] { return here({"--on", "far", "logs", id}).out == "from there\n"; }));
  write_text(far("far", "demo/go"), "");
  EXPECT_EQ(wait.end(), 0) << wait.output();
  EXPECT_EQ(here_json({"--on", "far", "job", id})["state"], "completed");
  const Finished check = here({"machine", "check"});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  EXPECT_THAT(check.out, HasSubstr("ok"));
}

TEST_F(SshdTest, ManyBytesOfOutputArriveWhole) {
  const std::string id = dispatch_on("far", "seq 1 1000000");
  ASSERT_EQ(here({"--on", "far", "wait", id}).code, 0);
  const Finished logs = here({"--on", "far", "logs", id, "--raw"});
  EXPECT_EQ(logs.out.size(), 6'888'896U);
  EXPECT_TRUE(logs.out.ends_with("\n999999\n1000000\n"));
}

TEST_F(SshdTest, UnknownHostKeyIsRefused) {
  write_text(path("sshd/known_hosts"), "");
  const Finished unknown = here({"--on", "far", "jobs"});
  EXPECT_EQ(unknown.code, 5);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("machine far: its host key is unknown"), HasSubstr("by hand")));
  EXPECT_EQ(error_lines(unknown.err), 1U) << unknown.err;
  write_text(path("sshd/known_hosts"), "[127.0.0.1]:" + port_ + " " + read_text(path("sshd/stranger.pub")));
  EXPECT_THAT(here({"--on", "far", "jobs"}).err, HasSubstr("its host key has changed"));
}

TEST_F(SshdTest, UnknownUserKeyIsRefused) {
  use_key("stranger");
  const Finished denied = here({"--on", "far", "jobs"});
  EXPECT_EQ(denied.code, 4);
  EXPECT_THAT(denied.err,
              AllOf(HasSubstr("machine far: it accepts none of your keys"), HasSubstr("ssh far true")));
}

TEST_F(SshdTest, MachineThatIsDownOrSilentIsNamedInTime) {
  sshd_.reset();
  const Finished down = here({"--on", "far", "jobs"});
  EXPECT_EQ(down.code, 5);
  EXPECT_THAT(down.err,
              AllOf(HasSubstr("machine far: ssh cannot reach it"), HasSubstr("Connection refused")));
  // One that accepts and says nothing.
  const SilentServer silent;
  port_ = std::to_string(silent.port());
  use_key("user");
  const Finished mute = here({"--on", "far", "jobs", "--patience", "1s"});
  EXPECT_EQ(mute.code, 5);
  EXPECT_THAT(mute.err, HasSubstr("machine far"));
  EXPECT_EQ(error_lines(mute.err), 1U) << mute.err;
}

TEST_F(SshdTest, WaitOutlivesALostConnection) {
  const std::string id = dispatch_on("far", "while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_EQ(here({"--on", "far", "wait", id, "--until", "running", "--timeout", "100s"}).code, 0);
  BesideProgram wait({kLuzia, "--on", "far", "wait", id}, here_environment(), path("waited"));
  const auto proxies = [this] {
    std::vector<pid_t> found;
    for (const pid_t pid : own_processes()) {
      if (read_text("/proc/" + std::to_string(pid) + "/cmdline") == std::string("luzia\0proxy\0", 12) ||
          read_text("/proc/" + std::to_string(pid) + "/cmdline") ==
              std::string("luzia\0proxy\0--no-start\0", 23)) {
        found.push_back(pid);
      }
    }
    return found;
  };
  ASSERT_TRUE(wait_until([&] { return !proxies().empty(); }));
  for (const pid_t pid : proxies()) ::kill(pid, SIGKILL);
  write_text(far("far", "demo/go"), "");
  EXPECT_EQ(wait.end(), 0) << wait.output();
}

TEST_F(SshdTest, SharedConnectionsWork) {
  use_key("user", "  ControlMaster auto\n  ControlPath " + path("sshd/mux") + "\n  ControlPersist 60\n");
  const std::string id = dispatch_on("far", "true");
  EXPECT_EQ(here({"--on", "far", "wait", id}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("sshd/mux")));
  const Finished ended =
      run_to_end({"/usr/bin/ssh", "-F", path("sshd/client"), "-O", "exit", "far"}, environment());
  EXPECT_EQ(ended.code, 0) << ended.err;
}

}  // namespace
}  // namespace luzia
