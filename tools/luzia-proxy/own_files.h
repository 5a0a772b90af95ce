// What the proxy itself may open. It talks with hostile programs on both sides, outside of the sandbox.
#pragma once

namespace luzia {

/// From now on, this thread and those that it starts read what resolving names needs, and open nothing else
/// by its path. False: the kernel cannot hold that (Landlock, Linux 5.13), and nothing changed.
bool give_up_files();

}  // namespace luzia
