// Gives up the privileges of a process that root started, for good. Only safe calls: the caller may be
// suspended in vfork.
#pragma once

#include <cstdint>

namespace luzia::run {

/// No program that this process executes can have a capability. Needs CAP_SETPCAP.
bool drop_bounding_set();
/// This process has only these, as bits (linux/capability.h), and passes none on.
bool drop_capabilities(std::uint32_t kept = 0);

}  // namespace luzia::run
