// Which hosts a list of hosts allows.
#include "engine/base/host_rule.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

std::vector<HostRule> rules(const std::vector<std::string>& texts) {
  auto parsed = parse_host_rules(texts);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed.value_or(std::vector<HostRule>{});
}

bool allowed(const std::vector<std::string>& list, const std::string& target, std::uint16_t usual = 443) {
  const auto host = parse_host_port(target, usual);
  EXPECT_TRUE(host) << target;
  return host && allows(rules(list), *host);
}

TEST(HostRule, NameAllowsItselfAtTheUsualPorts) {
  EXPECT_TRUE(allowed({"registry.npmjs.org"}, "registry.npmjs.org:443"));
  EXPECT_TRUE(allowed({"registry.npmjs.org"}, "Registry.NPMjs.org.:80"));
  EXPECT_FALSE(allowed({"registry.npmjs.org"}, "registry.npmjs.org:22"));
  EXPECT_FALSE(allowed({"registry.npmjs.org"}, "npmjs.org:443"));
  EXPECT_FALSE(allowed({"registry.npmjs.org"}, "a.registry.npmjs.org:443"));
  EXPECT_FALSE(allowed({"registry.npmjs.org"}, "registry.npmjs.org.evil.example:443"));
}

TEST(HostRule, NamedPortIsTheOnlyOne) {
  EXPECT_TRUE(allowed({"example.org:8443"}, "example.org:8443"));
  EXPECT_FALSE(allowed({"example.org:8443"}, "example.org:443"));
  EXPECT_TRUE(allowed({"example.org:8443", "example.org"}, "example.org:443"));
}

TEST(HostRule, WildcardStandsForWholeLabels) {
  EXPECT_TRUE(allowed({"*.github.com"}, "api.github.com:443"));
  EXPECT_TRUE(allowed({"*.github.com"}, "a.b.github.com:443"));
  EXPECT_FALSE(allowed({"*.github.com"}, "github.com:443"));
  EXPECT_FALSE(allowed({"*.github.com"}, "evil-github.com:443"));
  EXPECT_FALSE(allowed({"*.github.com"}, "api.github.com.evil.example:443"));
}

TEST(HostRule, AddressIsComparedAsAnAddress) {
  EXPECT_TRUE(allowed({"2001:DB8:0::1"}, "[2001:db8::1]:443"));
  EXPECT_TRUE(allowed({"[2001:db8::1]:8443"}, "[2001:db8:0:0::1]:8443"));
  EXPECT_TRUE(allowed({"10.0.0.5"}, "[::ffff:10.0.0.5]:80"));
  EXPECT_FALSE(allowed({"10.0.0.5"}, "10.0.0.50:80"));
}

TEST(HostRule, WhatAResolverTakesForAnAddressIsNoName) {
  for (const char* text :
       {"127.1:80", "2130706433:80", "0x7f000001:80", "0x7f.1:80", "1.2.3.4.5:80", "a.1:80"})
    EXPECT_FALSE(parse_host_port(text, 0)) << text;
}

TEST(HostRule, TargetsThatAreNoHostAreRefused) {
  const std::string nul("a\0b:80", 6);
  for (const std::string& text : {std::string(""),
                                  std::string(":80"),
                                  std::string("a"),
                                  std::string("a:"),
                                  std::string("a:0"),
                                  std::string("a:65536"),
                                  std::string("a:-1"),
                                  std::string("a:80:80"),
                                  std::string("::1"),
                                  std::string("[::1]"),
                                  std::string("[::1]80"),
                                  std::string("[a]:80"),
                                  std::string("[::1:80"),
                                  std::string("[]:80"),
                                  std::string("a b:80"),
                                  std::string("a..b:80"),
                                  std::string("-a:80"),
                                  std::string("a@b:80"),
                                  std::string("a/b:80"),
                                  std::string("*.a:80"),
                                  std::string("[fe80::1%lo]:80"),
                                  std::string(64, 'a') + ":80",
                                  nul})
    EXPECT_FALSE(parse_host_port(text, 0)) << text;
  EXPECT_EQ(parse_host_port("example.org", 80)->port, 80);
}

TEST(HostRule, BadRulesSayWhatToWrite) {
  const auto hint = [](const std::string& text) {
    const auto rule = parse_host_rule(text);
    return rule ? "accepted" : rule.error().code + ": " + rule.error().hint;
  };
  EXPECT_THAT(hint("https://example.org/"), HasSubstr("without https://"));
  EXPECT_THAT(hint("*"), HasSubstr("*.example.org"));
  EXPECT_THAT(hint("*github.com"), HasSubstr("*.example.org"));
  EXPECT_THAT(hint("b\xc3\xbc"
                   "cher.example"),
              HasSubstr("xn--"));
  EXPECT_THAT(hint("all"), HasSubstr("stand alone"));
  for (const char* text : {"", "a b", "*.10.0.0.1", "a:0", "a:99999"})
    EXPECT_THAT(hint(text), HasSubstr("bad_host: ")) << text;
  EXPECT_FALSE(parse_host_rules({}));
  EXPECT_FALSE(parse_host_rules(std::vector<std::string>(kMostHostRules + 1, "example.org")));
}

TEST(HostRule, WordsAreReadBack) {
  for (const char* text : {"example.org", "*.example.org", "example.org:8443", "10.0.0.5:80", "2001:db8::1",
                           "[2001:db8::1]:443"}) {
    const auto rule = parse_host_rule(text);
    ASSERT_TRUE(rule) << text;
    EXPECT_EQ(rule_words(*rule), text);
  }
}

TEST(HostRule, NarrowerRuleIsCovered) {
  const auto covered = [](const std::vector<std::string>& list, const std::string& text) {
    return covers(rules(list), *parse_host_rule(text));
  };
  EXPECT_TRUE(covered({"*.github.com"}, "api.github.com"));
  EXPECT_TRUE(covered({"*.github.com"}, "*.api.github.com:443"));
  EXPECT_TRUE(covered({"example.org"}, "example.org:443"));
  EXPECT_FALSE(covered({"example.org:443"}, "example.org"));
  EXPECT_FALSE(covered({"api.github.com"}, "*.github.com"));
  EXPECT_FALSE(covered({"github.com"}, "*.github.com"));
  EXPECT_FALSE(covered({"*.github.com"}, "github.com"));
  EXPECT_FALSE(covered({"*.github.com"}, "api.github.com:22"));
}

}  // namespace
}  // namespace luzia
