// Gives up the privileges of a process that root started, for good. Only safe calls: the caller may be
// suspended in vfork.
#pragma once

namespace luzia::run {

/// No program that this process executes can have a capability. Needs CAP_SETPCAP.
bool drop_bounding_set();
/// This process has none, nor passes any on.
bool drop_capabilities();

}  // namespace luzia::run
