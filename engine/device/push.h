// What a browser's subscription to pushes (RFC 8030) may be. Pure; any thread.
//
// The daemon sends requests to the endpoint, which a device names. So that no device makes it send into its
// own network, an endpoint is an https address by name at the usual port. luzia-push also connects to public
// addresses only, whatever the name resolves to. Rejected: a list of known services. Browsers change theirs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// The file of the store with the key that services know it by. Backups have it too: devices go on.
inline constexpr const char* kPushKeyFile = "push.key";

/// The longest endpoint; the bytes of a point of P-256 and of a secret (RFC 8291).
constexpr std::size_t kMaxPushEndpoint = 2048, kPushKeyBytes = 65, kPushAuthBytes = 16;
/// What a device may be notified of: questions and approvals; failed jobs and alerts; ended jobs and flows.
constexpr std::string_view kPushAsks = "asks", kPushFailures = "failures", kPushEnds = "ends";

struct PushTarget {
  std::string endpoint;
  std::vector<std::uint8_t> key, auth;
  std::vector<std::string> kinds;
};

/// The form of it: sizes, characters, known kinds, each once and at least one. `bad_push` (usage).
Status check_push(const PushTarget& target);

/// Whether requests may be sent to the endpoint: by the rule above, or because `services` names its
/// push_service(). `bad_push_endpoint` (refused).
Status check_push_endpoint(std::string_view endpoint, const std::vector<std::string>& services);

/// "https://push.example", lower case; empty: it is no http address.
std::string push_service(std::string_view endpoint);

}  // namespace luzia
