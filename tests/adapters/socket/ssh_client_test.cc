// The connection to another machine, with a program in the place of ssh that behaves as each test says.
#include "adapters/socket/ssh_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/base/descriptor.h"
#include "tests/text_files.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr milliseconds kPatient{60'000};
// As a shell script prints it.
constexpr const char* kGreets =
    "printf '\\nluzia-proxy\\tversion=9.8.7\\tprotocol=1\\tclock=1800000000000000\\tslots=4\\tload=50\\n'\n";

class SshClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/luzia-ssh-XXXXXX";
    folder_ = ::mkdtemp(name);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    EXPECT_TRUE(wait_until([this] { return !is_alive(); })) << "the program in the place of ssh lives on";
    std::filesystem::remove_all(folder_);
  }

  std::string file(const std::string& name) const { return folder_ + "/" + name; }
  /// The program writes its process id and its words, then does this.
  void ssh_does(const std::string& script) const {
    std::ofstream(file("ssh")) << "#!/bin/sh\necho $$ > " << file("pid") << "\nprintf '%s\\n' \"$@\" > "
                               << file("words") << "\n"
                               << script;
    ::chmod(file("ssh").c_str(), 0755);
  }
  bool is_alive() const {
    pid_t pid = 0;
    std::ifstream(file("pid")) >> pid;
    // One that has ended is still ours to reap.
    return pid > 0 && ::waitpid(pid, nullptr, WNOHANG) != pid && ::kill(pid, 0) == 0;
  }

  static SshRoute route() { return {"build2", "ana@build2", 0, ""}; }
  static Result<FarDaemon> connect(milliseconds limit = kPatient) {
    return connect_by_ssh(route(), {limit, {}});
  }
  /// The connection must fail, with one line that names the machine.
  static Error why_not(milliseconds limit = kPatient) {
    const auto far = connect(limit);
    EXPECT_FALSE(far.has_value());
    if (far) return {};
    EXPECT_THAT(far.error().message, HasSubstr("machine build2"));
    EXPECT_EQ(far.error().message.find_first_of("\n\x1b\a"), std::string::npos) << far.error().message;
    return far.error();
  }

 private:
  std::string folder_, path_;
};

TEST_F(SshClientTest, GreetingSaysWhoIsThere) {
  ssh_does(std::string(kGreets) + "exec cat > " + file("sent"));
  {
    const auto far = connect();
    ASSERT_TRUE(far.has_value()) << far.error().message;
    EXPECT_EQ(far->greeting.version, "9.8.7");
    EXPECT_EQ(far->greeting.slots, 4U);
    EXPECT_EQ(far->greeting.load_percent, 50U);
    EXPECT_NE(far->clock_ahead.count(), 0) << "2027-01-15 is not now";
  }
  EXPECT_TRUE(wait_until([this] { return !is_alive(); })) << "ends with the connection";
}

TEST_F(SshClientTest, WordsLeaveNothingToAShellHere) {
  EXPECT_THAT(
      ssh_words(route(), milliseconds(2'500), WhenFarAbsent::start),
      ElementsAre("ssh", "-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "RemoteCommand=none", "-o",
                  "ClearAllForwardings=yes", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3",
                  "-o", "ConnectTimeout=3", "--", "ana@build2", "luzia proxy"));
  const auto words = ssh_words({"x", "h", 2222, "/s'; id; '"}, milliseconds(0), WhenFarAbsent::complain);
  EXPECT_THAT(words, testing::IsSupersetOf({std::string("-p"), std::string("2222")}));
  EXPECT_EQ(words.back(), "luzia --store '/s'\\''; id; '\\''' proxy --no-start");
  EXPECT_THAT(words, Not(testing::Contains(HasSubstr("ConnectTimeout"))));
}

TEST_F(SshClientTest, NoiseOfTheOtherShellIsPassedOver) {
  ssh_does("echo 'Welcome to build2!'; printf 'no line break'\n" + std::string(kGreets) +
           "echo warning >&2; exec cat > " + file("sent"));
  const auto far = connect();
  ASSERT_TRUE(far.has_value()) << far.error().message;
  EXPECT_EQ(far->greeting.version, "9.8.7");
}

TEST_F(SshClientTest, JobsVariablesStayHere) {
  ::setenv("LUZIA_CREDENTIAL", "secret", 1);
  ssh_does("env > " + file("env") + "\n" + kGreets + "exec cat > " + file("sent"));
  const auto far = connect();
  ::unsetenv("LUZIA_CREDENTIAL");
  ASSERT_TRUE(far.has_value()) << far.error().message;
  EXPECT_THAT(whole_text(file("env")), AllOf(HasSubstr("PATH="), Not(HasSubstr("LUZIA_"))));
}

TEST_F(SshClientTest, FailuresOfSshSayWhatToDo) {
  struct Failure {
    std::string script, code, message, hint;
  };
  const std::vector<Failure> failures = {
      {"echo 'Host key verification failed.' >&2; exit 255", "machine_unknown", "its host key is unknown",
       "ssh ana@build2"},
      {"echo 'WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!' >&2\n"
       "echo 'Host key verification failed.' >&2; exit 255",
       "machine_unknown", "its host key has changed", "ssh-keygen -R"},
      {"echo 'ana@build2: Permission denied (publickey).' >&2; exit 255", "machine_denied",
       "accepts none of your keys (ana@build2: Permission denied (publickey).)", "ssh-copy-id"},
      {"echo 'ssh: connect to host build2 port 22: Connection refused' >&2; exit 255", "machine_unreachable",
       "ssh cannot reach it: ssh: connect to host build2 port 22: Connection refused", "ssh ana@build2 true"},
      {"exit 255", "machine_unreachable", "ssh cannot reach it", "ssh ana@build2 true"},
      {"echo 'sh: 1: luzia: not found' >&2; exit 127", "machine_without_luzia", "no luzia on its PATH",
       "install luzia there"},
      {"echo \"luzia: 'proxy' is no command\" >&2; echo '  hint: luzia help' >&2; exit 2", "machine_too_old",
       "does not know luzia proxy: luzia: 'proxy' is no command", "same version"},
      {"echo 'This account is not available.'; exit 1", "machine_odd",
       "it says: This account is not available.", "ssh ana@build2 luzia proxy"},
      {"kill -9 $$", "machine_odd", "did not answer", "luzia proxy"},
      {"printf 'evil \\033]0;title\\007\\n' >&2; exit 255", "machine_unreachable", "evil", ""},
  };
  for (const Failure& failure : failures) {
    ssh_does(failure.script);
    const Error error = why_not();
    EXPECT_EQ(error.code, failure.code) << failure.script;
    EXPECT_THAT(error.message, HasSubstr(failure.message)) << failure.script;
    EXPECT_THAT(error.hint, HasSubstr(failure.hint)) << failure.script;
    EXPECT_EQ(error.kind, failure.code == "machine_denied" ? ErrorKind::refused : ErrorKind::trouble);
  }
}

TEST_F(SshClientTest, MissingProgramIsNamed) {
  const std::string before = std::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  const Error error = why_not();
  ::setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(error.code, "no_ssh");
  EXPECT_THAT(error.hint, HasSubstr("openssh-client"));
}

TEST_F(SshClientTest, ErrorsOfTheOtherLuziaKeepTheirCode) {
  ssh_does(
      "printf 'luzia-proxy\\tversion=1\\tprotocol=1\\tclock=1\\texit=4\\tcode=socket_refused\\t"
      "message=permission denied\\thint=ask\\n'; exit 4");
  const Error error = why_not();
  EXPECT_EQ(error.code, "socket_refused");
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_EQ(error.message, "machine build2: permission denied");
  EXPECT_EQ(error.hint, "ask");
}

TEST_F(SshClientTest, SilentMachineIsGivenUp) {
  ssh_does("exec sleep 1000");
  const Error error = why_not(milliseconds(300));
  EXPECT_EQ(error.code, "daemon_silent");
  EXPECT_THAT(error.message, HasSubstr("gave up after 0.3s"));
  EXPECT_THAT(error.hint, HasSubstr("luzia machine check build2"));
}

TEST_F(SshClientTest, ConnectedMachineThatFallsSilentIsLeft) {
  ssh_does(std::string(kGreets) + "exec sleep 1000");
  auto far = connect(milliseconds(2'000));
  ASSERT_TRUE(far.has_value()) << far.error().message;
  const auto answer = far->client.ask(request_of(wire::ControlT()));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, "daemon_silent");
}

TEST_F(SshClientTest, ClosedOutputOfAProgramThatStaysIsGivenUp) {
  ssh_does("exec sleep 1000 <&- >&-");
  EXPECT_EQ(why_not().code, "machine_odd");
}

TEST_F(SshClientTest, EndlessNoiseIsGivenUp) {
  for (const char* script : {"exec yes", "exec cat /dev/zero"}) {
    ssh_does(script);
    EXPECT_EQ(why_not().code, "machine_odd") << script;
  }
  ssh_does("while :; do echo noise >&2; done");
  EXPECT_EQ(why_not(milliseconds(300)).code, "daemon_silent") << "what nobody reads holds up nobody";
}

TEST_F(SshClientTest, LostConnectionSaysWhatSshSays) {
  ssh_does(std::string(kGreets) + "echo 'Connection to build2 closed by remote host.' >&2; exit 255");
  auto far = connect();
  ASSERT_TRUE(far.has_value()) << far.error().message;
  const auto answer = far->client.ask(request_of(wire::ControlT()));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, "connection_lost") << "so that it can be repeated";
  EXPECT_THAT(answer.error().message,
              AllOf(HasSubstr("machine build2"), HasSubstr("(Connection to build2 closed by remote host.)")));
}

/// Frames that answer nothing that was asked, over and over.
std::string endless_frames(const std::string& file) {
  wire::ServerFrameT frame;
  frame.id = 99;
  wire::ProgressedT body;
  body.message = std::string(64 << 10, 'x');
  frame.reply.Set(std::move(body));
  std::ofstream out(file, std::ios::binary);
  for (int i = 0; i < 64; ++i) out << encode(frame);
  return std::string(kGreets) + "while cat " + file + "; do :; done";
}

TEST_F(SshClientTest, EndlessFramesAreRefused) {
  ssh_does(endless_frames(file("frames")));
  {
    auto far = connect();
    ASSERT_TRUE(far.has_value()) << far.error().message;
    const auto answer = far->client.ask(request_of(wire::ControlT()));
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().code, "too_many_replies");
  }
  auto far = connect();
  ASSERT_TRUE(far.has_value()) << far.error().message;
  ASSERT_TRUE(far->client.send(request_of(wire::QueryT())));
  auto frame = far->client.receive();
  while (frame) frame = far->client.receive();
  EXPECT_EQ(frame.error().code, "too_many_replies") << "also if the caller drops each";
}

TEST_F(SshClientTest, WordsThatAnswerNothingDoNotProlongTheWholeTime) {
  wire::ServerFrameT frame;
  frame.id = 99;
  frame.reply.Set(wire::ProgressedT());
  std::ofstream(file("frame"), std::ios::binary) << encode(frame);
  ssh_does(std::string(kGreets) + "while cat " + file("frame") + "; do sleep 0.05; done");
  auto far = connect_by_ssh(route(), {milliseconds(2'000), {}, {}, true});
  ASSERT_TRUE(far.has_value()) << far.error().message;
  const auto answer = far->client.ask(request_of(wire::ControlT()));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, "daemon_silent");
}

TEST_F(SshClientTest, GarbageAfterTheGreetingIsRefused) {
  for (const char* script :
       {"exec cat /dev/zero", "exec yes", "printf '\\377\\377\\377\\177'; exec sleep 1000"}) {
    ssh_does(std::string(kGreets) + script);
    auto far = connect();
    ASSERT_TRUE(far.has_value()) << far.error().message;
    const auto answer = far->client.ask(request_of(wire::ControlT()));
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().code, "bad_frame") << script;
    EXPECT_EQ(answer.error().kind, ErrorKind::trouble);
    EXPECT_THAT(answer.error().message, HasSubstr("machine build2"));
  }
}

TEST_F(SshClientTest, CommandGetsItsInputAndKeepsItsExitCode) {
  std::ofstream(file("input")) << "all of it";
  const Descriptor input(::open(file("input").c_str(), O_RDONLY | O_CLOEXEC));
  ssh_does("cat; echo; echo done >&2; exit 7");
  const auto run = run_by_ssh(route(), "true", input.get(), {kPatient, -1});
  ASSERT_TRUE(run.has_value()) << run.error().message;
  EXPECT_EQ(run->code, 7);
  EXPECT_EQ(run->said, "all of it\ndone\n");
}

TEST_F(SshClientTest, CommandThatReachesALimitIsLeft) {
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ssh_does("echo begun; exec sleep 1000");
  const auto slow = run_by_ssh(route(), "true", input.get(), {milliseconds(300), -1});
  ASSERT_FALSE(slow.has_value());
  EXPECT_EQ(slow.error().code, "machine_slow");
  EXPECT_EQ(slow.error().message, "machine build2: it has not ended after 0.3s");
  EXPECT_TRUE(wait_until([this] { return !is_alive(); })) << "its ssh ends, too";
  int stop[2];
  ASSERT_EQ(::pipe2(stop, O_CLOEXEC), 0);
  const Descriptor stops(stop[0]);
  ::close(stop[1]);
  const auto stopped = run_by_ssh(route(), "true", input.get(), {milliseconds(0), stops.get()});
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, "interrupted");
}

TEST_F(SshClientTest, OtherProtocolIsNamed) {
  wire::ServerFrameT frame;
  wire::WelcomeT welcome;
  welcome.protocol = kProtocolVersion + 1;
  welcome.version = "99";
  frame.reply.Set(std::move(welcome));
  std::ofstream(file("frame"), std::ios::binary) << encode(frame);
  ssh_does(std::string(kGreets) + "cat " + file("frame") + "; exec cat > " + file("sent"));
  auto far = connect();
  ASSERT_TRUE(far.has_value()) << far.error().message;
  const auto answer = far->client.ask(request_of(wire::ControlT()));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, "client_too_old");
  EXPECT_THAT(answer.error().message, HasSubstr("machine build2"));
  EXPECT_THAT(answer.error().hint, HasSubstr("same version"));
}

}  // namespace
}  // namespace luzia
