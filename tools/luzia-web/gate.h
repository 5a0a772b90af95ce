// What a request must satisfy before anything looks at what it asks for: where it came from, and in which
// form. Pure. Each rule answers a way in which servers like this one were broken:
// - Host: a page on another name that resolves to this address (DNS rebinding). An address cannot be rebound.
// - Origin, Sec-Fetch-Site: a page of another site that sends requests or opens streams (CSRF, hijacking).
// - Content type: a form, which a page may send to anywhere without asking.
// - Tokens in the address: addresses end up in logs and histories.
// - Cookies alone: a browser sends them to every port of a host, so to the servers of other users of a
// machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/luzia-web/exchange.h"

namespace luzia::web {

struct GatePolicy {
  std::vector<std::string> hosts = {};  // names besides localhost and addresses, lower case
  bool tls = false;
  bool behind_proxy = false;  // a proxy ends TLS, so that origins may be https
};

inline constexpr std::size_t kMostBodyBytes = 1 << 20;

struct Refusal {
  int status = 403;
  Error error;
};

/// Why the request is not looked at; nullopt: it may pass. `length`: the value of Content-Length.
std::optional<Refusal> refused_at_gate(const GatePolicy& policy, const Request& request);

/// The length that a request announces; 0: no body. Refused: a body of unknown or too great length.
tl::expected<std::size_t, Refusal> body_length(const Request& request);

/// A page shows its token in two halves that say nothing alone: a cookie, which no script can read, and this
/// header, which the page keeps in its storage and no other port of the host can read.
inline constexpr std::string_view kPageHeader = "luzia-page";
struct Halves {
  std::string cookie, page;
};
inline constexpr std::size_t kHalfBytes = 43;
/// Splits a token by `random`, kHalfBytes bytes.
Halves halves_of(std::string_view token, std::string_view random);

/// The token that the request shows: `Authorization: Bearer`, else both halves. Empty: none, or not a
/// possible one.
std::string token_in(const Request& request, std::string_view cookie);

/// The last address of X-Forwarded-For, which our own proxy has added; `peer` if it is none.
std::string forwarded_address(std::string_view forwarded, const std::string& peer);

/// "host" of "host:port", "[v6]:port", lower case; nullopt: not a possible value of Host.
std::optional<std::string> host_name(std::string_view host);
/// Whether it is an IPv4 address as four numbers, or an IPv6 address in brackets.
bool is_address(std::string_view host);

}  // namespace luzia::web
