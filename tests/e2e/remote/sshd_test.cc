// Another machine behind a real sshd on a loopback port, with keys and configuration of its own.
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "engine/base/descriptor.h"
#include "tests/e2e/remote/far_machine.h"

namespace luzia {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSshd = "/usr/sbin/sshd";

/// A socket on a free loopback port.
struct LoopbackPort {
  LoopbackPort() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    number = std::to_string(ntohs(address.sin_port));
  }
  Descriptor socket;
  std::string number;
};

class SshdTest : public RemoteTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(::access(kSshd, X_OK), 0) << "install openssh-server: tools/dev/install test";
    if (::geteuid() == 0) ::mkdir("/run/sshd", 0755);  // as the service does
    std::filesystem::create_directories(path("sshd"));
    for (const char* key : {"host", "user", "stranger"}) {
      const Finished made = run_to_end(
          {"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(std::string("sshd/") + key)},
          environment());
      ASSERT_EQ(made.code, 0) << made.err;
    }
    configure("[machines.far]\nssh = \"far\"\n");
    add_far("far");
    write_text(path("sshd/authorized_keys"), read_text(path("sshd/user.pub")));
    port_ = LoopbackPort().number;
    write_text(path("sshd/config"), "Port " + port_ + "\nListenAddress 127.0.0.1\nHostKey " +
                                        path("sshd/host") +
                                        "\nPidFile none\nUsePAM no\nStrictModes no\nAuthorizedKeysFile " +
                                        path("sshd/authorized_keys") +
                                        "\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                                        "PermitRootLogin prohibit-password\nSetEnv " +
                                        joined_environment() + "\n");
    trust_host();
    use_key("user");
    start_sshd();
  }

  std::string joined_environment() const {
    std::string all;
    for (const std::string& entry : far_environment("far")) all += " \"" + entry + "\"";
    return all;
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
  void start_sshd() {
    sshd_ = std::make_unique<BesideProgram>(Words{kSshd, "-D", "-e", "-f", path("sshd/config")},
                                            environment(), path("sshd/log"));
    ASSERT_TRUE(wait_until([this] {
      return read_text(path("sshd/log")).find("Server listening") != std::string::npos;
    })) << read_text(path("sshd/log"));
  }

  std::string port_;
  std::unique_ptr<BesideProgram> sshd_;
};

TEST_F(SshdTest, JobRunsWhereItsMachineIs) {
  write_text(far("far", ".bashrc"), "echo Welcome; echo to stderr >&2\n");
  write_text(far("far", ".profile"), "echo Welcome\n");
  const std::string id = dispatch_on("far", "echo from there; while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_FALSE(id.empty()) << read_text(path("sshd/log"));
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
  const LoopbackPort silent;
  ASSERT_EQ(::listen(silent.socket.get(), 8), 0);
  port_ = silent.number;
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
