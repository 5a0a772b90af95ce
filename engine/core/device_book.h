// The paired devices: what is known of them, and the commands that change them. Loop thread.
#pragma once

#include "engine/core/group_writer.h"
#include "engine/device/device.h"

namespace luzia {

class DeviceBook {
 public:
  /// It must outlive this.
  explicit DeviceBook(GroupWriter& writer) : writer_(writer) {}

  /// Start: a device as the core views hold it.
  void load(Device row);
  const Devices& known() const { return devices_; }
  Result<Outcome> run(const CommandMeta& meta, ToDevices& item);

 private:
  GroupWriter& writer_;
  Devices devices_;
};

}  // namespace luzia
