// The socket of a job's terminal: JOB_DIR/terminal.sock, mode 0600, owned by the job's user. Reached through
// the directory's descriptor, so the path may be longer than a socket address allows. Any thread.
#pragma once

#include <string>

#include "engine/base/descriptor.h"
#include "engine/base/result.h"

namespace luzia {

constexpr const char* kTerminalSocket = "terminal.sock";

/// Listens without blocking; removes the socket of an earlier attempt. `terminal_failed` (trouble).
Result<Descriptor> listen_for_terminals(const std::string& job_dir);
void remove_terminal_socket(const std::string& job_dir);

/// Returns a blocking connection. `no_terminal` (refused): there is no such socket. `terminal_gone`
/// (refused): no process listens on it any more. `terminal_refused` (refused): the caller has no permission,
/// or the listener is not the owner of the directory.
Result<Descriptor> connect_to_terminal(const std::string& job_dir);

/// Whether the process at the other end runs as root, as our account, or as `uid`.
bool is_peer_of(int socket, unsigned uid);

}  // namespace luzia
