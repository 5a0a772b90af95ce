// What the proxy of a sandbox understands of a request, and what it refuses.
#include "tools/luzia-proxy/head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace luzia {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string status_of(const std::string& head) {
  const auto request = parse_proxy_head(head);
  return request ? "accepted" : std::string(request.error().status).substr(0, 3);
}

TEST(ProxyHead, ConnectNamesATunnel) {
  const auto request = parse_proxy_head("CONNECT API.example.org:443 HTTP/1.1\r\nHost: other:1\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->is_tunnel);
  EXPECT_EQ(request->target, (HostPort{"api.example.org", 443, false}));
}

TEST(ProxyHead, GetIsSentToTheHostOfItsUrl) {
  const auto request = parse_proxy_head(
      "GET http://Example.org:8080/a?b HTTP/1.1\r\nHost: evil.example\r\nAccept: */*\r\n"
      "Proxy-Authorization: Basic c2VjcmV0\r\nConnection: keep-alive, X\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_FALSE(request->is_tunnel);
  EXPECT_EQ(request->target, (HostPort{"example.org", 8080, false}));
  EXPECT_EQ(request->head,
            "GET /a?b HTTP/1.1\r\nHost: example.org:8080\r\nAccept: */*\r\nConnection: close\r\n\r\n");
}

TEST(ProxyHead, UrlWithoutPathAsksForTheRoot) {
  EXPECT_THAT(parse_proxy_head("GET http://a.org HTTP/1.1\r\n\r\n")->head, HasSubstr("GET / HTTP/1.1\r\n"));
  EXPECT_THAT(parse_proxy_head("HEAD http://a.org?x HTTP/1.0\r\n\r\n")->head,
              HasSubstr("HEAD /?x HTTP/1.0\r\nHost: a.org\r\n"));
  EXPECT_THAT(parse_proxy_head("GET http://[2001:db8::1]/ HTTP/1.1\r\n\r\n")->head,
              HasSubstr("Host: [2001:db8::1]\r\n"));
}

TEST(ProxyHead, OtherMethodsAreRefused) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"})
    EXPECT_EQ(status_of(std::string(method) + " http://a.org/ HTTP/1.1\r\n\r\n"), "405") << method;
}

TEST(ProxyHead, AmbiguousRequestsAreRefused) {
  for (const char* head : {"\r\n\r\n",
                           "GET\r\n\r\n",
                           "CONNECT a.org HTTP/1.1\r\n\r\n",
                           "CONNECT a.org:443\r\n\r\n",
                           "CONNECT a.org:443 HTTP/2.0\r\n\r\n",
                           "CONNECT a.org:443 b.org:443 HTTP/1.1\r\n\r\n",
                           "CONNECT  a.org:443 HTTP/1.1\r\n\r\n",
                           "CONNECT\ta.org:443 HTTP/1.1\r\n\r\n",
                           "CONNECT http://a.org:443 HTTP/1.1\r\n\r\n",
                           "CONNECT user@a.org:443 HTTP/1.1\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: a.org\r\n\r\n",
                           "GET https://a.org/ HTTP/1.1\r\n\r\n",
                           "GET http://user:pass@a.org/ HTTP/1.1\r\n\r\n",
                           "GET http:///x HTTP/1.1\r\n\r\n",
                           "GET http://a.org/#x HTTP/1.1\r\n\r\n",
                           "GET http://a.org\\@b.org/ HTTP/1.1\r\n\r\n",
                           "GET http://a.org/ HTTP/1.1\r\n folded: x\r\n\r\n",
                           "GET http://a.org/ HTTP/1.1\r\nno colon\r\n\r\n",
                           "GET http://a.org/ HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
                           "GET http://a.org/ HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n",
                           "GET http://a.org/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
                           "GET http://a.org/ HTTP/1.1\nHost: a.org\r\n\r\n",
                           "GET http://a.org/\r HTTP/1.1\r\n\r\n"})
    EXPECT_EQ(status_of(head), "400") << head;
  EXPECT_EQ(status_of(std::string("CONNECT a.org\0.b.org:443 HTTP/1.1\r\n\r\n", 37)), "400");
}

TEST(ProxyHead, NothingForTheProxyGoesOn) {
  const auto request =
      parse_proxy_head("GET http://a.org/ HTTP/1.1\r\nPROXY-Connection: x\r\nUpgrade: h2c\r\n\r\n");
  ASSERT_TRUE(request);
  EXPECT_THAT(request->head, Not(HasSubstr("PROXY")));
  EXPECT_THAT(request->head, Not(HasSubstr("Upgrade")));
}

TEST(ProxyHead, HeadEndsWithAnEmptyLine) {
  EXPECT_EQ(head_size("CONNECT a:1 HTTP/1.1\r\n"), 0U);
  EXPECT_EQ(head_size("GET\r\n\r\nrest"), 7U);
}

}  // namespace
}  // namespace luzia
