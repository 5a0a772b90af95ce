// Webhooks over TLS, against openssl s_server with certificates made by the test. A server that cannot prove
// its name receives nothing.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/notify/delivery.h"
#include "tests/adapters/notify/http_server.h"
#include "tests/paths.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;

/// A running openssl whose standard streams the test reads and writes.
class OpenSsl {
 public:
  explicit OpenSsl(std::vector<std::string> words) {
    words.insert(words.begin(), "openssl");
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::posix_spawnp(&pid_, "openssl", &files, nullptr, argv.data(), environ) != 0) pid_ = -1;
    posix_spawn_file_actions_destroy(&files);
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
  }
  ~OpenSsl() {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    ::close(in_);
    ::close(out_);
  }
  OpenSsl(const OpenSsl&) = delete;
  OpenSsl& operator=(const OpenSsl&) = delete;

  /// Reads until `text` appears. False if the output ends or a generous time has passed.
  bool prints(const std::string& text) {
    while (printed_.find(text) == std::string::npos) {
      pollfd look{out_, POLLIN, 0};
      char bytes[4096];
      if (::poll(&look, 1, 60'000) <= 0) return false;
      const ssize_t size = ::read(out_, bytes, sizeof bytes);
      if (size <= 0) return false;
      printed_.append(bytes, static_cast<std::size_t>(size));
    }
    return true;
  }
  void type(const std::string& text) const { (void)!::write(in_, text.data(), text.size()); }
  const std::string& printed() const { return printed_; }

 private:
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  std::string printed_;
};

class WebhookTls : public ScratchTest {
 protected:
  WebhookTls() { ::signal(SIGPIPE, SIG_IGN); }

  void certify(const std::string& name) const {
    OpenSsl maker({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                   "-keyout", path("key"), "-out", path("certificate"), "-days", "2", "-subj",
                   "/CN=luzia-test", "-addext", "subjectAltName=" + name});
    maker.prints("never: it ends");
    ASSERT_TRUE(fs::exists(path("certificate")));
  }
  /// Posts to a server with the certificate; `trusted`: the certificate counts as its own authority.
  HookTry post_to(OpenSsl& server, bool trusted) const {
    HookTry none;
    none.detail = "openssl s_server does not start";
    if (!server.prints("ACCEPT 127.0.0.1:") || !server.prints("\n")) return none;
    const std::size_t at = server.printed().find("ACCEPT ") + 7;
    Webhook hook;
    hook.url = "https://" + server.printed().substr(at, server.printed().find('\n', at) - at) + "/in";
    hook.timeout_ms = 60'000;
    hook.poster.runner = build_path("tools/luzia-run/luzia-run");
    hook.poster.command = {build_path("tools/luzia-post/luzia-post")};
    if (trusted) hook.poster.environment = {"SSL_CERT_FILE=" + path("certificate")};
    Notice notice;
    notice.json = "{\"position\":42}";
    return send_webhook(hook, notice, {}).result;
  }
  std::vector<std::string> server_words() const {
    return {"s_server", "-accept", "127.0.0.1:0", "-cert", path("certificate"), "-key", path("key")};
  }
};

TEST_F(WebhookTls, TrustedCertificateIsAcceptedForItsName) {
  certify("IP:127.0.0.1");
  OpenSsl server(server_words());
  server.type(kOkAnswer);  // sent as soon as a client has connected
  const HookTry told = post_to(server, true);
  EXPECT_TRUE(told.delivered) << told.detail;
  EXPECT_TRUE(server.prints("{\"position\":42}"));
}

TEST_F(WebhookTls, UntrustedCertificateIsRefusedBeforeSending) {
  certify("IP:127.0.0.1");
  OpenSsl server(server_words());
  const HookTry told = post_to(server, false);
  EXPECT_FALSE(told.delivered);
  EXPECT_THAT(told.detail, HasSubstr("certificate"));
  EXPECT_THAT(server.printed(), Not(HasSubstr("position")));
}

TEST_F(WebhookTls, CertificateOfAnotherNameIsRefused) {
  certify("DNS:chat.example");
  OpenSsl server(server_words());
  const HookTry told = post_to(server, true);
  EXPECT_FALSE(told.delivered);
  EXPECT_THAT(told.detail, HasSubstr("127.0.0.1"));
  EXPECT_THAT(server.printed(), Not(HasSubstr("position")));
}

}  // namespace
}  // namespace luzia
