#include "tools/luzia-web/gate.h"

#include "tests/matchers.h"

namespace luzia::web {
namespace {

using Headers = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kPassed = "passed";

/// The code of the refusal, or "passed".
std::string code_of(const std::optional<Refusal>& refused) {
  return refused ? refused->error.code : std::string(kPassed);
}

Request request_with(std::string method, std::string path, Headers headers) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.headers = std::move(headers);
  return request;
}

std::string at_gate(const Headers& headers, const std::string& method = "GET",
                    const std::string& path = "/v1/jobs", const GatePolicy& policy = {}) {
  return code_of(refused_at_gate(policy, request_with(method, path, headers)));
}

Headers own_host(Headers more = {}) {
  more.emplace("host", "localhost:8737");
  return more;
}

TEST(Gate, OnlyKnownNamesAndAddressesAreHosts) {
  GatePolicy policy;
  policy.hosts = {"luzia.example"};
  const auto host = [&](const std::string& value) {
    return at_gate({{"host", value}}, "GET", "/v1/jobs", policy);
  };
  for (const char* good : {"localhost", "localhost:8737", "LOCALHOST:9000", "127.0.0.1:8737", "192.168.1.2",
                           "[::1]:8737", "[fe80::1]", "luzia.example", "Luzia.Example:443"})
    EXPECT_EQ(host(good), kPassed) << good;
  for (const char* bad : {"", "attacker.example", "attacker.example:8737", "localhost.attacker.example",
                          "127.0.0.1.attacker.example", "127.0.0.1:8737@attacker.example", "luzia.example.",
                          "localhost:8737,attacker.example", "0x7f.1", "2130706433", "[::1", "[attacker]",
                          "localhost:", "localhost:0", "localhost:99999", "localhost:8737:1", "localhost/.a"})
    EXPECT_EQ(host(bad), "unknown_host") << bad;
  EXPECT_EQ(at_gate({}), "unknown_host");
}

TEST(Gate, OnlyItsOwnPageMaySendRequests) {
  const auto from = [](const std::string& origin) { return at_gate(own_host({{"origin", origin}})); };
  EXPECT_EQ(from("http://localhost:8737"), kPassed);
  for (const char* bad : {"null", "http://localhost:9999", "https://localhost:8737", "http://localhost",
                          "http://127.0.0.1:8737", "http://attacker.example", "file://", "localhost:8737",
                          "http://localhost:8737.attacker.example", "chrome-extension://abc"})
    EXPECT_EQ(from(bad), "cross_site") << bad;
}

TEST(Gate, OriginsHaveTheSchemeOfTheServer) {
  const Headers secure = own_host({{"origin", "https://localhost:8737"}});
  const Headers plain = own_host({{"origin", "http://localhost:8737"}});
  EXPECT_EQ(at_gate(secure, "GET", "/v1/jobs", {.tls = true}), kPassed);
  EXPECT_EQ(at_gate(plain, "GET", "/v1/jobs", {.tls = true}), "cross_site");
  EXPECT_EQ(at_gate(secure, "GET", "/v1/jobs", {.behind_proxy = true}), kPassed);
}

TEST(Gate, BrowsersSayWhichSiteAsks) {
  const auto site = [](const std::string& value, const std::string& method) {
    return at_gate(own_host({{"sec-fetch-site", value}, {"content-type", "application/json"}}), method);
  };
  EXPECT_EQ(site("same-origin", "GET"), kPassed);
  EXPECT_EQ(site("same-origin", "POST"), kPassed);
  EXPECT_EQ(site("none", "GET"), kPassed);
  EXPECT_EQ(site("none", "POST"), "cross_site");
  for (const char* bad : {"cross-site", "same-site", "other"}) {
    EXPECT_EQ(site(bad, "GET"), "cross_site") << bad;
    EXPECT_EQ(site(bad, "POST"), "cross_site") << bad;
  }
}

TEST(Gate, ALinkMayLeadToThePageButNotToTheApi) {
  const auto follow = [](const std::string& path, const std::string& mode, const std::string& dest) {
    return at_gate(
        own_host({{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", mode}, {"sec-fetch-dest", dest}}),
        "GET", path);
  };
  EXPECT_EQ(follow("/", "navigate", "document"), kPassed);
  EXPECT_EQ(follow("/", "navigate", "iframe"), "cross_site");
  EXPECT_EQ(follow("/app.js", "no-cors", "script"), "cross_site");
  EXPECT_EQ(follow("/v1/jobs", "navigate", "document"), "cross_site");
}

TEST(Gate, WritesAreJson) {
  const auto write = [](const std::string& type) {
    return at_gate(own_host({{"content-type", type}}), "POST");
  };
  EXPECT_EQ(write("application/json"), kPassed);
  EXPECT_EQ(write("Application/JSON; charset=utf-8"), kPassed);
  for (const char* bad : {"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                          "text/plain; application/json", "application/jsonp"})
    EXPECT_EQ(write(bad), "not_json") << bad;
}

TEST(Gate, OtherMethodsAreRefused) {
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "UNKNOWN"})
    EXPECT_EQ(at_gate(own_host(), method), "bad_method") << method;
}

TEST(Gate, AddressesHoldNoSecrets) {
  Request request = request_with("GET", "/v1/events", own_host());
  for (const char* name : {"token", "access_token", "Token", "code", "authorization"}) {
    request.query = {{"since", "1"}, {name, "x"}};
    EXPECT_EQ(code_of(refused_at_gate({}, request)), "secret_in_address") << name;
  }
  request.query = {{"since", "1"}};
  EXPECT_EQ(code_of(refused_at_gate({}, request)), kPassed);
}

TEST(Gate, BodiesHaveAKnownAndBoundedLength) {
  const auto length = [](const std::string& method, Headers headers) -> std::string {
    const auto found = body_length(request_with(method, "/v1/jobs", std::move(headers)));
    return found ? std::to_string(*found) : found.error().error.code;
  };
  EXPECT_EQ(length("GET", {}), "0");
  EXPECT_EQ(length("POST", {{"content-length", "0"}}), "0");
  EXPECT_EQ(length("POST", {{"content-length", "1048576"}}), "1048576");
  EXPECT_EQ(length("POST", {{"content-length", "1048577"}}), "body_too_long");
  EXPECT_EQ(length("POST", {{"content-length", "1073741824"}}), "body_too_long");
  EXPECT_EQ(length("POST", {{"content-length", "99999999999999999999999"}}), "length_required");
  for (const char* bad : {"-1", "+5", "5,5", "0x10", "5 ", "five"})
    EXPECT_EQ(length("POST", {{"content-length", bad}}), "length_required") << bad;
  EXPECT_EQ(length("POST", {}), "length_required");
  EXPECT_EQ(length("POST", {{"content-length", "5"}, {"transfer-encoding", "chunked"}}), "length_required");
  EXPECT_EQ(length("GET", {{"transfer-encoding", "chunked"}}), "length_required");
  EXPECT_EQ(length("GET", {{"content-length", "5"}}), "body_too_long");
}

std::string shown(Headers headers) {
  return token_in(request_with("GET", "/v1/jobs", std::move(headers)), "luzia-8737");
}

const std::string kToken = std::string(42, 'q') + "w", kOther = std::string(42, 'Z') + "0";
const std::string kRandom = std::string(40, '\x81') + std::string("\0\xff\x7f", 3);

TEST(Gate, TokensComeFromTheHeader) {
  EXPECT_EQ(shown({{"authorization", "Bearer " + kToken}}), kToken);
  EXPECT_EQ(shown({{"authorization", "bearer " + kToken}}), kToken);
  for (const std::string& bad : {std::string(), kToken + "a", kToken.substr(1), std::string(42, 'a') + "=",
                                 std::string(42, 'a') + "\n"})
    EXPECT_EQ(shown({{"authorization", "Bearer " + bad}}), "") << bad;
}

TEST(Gate, PagesShowTheirTokenInTwoHalves) {
  const Halves halves = halves_of(kToken, kRandom);
  const std::string page(kPageHeader), cookie = "luzia-8737=" + halves.cookie;
  EXPECT_EQ(shown({{"cookie", "a=b; " + cookie + "; c=d"}, {page, halves.page}}), kToken);
  EXPECT_NE(halves.cookie, kToken);
  EXPECT_NE(halves.page, kToken);
  // A server at another port of the host is sent the cookie, and a script can read the page's half.
  EXPECT_EQ(shown({{"cookie", cookie}}), "");
  EXPECT_EQ(shown({{page, halves.page}}), "");
  EXPECT_EQ(shown({{"cookie", "luzia-8737=" + kToken}}), "");
  EXPECT_NE(shown({{"cookie", cookie}, {page, halves_of(kToken, std::string(43, 'x')).page}}), kToken);
  for (const char* bad : {"luzia-87371=", "xluzia-8737=", "luzia-8738="})
    EXPECT_EQ(shown({{"cookie", bad + halves.cookie}, {page, halves.page}}), "") << bad;
  for (const std::string& bad : {std::string("a"), halves.page + "a", std::string(42, 'a') + "="})
    EXPECT_EQ(shown({{"cookie", cookie}, {page, bad}}), "") << bad;
}

TEST(Gate, TheHeaderOutweighsTheHalves) {
  const Halves halves = halves_of(kOther, kRandom);
  const Headers browser{{"cookie", "luzia-8737=" + halves.cookie}, {std::string(kPageHeader), halves.page}};
  const auto beside = [&](const std::string& authorization) {
    Headers headers = browser;
    headers.emplace("authorization", authorization);
    return shown(headers);
  };
  EXPECT_EQ(shown(browser), kOther);
  EXPECT_EQ(beside("Bearer " + kToken), kToken);
  // A header that is no token does not fall back to the cookie, which the browser adds by itself.
  EXPECT_EQ(beside("Basic " + kToken), "");
  EXPECT_EQ(beside("Bearer x"), "");
}

TEST(Gate, OnlyATokenHasHalves) {
  EXPECT_EQ(halves_of("short", kRandom).cookie, "");
  EXPECT_EQ(halves_of(kToken, "short").page, "");
}

TEST(Gate, TheLastForwardedAddressIsTheClients) {
  for (const auto& [forwarded, address] :
       std::vector<std::pair<std::string, std::string>>{{"203.0.113.9", "203.0.113.9"},
                                                        {"1.1.1.1, 203.0.113.9", "203.0.113.9"},
                                                        {"1.1.1.1,203.0.113.9 ", "203.0.113.9"},
                                                        {"2001:db8::1", "2001:db8::1"},
                                                        {"1.1.1.1, [2001:db8::1]", "2001:db8::1"},
                                                        {"", "127.0.0.1"},
                                                        {" ", "127.0.0.1"},
                                                        {"203.0.113.9,", "127.0.0.1"},
                                                        {"<script>", "127.0.0.1"},
                                                        {"203.0.113.9\n1", "127.0.0.1"},
                                                        {"unknown", "127.0.0.1"},
                                                        {std::string(5000, 'a'), "127.0.0.1"}})
    EXPECT_EQ(forwarded_address(forwarded, "127.0.0.1"), address) << forwarded;
}

}  // namespace
}  // namespace luzia::web
