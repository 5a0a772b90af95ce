// Which addresses belong to the public internet. Pure; any thread.
#pragma once

struct sockaddr;

namespace luzia {

/// False for this machine, private networks, link-local, shared, documentation and multicast addresses, also
/// if an IPv6 address stands for such an IPv4 address, and for other families. By IANA's registries of
/// special-purpose addresses (RFC 6890).
bool is_public_address(const sockaddr& address);

}  // namespace luzia
