// The request of a client in a sandbox, who is hostile: whatever the proxy accepts names one host, and what
// the server gets of it is one request for that host, without bytes that could begin another.
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia-proxy/head.h"

namespace luzia {
namespace {

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void check_target(const HostPort& target) {
  require(target.port != 0 && !target.host.empty() && target.host.size() <= 253, "a request names a host");
  require(target.host.find_first_of("/@ \t\r\n*[]") == std::string::npos, "a host is nothing but a host");
  const auto again = parse_host_port("[" + target.host + "]", target.port);
  const auto plain = parse_host_port(target.host, target.port);
  require((again && *again == target) || (plain && *plain == target), "a host is read as itself");
}

void check_request(const ProxyRequest& request) {
  check_target(request.target);
  if (request.is_tunnel) return require(request.head.empty(), "a tunnel begins with its client's bytes");
  const std::string_view head = request.head;
  require(head.ends_with("\r\n\r\n") && count_of(head, "\r\n\r\n") == 1, "it is one request");
  require(count_of(head, "\n") == count_of(head, "\r\n") && count_of(head, "\r") == count_of(head, "\r\n"),
          "its lines are whole");
  require(count_of(head, "\r\nHost: ") == 1, "it names one host");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::size_t head = head_size(input);
  require(head <= input.size(), "a head is within what was read");
  if (head == 0) return;
  const auto request = parse_proxy_head(input.substr(0, head));
  if (request) check_request(*request);
  const auto rule = parse_host_rule(input.substr(0, head - 4));
  if (rule) {
    const auto again = parse_host_rule(rule_words(*rule));
    require(again && again->target == rule->target && again->below == rule->below,
            "a rule is read as itself");
  }
}
