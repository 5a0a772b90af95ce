// Hosts that a sandboxed attempt may reach, as `sandbox_network` names them. Pure; any thread.
//
// Names are compared, never patterns with names: a wildcard stands for whole labels on the left, so that no
// host of others matches by its spelling (evil-github.com, github.com.evil.example).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// A host as all parts compare it: a name in lower case without a final dot, or an address as inet_ntop
/// writes it, an IPv4 address also if it was given as IPv6 (::ffff:10.0.0.1).
struct HostPort {
  std::string host = {};
  std::uint16_t port = 0;
  bool is_address = false;
  bool operator==(const HostPort&) const = default;
};

/// "example.org:443", "[2001:db8::1]:443"
std::string host_words(const HostPort& target);

/// Parses HOST or HOST:PORT, as in a URL; `usual_port` (0: one must be named) for the former. nullopt: it is
/// neither, or such as a resolver may take for an address in another notation (127.1, 0x7f000001).
std::optional<HostPort> parse_host_port(std::string_view text, std::uint16_t usual_port);

struct HostRule {
  HostPort target = {};  // port 0: 80 and 443
  bool below = false;    // *.HOST: all names below it, and not HOST itself
};

constexpr std::size_t kMostHostRules = 256;

/// Parses "example.org", "*.example.org", "example.org:8443", "10.0.0.5", "[2001:db8::1]:443". Error:
/// `bad_host` (usage).
Result<HostRule> parse_host_rule(std::string_view text);
/// At least one and at most kMostHostRules. The same error, for the first bad one.
Result<std::vector<HostRule>> parse_host_rules(const std::vector<std::string>& texts);

/// The rule as parse_host_rule() reads it.
std::string rule_words(const HostRule& rule);

bool allows(const std::vector<HostRule>& rules, const HostPort& target);
/// Whether each target that `narrow` allows is allowed by one of `rules`.
bool covers(const std::vector<HostRule>& rules, const HostRule& narrow);

}  // namespace luzia
