#include "engine/base/ssh_route.h"

#include <algorithm>
#include <optional>

#include "engine/base/characters.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::size_t kMostDestinationBytes = 512, kMostStoreBytes = 4'000;

tl::unexpected<Error> bad_route(std::string_view text, const std::string& why) {
  return fail(
      ErrorKind::usage, "bad_destination",
      "'" + without_control_characters(std::string(text.substr(0, kMostDestinationBytes))) + "' " + why,
      "write user@host, a Host of ~/.ssh/config, or ssh://user@host:port/store");
}

bool consists_of(std::string_view text, std::string_view marks) {
  return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [marks](char c) {
    return is_letter_or_digit(c) || marks.find(c) != std::string_view::npos;
  });
}

/// Takes the port off the end of "host:port" or "[address]:port"; 0: none is named. nullopt: it is no port.
std::optional<std::uint16_t> take_port(std::string_view& host) {
  const std::size_t colon = host.rfind(':'), bracket = host.rfind(']');
  if (colon == host.npos || (bracket != host.npos && colon < bracket)) return std::uint16_t{0};
  const auto port = parse_whole_number<std::uint16_t>(host.substr(colon + 1));
  if (!port || *port == 0) return std::nullopt;
  host = host.substr(0, colon);
  return *port;
}

}  // namespace

Result<SshRoute> parse_ssh_route(std::string_view text) {
  if (text.size() > kMostDestinationBytes + kMostStoreBytes) return bad_route(text, "is too long");
  SshRoute route;
  std::string_view rest = text;
  bool in_brackets = false;
  if (rest.starts_with(kSshScheme)) {
    rest.remove_prefix(kSshScheme.size());
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (rest.size() - slash > 1) route.store = rest.substr(slash);
    rest = rest.substr(0, slash);
    const auto port = take_port(rest);
    if (!port) return bad_route(text, "has no port from 1 to 65535 after the colon");
    route.port = *port;
  }
  const std::size_t at = rest.rfind('@');
  std::string_view host = at == rest.npos ? rest : rest.substr(at + 1);
  if (text.starts_with(kSshScheme) && host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    in_brackets = true;
  }
  if (has_control_characters(route.store)) return bad_route(text, "has control characters in its path");
  if (!consists_of(host, in_brackets ? ".:" : "._-")) {
    return bad_route(text, "has no host name: letters, digits, dots, dashes, not a dash first");
  }
  if (at != rest.npos && !consists_of(rest.substr(0, at), "._-+@")) {
    return bad_route(text, "has a user name that ssh would not take");
  }
  route.destination = (at == rest.npos ? "" : std::string(rest.substr(0, at + 1))) + std::string(host);
  return route;
}

}  // namespace luzia
