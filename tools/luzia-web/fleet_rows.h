// The rows of all machines of the fleet, for the owner's devices: programs `luzia-fleet read` are kept for
// the next request and end by themselves when nobody asks. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/luzia-web/devices.h"
#include "tools/luzia-web/exchange.h"
#include "tools/read/fleet_reader.h"

namespace luzia::web {

class FleetRows {
 public:
  /// `config_file`: empty: the default places.
  explicit FleetRows(std::string config_file) : config_file_(std::move(config_file)) {}

  /// Calls `read` with the sites to ask, and waits for the database. Errors as FleetReader::find_sites().
  Result<Answer> with_sites(const std::function<Answer(const std::vector<MachineToAsk>& sites)>& read);
  /// {"sites":[{"site","host","version","position","as_of","as_of_us","unreachable","fault"}]}: none if the
  /// configuration has no fleet, or the device may not see it.
  Answer list(const Device& device);

 private:
  static constexpr std::size_t kMostKept = 4;

  Result<std::shared_ptr<FleetReader>> take();
  void give_back(std::shared_ptr<FleetReader> reader);

  std::string config_file_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<FleetReader>> kept_;
};

/// `device_not_allowed` (refused): the device is not an administrator's, or sees some projects only. A fleet
/// has the machines of others, and is read with the rights of this one.
Status may_ask_fleet(const Device& device);

}  // namespace luzia::web
