// Webhooks, against a local server.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/notify/delivery.h"
#include "tests/adapters/notify/http_server.h"
#include "tests/matchers.h"
#include "tests/paths.h"
#include "tests/wait_until.h"

namespace luzia {
namespace {

Notice notice_of_failure() {
  Notice notice;
  notice.position = 42;
  notice.site = "here";
  notice.event = "job_failed";
  notice.json = "{\"position\":42}";
  notice.text = "web: job k1: <failed> & gone";
  notice.severity = schema::Severity::error;
  return notice;
}

Webhook hook(const std::string& url, WebhookFormat format = WebhookFormat::json) {
  Webhook hook;
  hook.url = url;
  hook.format = format;
  hook.timeout_ms = 60'000;
  hook.poster.runner = build_path("tools/luzia-run/luzia-run");
  hook.poster.command = {build_path("tools/luzia-post/luzia-post")};
  return hook;
}

HookTry send(const Webhook& hook) {
  return send_webhook(hook, notice_of_failure(), {}).result;
}

std::string answer(const std::string& status, const std::string& more = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n" + more + "\r\n";
}

std::string body(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

class Webhooks : public testing::Test {
 protected:
  Webhooks() {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);  // as luziad does
  }
  ~Webhooks() override { ::signal(SIGCHLD, SIG_DFL); }
};

TEST_F(Webhooks, RetriesKeepTheEventsId) {
  HttpServer server(kOkAnswer);
  Webhook to = hook(server.url("/in?x=1"));
  to.headers = {{"Authorization", "Bearer t0ken"}, {"X-Empty", ""}};
  for (int i = 0; i < 2; ++i) {
    const HookTry told = send(to);
    EXPECT_TRUE(told.delivered) << told.detail;
  }
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0], requests[1]);
  EXPECT_THAT(requests[0], testing::StartsWith("POST /in?x=1 HTTP/1.1\r\n"));
  for (const char* header :
       {"Content-Type: application/json\r\n", "Idempotency-Key: here:42\r\n", "Luzia-Position: 42\r\n",
        "Luzia-Event: job_failed\r\n", "Authorization: Bearer t0ken\r\n", "X-Empty:\r\n"}) {
    EXPECT_THAT(requests[0], HasSubstr(header));
  }
  EXPECT_EQ(body(requests[0]), "{\"position\":42}");
}

TEST_F(Webhooks, SlackTextIsNoMarkup) {
  const auto message = webhook_message(hook("http://x", WebhookFormat::slack), notice_of_failure());
  const auto json = nlohmann::json::parse(message.body);
  EXPECT_THAT(json["text"].get<std::string>(),
              HasSubstr("*job_failed* web: job k1: &lt;failed&gt; &amp; gone"));
}

TEST_F(Webhooks, NtfyGetsTextAndATitle) {
  HttpServer server(kOkAnswer);
  EXPECT_TRUE(send(hook(server.url("/topic"), WebhookFormat::ntfy)).delivered);
  ASSERT_EQ(server.requests().size(), 1u);
  const std::string request = server.requests()[0];
  EXPECT_THAT(request, HasSubstr("Title: luzia job_failed\r\n"));
  EXPECT_THAT(request, HasSubstr("Priority: 4\r\n"));
  EXPECT_EQ(body(request), notice_of_failure().text);
}

TEST_F(Webhooks, OnlyTemporaryErrorsAreRetried) {
  for (const char* status : {"500 No", "503 Later", "429 Slower", "408 Late"}) {
    HttpServer server(answer(status));
    const HookTry told = send(hook(server.url()));
    EXPECT_FALSE(told.delivered) << status;
    EXPECT_FALSE(told.final) << status;
    EXPECT_THAT(told.detail, HasSubstr(std::string("HTTP status ").append(status, 3)));
  }
  for (const char* status : {"400 Bad", "401 Who", "404 Nothing", "410 Gone"}) {
    HttpServer server(answer(status));
    const HookTry told = send(hook(server.url()));
    EXPECT_FALSE(told.delivered) << status;
    EXPECT_TRUE(told.final) << status;
  }
}

TEST_F(Webhooks, RedirectIsNotFollowed) {
  HttpServer elsewhere(kOkAnswer);
  HttpServer server(answer("302 There", "Location: " + elsewhere.url() + "\r\n"));
  const HookTry told = send(hook(server.url()));
  EXPECT_FALSE(told.delivered);
  EXPECT_TRUE(told.final);
  EXPECT_THAT(told.detail, HasSubstr("redirects are not followed"));
  EXPECT_TRUE(elsewhere.requests().empty());
}

TEST_F(Webhooks, UnreachableServerIsRetriedWithoutNamingTheAddress) {
  int port = 0;
  {
    const HttpServer gone(kOkAnswer);
    port = gone.port();
  }
  const HookTry told = send(hook("http://127.0.0.1:" + std::to_string(port) + "/s3cret/path"));
  EXPECT_FALSE(told.delivered);
  EXPECT_FALSE(told.final);
  EXPECT_NE(told.detail, "");
  EXPECT_THAT(told.detail, Not(HasSubstr("s3cret")));
}

TEST_F(Webhooks, OtherSchemesAreRefused) {
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"}) {
    const HookTry told = send(hook(url));
    EXPECT_FALSE(told.delivered) << url;
    EXPECT_TRUE(told.final) << url;
  }
}

TEST_F(Webhooks, NothingIsSentBeforeTheServerIsVerified) {
  HttpServer server(kOkAnswer);  // speaks no TLS
  Webhook to = hook("https://127.0.0.1:" + std::to_string(server.port()));
  to.timeout_ms = 300;
  EXPECT_FALSE(send(to).delivered);
  for (const std::string& request : server.requests()) EXPECT_THAT(request, Not(HasSubstr("position")));
}

TEST_F(Webhooks, SilentServerTimesOut) {
  HttpServer server("");
  Webhook to = hook(server.url());
  to.timeout_ms = 200;
  const HookTry told = send(to);
  EXPECT_FALSE(told.delivered);
  EXPECT_FALSE(told.final);
}

TEST_F(Webhooks, EndlessAnswerIsCutOff) {
  HttpServer server("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + std::string(4 << 20, 'x'));
  const Delivery told = send_webhook(hook(server.url()), notice_of_failure(), {});
  EXPECT_TRUE(told.result.delivered) << told.result.detail;
  EXPECT_LE(told.output.size(), 1024u);
}

TEST_F(Webhooks, AddressAndTokenAreNoProcessArguments) {
  HttpServer server("");
  Webhook to = hook(server.url("/s3cret"));
  std::stop_source stop;
  std::jthread sender([&] { send_webhook(to, notice_of_failure(), stop.get_token()); });
  ASSERT_TRUE(wait_until([&] { return !server.requests().empty(); }));
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream line(entry.path() / "cmdline", std::ios::binary);
    all.append(std::istreambuf_iterator<char>(line), {});
  }
  stop.request_stop();
  EXPECT_THAT(all, HasSubstr("luzia-post"));
  EXPECT_THAT(all, Not(HasSubstr("/s3cret")));
}

TEST_F(Webhooks, StopInterruptsIt) {
  HttpServer server("");
  std::stop_source stop;
  std::jthread stopper([&] {
    wait_until([&] { return !server.requests().empty(); });
    stop.request_stop();
  });
  const HookTry told = send_webhook(hook(server.url()), notice_of_failure(), stop.get_token()).result;
  EXPECT_FALSE(told.delivered);
  EXPECT_THAT(told.detail, HasSubstr("broken off"));
}

}  // namespace
}  // namespace luzia
