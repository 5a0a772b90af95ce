// What is configured: projects and agents. Waits for files and the daemon: for worker threads.
// `config_file`: the one that the daemon was started with; empty: the default places.
#pragma once

#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/exchange.h"

namespace luzia::web {

/// {"projects":[{"name","path","agent"}]}, as `luzia project --json` prints it. `only`: these; empty: all.
Answer projects_answer(const std::string& config_file, const std::vector<std::string>& only);

/// {"agents":[{"name","parked_until"}]}: those that are built in or configured.
Answer agents_answer(const DaemonDoor& door, const std::string& config_file, const std::string& device);

}  // namespace luzia::web
