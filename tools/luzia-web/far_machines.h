// The machines of [machines.NAME], for devices that see everything of this one: a program ssh to each is kept
// while it is asked, at most kMostFar of them. Other daemons know nothing of devices, and speak to the
// account that ssh logs in to. Any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/cli/machines.h"
#include "tools/luzia-web/devices.h"
#include "tools/luzia-web/exchange.h"
#include "tools/read/machines_source.h"

namespace luzia::web {

class FarMachine;

class FarMachines {
 public:
  /// How many are kept at most, and how long one may go unused.
  static constexpr std::size_t kMostFar = 32;
  static constexpr std::chrono::seconds kFarIdle{60};

  /// `config_file`: empty: the default places. It is read with every request, for machines come and go.
  explicit FarMachines(std::string config_file) : config_file_(std::move(config_file)) {}
  /// Ends the connections. One that is just being made ends by itself.
  ~FarMachines();
  FarMachines(const FarMachines&) = delete;
  FarMachines& operator=(const FarMachines&) = delete;

  /// All of them, over connections that are kept. Does not wait. Errors are those of the configuration;
  /// `too_many_machines` (refused).
  Result<std::vector<MachineToAsk>> to_ask();
  /// {"machines":[{"name","ssh","labels","max_running","connected","version","slots","load_percent",
  /// "clock_ahead_seconds"}]}: what is known without asking them. Without any for a device that sees only
  /// some projects.
  Answer list(const Device& device);
  /// Sends a request whose answer is one frame, over a connection of its own, and waits for the answer, which
  /// must come soon whatever else is said. Errors as machine_named() and connect_by_ssh(), and the other
  /// daemon's.
  Result<std::unique_ptr<wire::ServerFrameT>> ask(const std::string& machine,
                                                  const wire::RequestUnion& request) const;

 private:
  /// The one that is kept for it. The lock is held.
  std::shared_ptr<FarMachine> kept(const Machine& machine);

  std::string config_file_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<FarMachine>> kept_;  // by name
};

/// `device_not_allowed` (refused): the device sees some projects only, and other machines have their own.
Status may_ask_far(const Device& device);
/// The same, and asks the daemon, since no other one does: `device_unknown` (refused), it was revoked.
Status may_ask_far(const DaemonDoor& door, const Device& device);

}  // namespace luzia::web
