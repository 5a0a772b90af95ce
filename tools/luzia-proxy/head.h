// The first lines that a client sends to the proxy. Pure; any thread.
//
// Understood are CONNECT HOST:PORT, and GET and HEAD with an absolute http:// URL (RFC 9112, 3.2). Strict:
// whoever sends something ambiguous is refused, because a server may read it in another way.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/host_rule.h"

namespace luzia {

constexpr std::size_t kMostHeadBytes = 16 * 1024;

struct ProxyRequest {
  HostPort target;
  bool is_tunnel = false;  // CONNECT: bytes of any kind follow, in both directions
  std::string head = {};   // else: what the server gets, and all that it gets
};

/// What the client is told: the status line's end, and what to do.
struct ProxyRefusal {
  const char* status;
  std::string words;
};

/// Size of the head at the beginning of `bytes`, with the empty line that ends it; 0: it is not whole yet.
std::size_t head_size(std::string_view bytes);

/// `head`: as head_size() finds it.
tl::expected<ProxyRequest, ProxyRefusal> parse_proxy_head(std::string_view head);

}  // namespace luzia
