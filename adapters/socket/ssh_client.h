// A Client to the daemon of another machine: the program ssh runs `luzia proxy` there. OpenSSH is the whole
// transport: its keys, agent, known hosts, ControlMaster and configuration are the user's. Rejected: a
// transport of our own, which would need keys, a port and an update for each hole. Any thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adapters/socket/client.h"
#include "adapters/socket/proxy_greeting.h"
#include "engine/base/ssh_route.h"

namespace luzia {

struct FarDaemon {
  Client client;
  ProxyGreeting greeting;
  std::chrono::microseconds clock_ahead{0};  // of the other machine; may be negative
};

enum class WhenFarAbsent { start, complain };

/// Connects to the daemon of that machine; starts one there, or fails with `no_daemon`. Within
/// `silence.limit` (0: no limit) the other side must greet. Errors (trouble, unless the other side says
/// otherwise):
/// - `no_ssh`: there is no program ssh.
/// - `machine_unknown`: its host key is not known here, or has changed.
/// - `machine_denied` (refused): it accepts none of the user's keys.
/// - `machine_unreachable`: any other failure of ssh; with its last line.
/// - `machine_without_luzia`: the command is not found there.
/// - `machine_too_old`: its Luzia does not know `luzia proxy`.
/// - `machine_odd`: it answers something else.
/// - `daemon_silent`: no answer in time.
/// Errors of the other Luzia keep their code; the message names the machine.
Result<FarDaemon> connect_by_ssh(const SshRoute& to, SilenceLimit silence,
                                 WhenFarAbsent when_absent = WhenFarAbsent::start);

struct SshRun {
  int code = 0;      // of the command
  std::string said;  // what it printed last, on both outputs: at least 64 KiB
};

struct SshRunLimits {
  std::chrono::milliseconds time{0};  // 0: no limit
  int stop_fd = -1;                   // stops it when readable; -1: nothing does
};

/// Runs a shell command there, with the file `input` as its input, and waits for its end. Stops ssh before it
/// returns an error; the command there may go on. Errors are those of connect_by_ssh() before the other side
/// greets, as far as ssh itself fails; `machine_slow`, `interrupted` (trouble): a limit was reached.
Result<SshRun> run_by_ssh(const SshRoute& to, const std::string& command, int input,
                          const SshRunLimits& limits);

/// For a process of one thread that was made for one such connection. While this lives, SIGTERM ends its ssh,
/// too: one that has not reached the other Luzia may wait for ever for a machine that stalls. A connected one
/// ends with its input, and may be the ControlMaster of others.
class SshEndsOnSigterm {
 public:
  SshEndsOnSigterm();
  ~SshEndsOnSigterm();
  SshEndsOnSigterm(const SshEndsOnSigterm&) = delete;
  SshEndsOnSigterm& operator=(const SshEndsOnSigterm&) = delete;
};

/// The command line of ssh for it. `limit`: as in SilenceLimit.
std::vector<std::string> ssh_words(const SshRoute& to, std::chrono::milliseconds limit,
                                   WhenFarAbsent when_absent);

}  // namespace luzia
