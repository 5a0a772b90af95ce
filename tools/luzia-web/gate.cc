#include "tools/luzia-web/gate.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "engine/base/characters.h"
#include "engine/base/whole_number.h"

namespace luzia::web {
namespace {

/// 32 random bytes in base64url.
constexpr std::size_t kTokenChars = kHalfBytes;
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool is_token(std::string_view text) {
  return text.size() == kTokenChars && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Digit by digit, exclusive or: of a token and a half the other half, of both halves the token.
std::string crossed(std::string_view one, std::string_view other) {
  std::string out;
  for (std::size_t i = 0; i < kTokenChars; ++i) out += kDigits[kDigits.find(one[i]) ^ kDigits.find(other[i])];
  return out;
}

/// The last one of this name.
std::string_view cookie_in(const Request& request, std::string_view name) {
  std::string_view found, left = request.header("cookie");
  while (!left.empty()) {
    std::string_view pair = left.substr(0, left.find(';'));
    left.remove_prefix(std::min(left.size(), pair.size() + 1));
    pair.remove_prefix(std::min(pair.size(), pair.find_first_not_of(' ')));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      found = pair.substr(name.size() + 1);
  }
  return found;
}

std::optional<Refusal> refusal(int status, std::string code, std::string message, std::string hint) {
  return Refusal{status, {ErrorKind::refused, std::move(code), std::move(message), std::move(hint)}};
}

std::optional<Refusal> refused_host(const GatePolicy& policy, const Request& request) {
  const auto name = host_name(request.header("host"));
  const bool known = name && (*name == "localhost" || is_address(*name) ||
                              std::ranges::find(policy.hosts, *name) != policy.hosts.end());
  if (known) return std::nullopt;
  return refusal(421, "unknown_host", "this server does not go by the name in Host",
                 "use localhost or an address, or start luzia-web with --host NAME");
}

/// Whether `origin` is the site that the request goes to.
bool is_own_origin(const GatePolicy& policy, std::string_view origin, std::string_view host) {
  const std::string own = lower_case_of(host), from = lower_case_of(origin);
  if (policy.behind_proxy) return from == "https://" + own || from == "http://" + own;
  return from == (policy.tls ? "https://" : "http://") + own;
}

/// A link that a person followed to the page. The page itself holds nothing secret.
bool is_visit(const Request& request) {
  return request.method == "GET" && request.header("sec-fetch-mode") == "navigate" &&
         request.header("sec-fetch-dest") == "document" && request.header("origin").empty() &&
         !request.path.starts_with("/v1/");
}

std::optional<Refusal> refused_site(const GatePolicy& policy, const Request& request) {
  const std::string_view site = request.header("sec-fetch-site"), origin = request.header("origin");
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool near = site.empty() || site == "same-origin" || (site == "none" && reads) || is_visit(request);
  if (near && (origin.empty() || is_own_origin(policy, origin, request.header("host")))) return std::nullopt;
  return refusal(403, "cross_site", "a page of another site sent this request",
                 "open the page of this server itself");
}

std::optional<Refusal> refused_address(const Request& request) {
  static constexpr std::array<std::string_view, 5> kSecrets{"token", "access_token", "code", "authorization",
                                                            "secret"};
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(kSecrets, lower_case_of(name)) == kSecrets.end()) continue;
    return refusal(400, "secret_in_address", "the address of the request contains a token or a code",
                   "send Authorization: Bearer TOKEN; revoke the device if others may have seen the address");
  }
  return std::nullopt;
}

std::optional<Refusal> refused_form(const Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  std::string type = lower_case_of(request.header("content-type"));
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.pop_back();
  if (type == "application/json") return std::nullopt;
  return refusal(415, "not_json", "the body of a request is JSON", "send Content-Type: application/json");
}

}  // namespace

bool is_address(std::string_view host) {
  in6_addr six{};
  in_addr four{};
  if (host.starts_with('[') && host.ends_with(']'))
    return ::inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &six) == 1;
  return ::inet_pton(AF_INET, std::string(host).c_str(), &four) == 1;
}

std::optional<std::string> host_name(std::string_view host) {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = host.find(':', bracket);
  const std::string_view name = host.substr(0, colon);
  if (name.empty() || name.find_first_of(" \t,/@\\") != std::string_view::npos) return std::nullopt;
  if (colon != std::string_view::npos) {
    const auto port = parse_whole_number<std::uint16_t>(host.substr(colon + 1));
    if (!port || *port == 0) return std::nullopt;
  }
  return lower_case_of(name);
}

std::optional<Refusal> refused_at_gate(const GatePolicy& policy, const Request& request) {
  static constexpr std::array<std::string_view, 3> kMethods{"GET", "HEAD", "POST"};
  if (auto refused = refused_host(policy, request)) return refused;
  if (std::ranges::find(kMethods, request.method) == kMethods.end())
    return refusal(405, "bad_method", "requests are GET, HEAD or POST", "GET /v1/openapi.json lists them");
  if (auto refused = refused_site(policy, request)) return refused;
  if (auto refused = refused_address(request)) return refused;
  return refused_form(request);
}

tl::expected<std::size_t, Refusal> body_length(const Request& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const std::string_view text = request.header("content-length");
  const auto length = parse_whole_number<std::uint64_t>(text);
  if (!request.header("transfer-encoding").empty() || (text.empty() && !reads) || (!text.empty() && !length))
    return tl::unexpected(*refusal(411, "length_required",
                                   "a body has a Content-Length, and no other encoding",
                                   "send Content-Length: BYTES"));
  if (length.value_or(0) > kMostBodyBytes || (reads && length.value_or(0) > 0))
    return tl::unexpected(*refusal(
        413, "body_too_long",
        reads ? "a GET has no body" : "a body has at most " + std::to_string(kMostBodyBytes) + " bytes",
        "put a long text into a file, and name it in the task"));
  return static_cast<std::size_t>(length.value_or(0));
}

Halves halves_of(std::string_view token, std::string_view random) {
  if (!is_token(token) || random.size() != kHalfBytes) return {};
  std::string page;
  for (const char each : random) page += kDigits[static_cast<unsigned char>(each) % kDigits.size()];
  return {crossed(token, page), page};
}

std::string token_in(const Request& request, std::string_view cookie) {
  const std::string_view authorization = request.header("authorization");
  if (!authorization.empty()) {
    const bool bears = lower_case_of(authorization.substr(0, 7)) == "bearer ";
    return bears && is_token(authorization.substr(7)) ? std::string(authorization.substr(7)) : std::string();
  }
  const std::string_view one = cookie_in(request, cookie), other = request.header(kPageHeader);
  return is_token(one) && is_token(other) ? crossed(one, other) : std::string();
}

std::string forwarded_address(std::string_view forwarded, const std::string& peer) {
  const std::size_t comma = forwarded.rfind(',');
  std::string_view last = forwarded.substr(comma == std::string_view::npos ? 0 : comma + 1);
  last = trimmed(last, " \t");
  if (last.starts_with('[') && last.ends_with(']')) last = last.substr(1, last.size() - 2);
  std::string address(last);
  return is_address(address) || is_address("[" + address + "]") ? address : peer;
}

}  // namespace luzia::web
