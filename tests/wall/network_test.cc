// What a sandbox with a list of hosts reaches: those hosts through its proxy, and nothing else; and that the
// log knows of both.
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/e2e/daemon_fixture.h"
#include "tests/hello_server.h"
#include "tests/paths.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

const std::string kWaysOut = build_path("tests/wall/escapes");

class NetworkTest : public DaemonTest {
 protected:
  void allow(const std::string& hosts, const std::string& sandbox = "project") {
    configure("[agents.shell]\nsandbox_read = [\"" + kWaysOut + "\", \"" + kLuzia + "\"]\nsandbox = \"" +
              sandbox + "\"\nsandbox_network = [" + hosts + "]\n");
  }
  std::string server_words() const { return "\"127.0.0.1:" + server_.port() + "\""; }
  std::string output(const std::string& job) const { return read_text(job_dir(job) + "/output.log"); }
  std::string why(const std::string& job) const { return luzia({"why", job}).out; }
  /// Pids of proxies of this test, which name its server.
  std::vector<pid_t> proxies() const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string command = read_text(entry.path().string() + "/cmdline");
      const bool is_proxy = command.substr(0, command.find('\0')).ends_with("luzia-proxy");
      if (is_proxy && command.find("127.0.0.1:" + server_.port()) != std::string::npos)
        found.push_back(static_cast<pid_t>(std::stol(entry.path().filename())));
    }
    return found;
  }

  HelloServer server_;
};

TEST_F(NetworkTest, ListedHostIsReachedAndCounted) {
  for (const char* sandbox : {"project", "strict"}) {
    allow(server_words(), sandbox);
    (void)luzia({"config", "reload"});
    const std::string id =
        dispatch("curl -sS " + server_.url() + " && curl -sS --proxytunnel " + server_.url());
    EXPECT_EQ(ended(id)["state"], "completed") << output(id);
    EXPECT_THAT(output(id), HasSubstr("hello\nhello\n")) << sandbox;
    EXPECT_THAT(why(id), HasSubstr("connected to 127.0.0.1:" + server_.port() + ", 2 times"));
    const auto facts = events_of(id, "HostsContacted");
    ASSERT_FALSE(facts.empty());
    EXPECT_TRUE(facts.back().dump().find("\"total\":true") != std::string::npos) << facts.back().dump();
    EXPECT_TRUE(proxies().empty()) << "the proxy ends with its attempt";
  }
}

TEST_F(NetworkTest, HostThatIsNotListedIsRefusedAndTold) {
  allow(server_words());
  const std::string id = dispatch(
      "curl -sS -o body -w '%{http_code}' http://evil.example/ > code; curl -sS https://evil.example/; cat "
      "body; "
      "while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(wait_until([&] { return !events_of(id, "HostsContacted").empty(); })) << "told while it runs";
  write_text(project() + "/go", "");
  ended(id);
  EXPECT_EQ(read_text(project() + "/code"), "403");
  EXPECT_THAT(output(id), HasSubstr("luzia: evil.example:80 is not in sandbox_network"));
  EXPECT_THAT(why(id), HasSubstr("refused: evil.example:80 is not in sandbox_network"));
  EXPECT_THAT(why(id), HasSubstr("refused: evil.example:443 is not in sandbox_network, 1 time"));
}

TEST_F(NetworkTest, ListedNameDoesNotLeadIntoThePrivateNetwork) {
  const std::string name = "\"localhost:" + server_.port() + "\"";
  const std::string task = "curl -sS http://localhost:" + server_.port() + "/";
  allow(name);
  const std::string refused = dispatch(task);
  ended(refused);
  EXPECT_THAT(output(refused), HasSubstr("is an address of this machine or of a private network"));
  EXPECT_THAT(output(refused), Not(HasSubstr("hello")));
  EXPECT_THAT(why(refused),
              HasSubstr("refused: localhost:" + server_.port() + " has an address of this machine"));
  allow(name + ", " + server_words());
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  const std::string reached = dispatch(task);
  ended(reached);
  EXPECT_THAT(output(reached), HasSubstr("hello\n")) << "the list names that address too";
}

TEST_F(NetworkTest, ProxyHasNoPrivileges) {
  allow(server_words());
  const std::string id = dispatch("touch ready; while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/ready"); }));
  ASSERT_EQ(proxies().size(), 1U);
  const std::string status = read_text("/proc/" + std::to_string(proxies().front()) + "/status");
  write_text(project() + "/go", "");
  ended(id);
  std::vector<std::string> sets = {"CapInh", "CapPrm", "CapEff", "CapAmb"};
  if (::geteuid() == 0)
    sets.emplace_back("CapBnd");  // only root has the right to drop it, and something in it
  for (const std::string& set : sets) EXPECT_THAT(status, HasSubstr(set + ":\t0000000000000000\n"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1\n"));
}

TEST_F(NetworkTest, WithoutTheProxyThereIsNoNetwork) {
  allow(server_words());
  const std::string id = dispatch("grep -c : /proc/net/dev; curl -sS --noproxy '*' " + server_.url() + "; " +
                                  kWaysOut + " port " + server_.port());
  EXPECT_EQ(ended(id)["exit_code"], 1) << output(id);
  EXPECT_THAT(output(id), testing::StartsWith("1\n")) << "only a loopback";
  EXPECT_THAT(output(id), HasSubstr("held\n"));
  EXPECT_THAT(output(id), Not(HasSubstr("hello")));
}

TEST_F(NetworkTest, ProxyIsOutOfReachOfItsAgentAndOfOthers) {
  allow(server_words());
  const std::string id =
      dispatch("while [ ! -e go ]; do sleep 0.05; done; " + kWaysOut + " kill; " + kWaysOut + " trace; " +
               kWaysOut + " runner-files; curl -sS " + server_.url());
  ASSERT_TRUE(wait_until([&] { return proxies().size() == 1; }));
  const std::string other = dispatch(kWaysOut + " port 3128", {"--sandbox", "off"});
  EXPECT_EQ(ended(other)["exit_code"], 1) << "its port is in its own sandbox alone: " << output(other);
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed") << output(id);
  EXPECT_THAT(output(id), HasSubstr("held\nheld\nheld\nhello\n"));
}

TEST_F(NetworkTest, AttemptGoesOnWithoutItsProxy) {
  allow(server_words());
  const std::string id = dispatch("curl -sS " + server_.url() +
                                  "; touch ready; while [ ! -e go ]; do sleep 0.05; "
                                  "done; curl -sS " +
                                  server_.url() + "; echo code $?");
  ASSERT_TRUE(wait_until([&] { return fs::exists(project() + "/ready"); }));
  ASSERT_EQ(proxies().size(), 1U);
  ::kill(proxies().front(), SIGKILL);
  ASSERT_TRUE(wait_until([&] { return proxies().empty(); }));
  write_text(project() + "/go", "");
  EXPECT_EQ(ended(id)["state"], "completed");
  EXPECT_THAT(output(id), HasSubstr("hello\n"));
  EXPECT_THAT(output(id), Not(HasSubstr("code 0")));
  EXPECT_THAT(why(id), HasSubstr("connected to 127.0.0.1:" + server_.port() + ", 1 time"))
      << "its counts stay";
}

TEST_F(NetworkTest, ProxyEndsWithAKilledRunner) {
  allow(server_words());
  const std::string id = dispatch("sleep 86397");
  ASSERT_TRUE(wait_until([&] { return proxies().size() == 1; }));
  ASSERT_TRUE(becomes(id, "running"));
  ::kill(events_of(id, "AttemptStarted").at(0)["data"]["runner_pid"].get<pid_t>(), SIGKILL);
  EXPECT_TRUE(wait_until([&] { return proxies().empty(); }));
  ended(id);
}

TEST_F(NetworkTest, EveryoneMayAskForLessAndNoAgentForMore) {
  allow("\"example.org\", \"*.example.org:8443\"");
  start_daemon();
  EXPECT_THAT(luzia({"demo", "true", "--dry-run"}).out,
              HasSubstr("network: example.org, *.example.org:8443"));
  const std::string id =
      dispatch(kLuzia + " demo true --sandbox project --network all > wider 2>&1; echo $? > code; " + kLuzia +
                   " demo true --sandbox project --network other.example > other 2>&1; " + kLuzia +
                   " demo true --sandbox project --network a.example.org:8443 --dry-run > less 2>&1; " +
                   kLuzia + " demo true --sandbox project --network none --dry-run > none 2>&1",
               {"--sandbox", "off"});
  ended(id);
  EXPECT_EQ(read_text(project() + "/code"), "4\n");
  EXPECT_THAT(read_text(project() + "/wider"), HasSubstr("not 'all'"));
  EXPECT_THAT(read_text(project() + "/other"), HasSubstr("not 'other.example'"));
  EXPECT_THAT(read_text(project() + "/less"), HasSubstr("network: a.example.org:8443"));
  EXPECT_THAT(read_text(project() + "/none"), HasSubstr("network: none"));
  EXPECT_THAT(luzia({"demo", "true", "--network", "other.example", "--dry-run"}).out,
              HasSubstr("network: other.example"))
      << "the daemon's user may give more";
}

TEST_F(NetworkTest, HostsNeedASandboxAndMustBeHosts) {
  start_daemon();
  expect_refused({"demo", "true", "--network", "example.org"}, 2, "nothing keeps the job to the network");
  expect_refused({"demo", "true", "--sandbox", "project", "--network", "https://example.org/"}, 2,
                 "'https://example.org/' is no host");
  configure("[agents.shell]\nsandbox_network = [\"example.org\"]\n");
  ASSERT_EQ(luzia({"config", "reload"}).code, 0);
  expect_refused({"demo", "true"}, 2, "but its sandbox is off");
  configure("[agents.shell]\nsandbox_network = [\"*\"]\n");
  const Finished checked = luzia({"config", "check"});
  EXPECT_NE(checked.code, 0);
  EXPECT_THAT(checked.err + checked.out, HasSubstr("sandbox_network: '*' is no host"));
}

}  // namespace
}  // namespace luzia
