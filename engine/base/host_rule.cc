#include "engine/base/host_rule.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::size_t kMostNameBytes = 253, kMostLabelBytes = 63;  // RFC 1035
constexpr std::uint16_t kPlainPort = 80, kTlsPort = 443;

/// One that resolvers cannot take for a number: its last label begins with a letter. The underscore is no
/// character of host names, but exists.
bool is_host_name(std::string_view name) {
  if (name.empty() || name.size() > kMostNameBytes) return false;
  for (;;) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const std::string_view label = name.substr(0, dot);
    const bool good = !label.empty() && label.size() <= kMostLabelBytes && label.front() != '-' &&
                      label.back() != '-' && std::ranges::all_of(label, [](char c) {
                        return is_letter(c) || is_digit(c) || c == '-' || c == '_';
                      });
    if (!good) return false;
    if (dot == name.size()) return is_letter(label.front());
    name.remove_prefix(dot + 1);
  }
}

std::optional<std::string> as_address(const std::string& text) {
  std::array<char, INET6_ADDRSTRLEN> words{};
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1)
    return ::inet_ntop(AF_INET, &four, words.data(), words.size());
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return std::nullopt;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return ::inet_ntop(AF_INET, six.s6_addr + 12, words.data(), words.size());
  return ::inet_ntop(AF_INET6, &six, words.data(), words.size());
}

/// Without a port.
std::optional<HostPort> bare_host(std::string_view text) {
  HostPort target{lower_case(text)};
  if (target.host.find('\0') != std::string::npos) return std::nullopt;
  if (auto address = as_address(target.host)) return HostPort{std::move(*address), 0, true};
  if (target.host.ends_with('.')) target.host.pop_back();
  return is_host_name(target.host) ? std::optional(target) : std::nullopt;
}

/// HOST, HOST:PORT, [HOST]:PORT. A port of 0 is left out.
std::optional<HostPort> host_and_port(std::string_view text) {
  std::string_view host = text, port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const std::size_t close = std::min(text.find(']'), text.size());
    host = text.substr(1, close - 1);
    port = text.substr(std::min(close + 1, text.size()));
    if (close == text.size() || (!port.empty() && !port.starts_with(':')) ||
        host.find(':') == std::string_view::npos)
      return std::nullopt;
    has_port = !port.empty();
    if (has_port) port.remove_prefix(1);
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    if (text.find(':', colon + 1) != std::string_view::npos) return bare_host(text);
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    has_port = true;
  }
  auto target = bare_host(host);
  const auto number = parse_whole_number<std::uint16_t>(port);
  if (!target || (has_port && number.value_or(0) == 0)) return std::nullopt;
  target->port = number.value_or(0);
  return target;
}

bool is_allowed_port(std::uint16_t of_rule, std::uint16_t port) {
  return of_rule == port || (of_rule == 0 && (port == kPlainPort || port == kTlsPort));
}

bool is_below(std::string_view name, const std::string& host) {
  return name.size() > host.size() + 1 && name.ends_with(host) && name[name.size() - host.size() - 1] == '.';
}

tl::unexpected<Error> bad_host(std::string_view text, const char* hint) {
  return fail(ErrorKind::usage, "bad_host", "'" + std::string(text.substr(0, 300)) + "' is no host", hint);
}

}  // namespace

std::string host_words(const HostPort& target) {
  const bool is_six = target.host.find(':') != std::string::npos;
  std::string words = is_six && target.port != 0 ? "[" + target.host + "]" : target.host;
  return target.port == 0 ? words : words + ":" + std::to_string(target.port);
}

std::optional<HostPort> parse_host_port(std::string_view text, std::uint16_t usual_port) {
  // An IPv6 address without brackets is none in a URL.
  if (!text.starts_with('[') && std::ranges::count(text, ':') > 1) return std::nullopt;
  auto target = host_and_port(text);
  if (target && target->port == 0) target->port = usual_port;
  return target && target->port != 0 ? target : std::nullopt;
}

Result<HostRule> parse_host_rule(std::string_view text) {
  constexpr std::string_view kBelow = "*.";
  HostRule rule;
  rule.below = text.starts_with(kBelow);
  const auto target = host_and_port(text.substr(rule.below ? kBelow.size() : 0));
  if (target && (target->host == "all" || target->host == "none"))
    return bad_host(text, "\"all\" and \"none\" stand alone, and not in a list");
  if (target && !(rule.below && target->is_address)) {
    rule.target = *target;
    return rule;
  }
  if (text.find('/') != std::string_view::npos)
    return bad_host(text, "name the host alone, without https:// and without a path: example.org");
  if (text.find('*') != std::string_view::npos)
    return bad_host(text,
                    "a * stands for whole names in front of a name, as in *.example.org; all hosts: \"all\"");
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return bad_host(text, "write a name with other letters than a to z as the network does: xn--...");
  return bad_host(text, "write example.org, *.example.org, example.org:8443, 10.0.0.5 or [2001:db8::1]:443");
}

Result<std::vector<HostRule>> parse_host_rules(const std::vector<std::string>& texts) {
  if (texts.empty() || texts.size() > kMostHostRules) {
    return fail(ErrorKind::usage, "bad_host",
                texts.empty() ? "the list of hosts is empty"
                              : "the list has " + std::to_string(texts.size()) + " hosts, and may have " +
                                    std::to_string(kMostHostRules),
                texts.empty() ? "\"none\" is no network at all" : "*.example.org stands for all below it");
  }
  std::vector<HostRule> rules;
  for (const std::string& text : texts) {
    HostRule rule = LUZIA_TRY(parse_host_rule(text));
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string rule_words(const HostRule& rule) {
  return (rule.below ? "*." : "") + host_words(rule.target);
}

bool allows(const std::vector<HostRule>& rules, const HostPort& target) {
  return std::ranges::any_of(rules, [&target](const HostRule& rule) {
    const bool is_it = rule.below ? !target.is_address && is_below(target.host, rule.target.host)
                                  : target.host == rule.target.host;
    return is_it && is_allowed_port(rule.target.port, target.port);
  });
}

bool covers(const std::vector<HostRule>& rules, const HostRule& narrow) {
  const HostPort& target = narrow.target;
  return std::ranges::any_of(rules, [&](const HostRule& rule) {
    const bool same = target.host == rule.target.host && narrow.below == rule.below;
    const bool host = same || (rule.below && !target.is_address && is_below(target.host, rule.target.host));
    return host && (target.port == rule.target.port ||
                    (target.port != 0 && is_allowed_port(rule.target.port, target.port)));
  });
}

}  // namespace luzia
