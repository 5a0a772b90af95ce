// Where luzia-web may listen: the one rule for the configuration, the daemon, luzia web start and luzia-web.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// Plain values of [web], and of luzia-web's options.
struct WebListening {
  std::string listen = "127.0.0.1:8737";  // ADDRESS:PORT, [ADDRESS]:PORT; port 0: any
  std::string tls_cert, tls_key;          // files; both or neither
  bool behind_proxy = false;              // a proxy on the way adds TLS
  std::vector<std::string> hosts;  // names under which browsers reach it, beside addresses and localhost
  bool operator==(const WebListening&) const = default;
};

struct ListenAddress {
  std::string address;  // an IP address, without brackets
  std::uint16_t port = 0;
  bool operator==(const ListenAddress&) const = default;
};

/// "localhost" is 127.0.0.1. `bad_listen` (usage): other names, which could mean any address.
Result<ListenAddress> parse_listen(std::string_view listen);
/// 127.0.0.0/8 and ::1, also as ::ffff:127.0.0.1.
bool is_loopback(std::string_view address);

/// What is unsafe about it, or makes no sense. Errors (usage): `bad_listen`, `bad_tls` (one file alone),
/// `bad_host` (a pattern or no name), `unsafe_listen`: beyond this machine without TLS and without a proxy.
Status check_listening(const WebListening& web);

/// The options with which luzia-web listens so.
std::vector<std::string> web_options(const WebListening& web);

}  // namespace luzia
