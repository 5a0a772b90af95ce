#include "engine/device/push.h"

#include <algorithm>
#include <array>

namespace luzia {
namespace {

constexpr std::array<std::string_view, 3> kPushKinds = {kPushAsks, kPushFailures, kPushEnds};
/// Names that only a local network resolves.
constexpr std::array<std::string_view, 6> kLocalNames = {".local", ".localhost", ".internal",
                                                         ".lan",   ".home.arpa", ".intranet"};
constexpr std::string_view kSecureScheme = "https://", kPlainScheme = "http://";

tl::unexpected<Error> bad_push(std::string message) {
  return fail(ErrorKind::usage, "bad_push", std::move(message), "send what the browser's subscription says");
}

char lower_ascii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A name with a dot whose last part is no number. What is an address by another notation, such as 0x7f.1,
/// luzia-push refuses when it connects.
bool is_public_name(std::string_view host) {
  const std::size_t dot = host.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == host.size()) return false;
  const bool plain = std::ranges::all_of(
      host, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
  const bool is_local =
      std::ranges::any_of(kLocalNames, [host](std::string_view end) { return host.ends_with(end); });
  return plain && !is_local && host[dot + 1] >= 'a';
}

}  // namespace

Status check_push(const PushTarget& target) {
  const bool printable = std::ranges::all_of(target.endpoint, [](char c) { return c > ' ' && c < 0x7f; });
  if (target.endpoint.size() > kMaxPushEndpoint || !printable || push_service(target.endpoint).empty())
    return bad_push("the endpoint is not a web address of at most " + std::to_string(kMaxPushEndpoint) +
                    " bytes");
  // 4: the point has both coordinates.
  if (target.key.size() != kPushKeyBytes || target.key.front() != 4)
    return bad_push("the key p256dh has not the " + std::to_string(kPushKeyBytes) + " bytes of a point");
  if (target.auth.size() != kPushAuthBytes)
    return bad_push("the secret auth has not " + std::to_string(kPushAuthBytes) + " bytes");
  const auto is_known = [](const std::string& kind) {
    return std::ranges::find(kPushKinds, kind) != kPushKinds.end();
  };
  const auto is_repeated = [&target](const std::string& kind) {
    return std::ranges::count(target.kinds, kind) != 1;
  };
  if (target.kinds.empty() || !std::ranges::all_of(target.kinds, is_known) ||
      std::ranges::any_of(target.kinds, is_repeated))
    return fail(ErrorKind::usage, "bad_push", "kinds are some of asks, failures and ends, each once");
  return {};
}

Status check_push_endpoint(std::string_view endpoint, const std::vector<std::string>& services) {
  const std::string service = push_service(endpoint);
  if (!service.empty() && std::ranges::find(services, service) != services.end()) return {};
  std::string_view host = service;
  const bool is_secure = host.starts_with(kSecureScheme);
  if (is_secure) host.remove_prefix(kSecureScheme.size());
  if (host.ends_with(":443")) host.remove_suffix(4);
  if (is_secure && is_public_name(host)) return {};
  return fail(ErrorKind::refused, "bad_push_endpoint",
              "pushes are sent to https addresses of public services only, not to " +
                  (service.empty() ? std::string("this endpoint") : service),
              "name your own service in [web] push_services");
}

std::string push_service(std::string_view endpoint) {
  std::string_view scheme;
  for (const std::string_view each : {kSecureScheme, kPlainScheme}) {
    if (endpoint.starts_with(each)) scheme = each;
  }
  if (scheme.empty()) return {};
  const std::string_view authority =
      endpoint.substr(scheme.size(), endpoint.find_first_of("/?#", scheme.size()) - scheme.size());
  if (authority.empty() || authority.find_first_of("@\\") != std::string_view::npos) return {};
  std::string service(endpoint.substr(0, scheme.size() + authority.size()));
  std::ranges::transform(service, service.begin(), lower_ascii);
  return service;
}

}  // namespace luzia
