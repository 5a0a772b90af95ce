// Whose program is at the other end of a connection from this machine. Any thread.
#pragma once

#include <optional>

namespace luzia::web {

/// The user of the program that has opened the TCP connection `fd`; nullopt: it runs elsewhere, has already
/// left, or the kernel does not say. Asks the kernel about this one socket (sock_diag(7)): some microseconds,
/// however many sockets there are, unlike /proc/net/tcp, with which strangers could keep the loop busy.
std::optional<unsigned> user_at_other_end(int fd);

}  // namespace luzia::web
