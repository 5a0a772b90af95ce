// The file of hosts that a sandboxed attempt reached, or tried to, through its list of hosts. luzia-proxy
// writes it, and the launcher reads it, also while the attempt runs: STORE/run/<job>.<attempt>.hosts.
//
// Lines of one size, each rewritten in place when its counts change, so the newest counts are there whatever
// ends the proxy. The first says how many contacts with further hosts were not kept. The others are one host
// each, in the order of their first contact: the verdict, the port, connections (refused: tries), bytes in
// both directions, the host. All are padded with blanks; the last byte is a newline.
//
// Rejected: lines that are appended. Their number grows with what the agent does.
#pragma once

#include <cstddef>

namespace luzia::host_record {

inline constexpr std::size_t kLineSize = 320;
inline constexpr std::size_t kMostHosts = 256;
inline constexpr char kHeadFormat[] = "luzia-hosts 1 more=%020llu";
inline constexpr char kHostFormat[] = "%c %05u %010llu %020llu %s";

/// What became of it: connections are possible; the list does not name it; its name stands for an address of
/// this machine or of a private network that the list does not name.
inline constexpr char kAllowed = 'a', kNotListed = 'n', kPrivate = 'p';

}  // namespace luzia::host_record
