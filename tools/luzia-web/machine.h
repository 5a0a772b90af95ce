// How the machine, the daemon and its notification channels are. Waits for the daemon; any thread.
#pragma once

#include "tools/luzia-web/devices.h"

namespace luzia::web {

/// `store`: its path; empty: unknown. Devices of single projects are shown no channels.
Answer machine_answer(const DaemonDoor& door, const std::string& store, const Device& device);

}  // namespace luzia::web
