// The proxy as a process, with clients as a hostile agent could be.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "adapters/launcher/launcher.h"
#include "adapters/launcher/run_record.h"
#include "tests/hello_server.h"
#include "tests/paths.h"

namespace luzia {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ProxyProcess : public testing::Test {
 protected:
  ProxyProcess() {
    char name[] = "/tmp/luzia-proxy-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~ProxyProcess() override {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }

  void start(std::vector<std::string> rules) {
    const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address_), size), 0);
    ASSERT_EQ(::listen(listener.get(), 16), 0);
    ASSERT_EQ(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address_), &size), 0);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    talk_.reset(ends[0]);
    const Descriptor other(ends[1]);
    const Descriptor record(::open((folder_ + "/j1.1.hosts").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    rules.insert(rules.begin(), build_path("tools/luzia-proxy/luzia-proxy"));
    std::vector<char*> argv;
    for (std::string& word : rules) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) run_proxy(listener.get(), other.get(), record.get(), argv.data());
    pollfd waiting{talk_.get(), POLLIN, 0};
    char ready = 0;
    ASSERT_EQ(::poll(&waiting, 1, 10'000), 1);
    ASSERT_EQ(::read(talk_.get(), &ready, 1), 1);
    ASSERT_EQ(ready, run_record::kProxyReady);
  }
  /// All that the proxy sends before it closes the connection.
  std::string ask(const std::string& request, bool half_closes = false) const {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_), 0);
    EXPECT_EQ(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    if (half_closes) ::shutdown(client.get(), SHUT_WR);
    std::string answer;
    for (pollfd waiting{client.get(), POLLIN, 0}; ::poll(&waiting, 1, 10'000) == 1;) {
      char bytes[4096];
      const ssize_t size = ::read(client.get(), bytes, sizeof bytes);
      if (size <= 0) return answer;
      answer.append(bytes, static_cast<std::size_t>(size));
    }
    return answer + " and then nothing for 10 s";
  }
  std::string server() const { return "127.0.0.1:" + server_.port(); }

  HelloServer server_;
  std::string folder_;
  Descriptor talk_;
  pid_t pid_ = -1;

 private:
  [[noreturn]] static void run_proxy(int listener, int talk, int record, char** argv) {
    constexpr int kAbove = 64;
    const int from[] = {::fcntl(listener, F_DUPFD_CLOEXEC, kAbove), ::fcntl(talk, F_DUPFD_CLOEXEC, kAbove),
                        ::fcntl(record, F_DUPFD_CLOEXEC, kAbove)};
    for (int i = 0; i < 3; ++i) ::dup2(from[i], run_record::kProxyListener + i);
    ::execv(argv[0], argv);
    ::_exit(127);
  }

  sockaddr_in address_{};
};

TEST_F(ProxyProcess, TunnelPassesBytesThatCameWithTheRequest) {
  start({server()});
  const std::string answer = ask("CONNECT " + server() + " HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, EndsWith("hello\n"));
}

TEST_F(ProxyProcess, ClientThatHasSaidAllStillGetsItsAnswer) {
  start({server()});
  const std::string get = "GET http://" + server() + "/ HTTP/1.1\r\n\r\n";
  EXPECT_THAT(ask(get, true), EndsWith("hello\n"));
  EXPECT_THAT(ask("CONNECT " + server() + " HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", true),
              EndsWith("hello\n"));
  EXPECT_THAT(ask(get + get), EndsWith("hello\n")) << "what follows a GET goes nowhere";
}

TEST_F(ProxyProcess, HostileRequestsAreAnswered) {
  start({"example.org", "localhost:" + server_.port()});
  EXPECT_THAT(ask("CONNECT evil.example:443 HTTP/1.1\r\n\r\n"), HasSubstr("evil.example:443 is not in"));
  EXPECT_THAT(ask("CONNECT " + server() + " HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("CONNECT localhost:" + server_.port() + " HTTP/1.1\r\n\r\n"),
              HasSubstr("an address of this machine"));
  EXPECT_THAT(ask("POST http://example.org/ HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(ask("\x16\x03\x01\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET http://example.org/ HTTP/1.1\r\nA: " + std::string(17'000, 'a')),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_EQ(ask("CONNECT example.org:443 HTTP/1.1\r\n", true), "") << "a request that is not whole";
  EXPECT_EQ(ask("", true), "");
  EXPECT_EQ(read_hosts(folder_, "j1", 1).hosts.size(), 4U);
}

TEST_F(ProxyProcess, ManyClientsAtATimeAreServed) {
  start({server()});
  std::vector<std::thread> clients;
  std::atomic<int> served = 0;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&] {
      for (int j = 0; j < 5; ++j) {
        const std::string answer = ask("GET http://" + server() + "/ HTTP/1.1\r\n\r\n");
        served += answer.ends_with("hello\n") ? 1 : 0;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(served, 100);
}

TEST_F(ProxyProcess, EndsWithItsRunnerAndLeavesItsCounts) {
  start({server()});
  const std::string answer = ask("GET http://" + server() + "/ HTTP/1.1\r\n\r\n");
  talk_.reset();
  int status = -1;
  EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
  pid_ = -1;
  EXPECT_EQ(status, 0);
  const auto hosts = read_hosts(folder_, "j1", 1).hosts;
  ASSERT_EQ(hosts.size(), 1U);
  EXPECT_EQ(hosts.front().connections, 1U);
  EXPECT_GT(hosts.front().bytes, answer.size());
}

TEST_F(ProxyProcess, HostThatDoesNotAnswerIsNamed) {
  start({"127.0.0.1:1", "[::1]:1"});
  EXPECT_THAT(ask("CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n"), HasSubstr("cannot connect to 127.0.0.1:1"));
  EXPECT_THAT(ask("CONNECT [::1]:1 HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 502 "));
}

}  // namespace
}  // namespace luzia
