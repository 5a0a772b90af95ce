// The socket of a job's terminal: JOB_DIR/terminal.sock, 0600 of the job's user. Reached by way of the
// directory's descriptor, so that the path may be longer than a socket address holds. Any thread.
#pragma once

#include <string>

#include "adapters/terminal/descriptor.h"
#include "engine/base/result.h"

namespace luzia {

constexpr const char* kTerminalSocket = "terminal.sock";

/// Listens; what an earlier attempt has left there is removed. Not blocking. `terminal_failed` (trouble).
Result<Descriptor> listen_for_terminals(const std::string& job_dir);
void remove_terminal_socket(const std::string& job_dir);

/// A blocking connection. `no_terminal` (refused): there is no such socket; `terminal_gone` (refused): nobody
/// listens on it any more; `terminal_refused` (refused): the caller may not, or it is not the owner of the
/// directory who listens there.
Result<Descriptor> connect_to_terminal(const std::string& job_dir);

/// Whether the process at the other end is root's, ours, or `uid`'s.
bool is_peer_of(int socket, unsigned uid);

}  // namespace luzia
