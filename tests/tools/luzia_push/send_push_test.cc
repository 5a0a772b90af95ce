// Where pushes go, against a local server: not into this network, unless the configuration names the service.
#include "adapters/notify/post_request.h"
#include "adapters/web_push/vapid_key.h"
#include "engine/base/base64url.h"
#include "tests/adapters/job_dir/scratch.h"
#include "tests/adapters/notify/http_server.h"
#include "tests/matchers.h"
#include "tools/luzia-post/post.h"
#include "tools/luzia-push/push.h"

namespace luzia {
namespace {

std::string answer_of(const std::string& status, const std::string& more = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n" + more + "\r\n";
}

class SendPush : public ScratchTest {
 protected:
  PushOrder order_to(const HttpServer& server, bool own_service = true) {
    EXPECT_TRUE(vapid_key(path(".")));
    PushOrder order;
    order.store = path(".");
    order.endpoint = server.url("/s3cret");
    order.key = base64url(public_point(new_key_pair()));
    order.auth = base64url(std::string(16, 'a'));
    order.contact = "https://luzia.example";
    order.timeout_ms = 60'000;
    order.own_service = own_service;
    order.keep_s = 60;
    order.urgency = "high";
    order.topic = "topic";
    return order;
  }
  static PushResult send(const PushOrder& order) { return send_push(order, "{}", 1'700'000'000 * kSecondUs); }
};

TEST_F(SendPush, TheRequestIsWhatTheStandardsSay) {
  const HttpServer server(answer_of("201 Created"));
  const PushResult result = send(order_to(server));
  EXPECT_EQ(result.code, post_request::kDelivered) << result.said;
  ASSERT_EQ(server.requests().size(), 1U);
  const std::string request = server.requests().front();
  EXPECT_THAT(request, HasSubstr("POST /s3cret HTTP/1.1\r\n"));
  for (const char* header : {"Authorization: vapid t=", "Content-Encoding: aes128gcm\r\n", "TTL: 60\r\n",
                             "Urgency: high\r\n", "Topic: topic\r\n"})
    EXPECT_THAT(request, HasSubstr(header));
  EXPECT_THAT(request, Not(HasSubstr("Expect:")));
}

TEST_F(SendPush, NoRequestReachesThisMachineUnlessTheServiceIsNamed) {
  const HttpServer server(answer_of("201 Created"));
  const PushResult result = send(order_to(server, false));
  EXPECT_EQ(result.code, post_request::kNever);
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(SendPush, NoPrivateAddressIsConnectedTo) {
  const HttpServer server(answer_of("201 Created"));
  PostRequest request;
  request.url = server.url("/");
  request.timeout_ms = 60'000;
  request.public_only = true;
  const PostResult result = post(request);
  EXPECT_EQ(result.code, post_request::kNever);
  EXPECT_EQ(result.detail, "the name leads to an address that is not public");
  EXPECT_THAT(server.requests(), IsEmpty());
  request.public_only = false;
  EXPECT_EQ(post(request).code, post_request::kDelivered);
}

TEST_F(SendPush, TheAnswerOfTheServiceDecides) {
  struct Row {
    std::string answer;
    int code;
    std::string said;
  };
  const Row kRows[] = {
      {answer_of("410 Gone"), post_request::kNever, "HTTP status 410\ngone 410\n"},
      {answer_of("404 Not Found"), post_request::kNever, "HTTP status 404\ngone 404\n"},
      {answer_of("429 Too Many Requests", "Retry-After: 7\r\n"), post_request::kTryAgain,
       "HTTP status 429\nretry_after 7\n"},
      {answer_of("503 Service Unavailable"), post_request::kTryAgain, "HTTP status 503\n"},
      {answer_of("413 Content Too Large"), post_request::kNever, "HTTP status 413\n"},
  };
  for (const Row& row : kRows) {
    const HttpServer server(row.answer);
    const PushResult result = send(order_to(server));
    EXPECT_EQ(result.code, row.code) << row.answer;
    EXPECT_EQ(result.said, row.said);
  }
}

TEST_F(SendPush, ARedirectIsNotFollowed) {
  const HttpServer inside(answer_of("201 Created"));
  const HttpServer server(answer_of("307 Temporary Redirect", "Location: " + inside.url("/") + "\r\n"));
  EXPECT_EQ(send(order_to(server)).code, post_request::kNever);
  EXPECT_THAT(inside.requests(), IsEmpty());
}

TEST_F(SendPush, TroubleIsSaidWithoutTheEndpoint) {
  const HttpServer server(answer_of("201 Created"));
  PushOrder order = order_to(server);
  order.key = "AAAA";
  EXPECT_THAT(send(order).said, HasSubstr("not a point of the curve"));
  order = order_to(server);
  fs::remove(path("push.key"));
  const PushResult result = send(order);
  EXPECT_EQ(result.code, post_request::kNever);
  EXPECT_THAT(result.said, HasSubstr("push.key"));
  EXPECT_THAT(result.said, Not(HasSubstr("s3cret")));
  EXPECT_THAT(server.requests(), IsEmpty());
}

}  // namespace
}  // namespace luzia
