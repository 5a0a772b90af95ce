// How much came over a connection, read or not: the kernel knows.
#pragma once

#include <cstdint>

namespace luzia::web {

/// Of a TCP socket, since it was opened; 0: unknown.
std::uint64_t received_bytes(int fd);

}  // namespace luzia::web
