// Random events about devices: paired, used, revoked, notified by push.
#pragma once

#include <functional>
#include <string>

#include "engine/device/device.h"

namespace luzia::test {

inline NewEvent random_device_fact(const std::function<std::uint64_t(std::uint64_t)>& below) {
  const std::string id = "d-" + std::to_string(below(6));
  schema::DeviceFactUnion device;
  switch (below(5)) {
    case 0: {
      schema::DevicePairedT paired;
      paired.device = id;
      paired.name = "phone-" + std::to_string(below(3));
      paired.role = static_cast<schema::DeviceRole>(below(3));
      paired.secret_hash.assign(32, static_cast<std::uint8_t>(below(256)));
      if (below(2) == 0) paired.projects = {"alpha"};
      device.Set(std::move(paired));
      break;
    }
    case 1: {
      schema::DeviceSeenT seen;
      seen.device = id;
      seen.address = "192.0.2." + std::to_string(below(256));
      device.Set(std::move(seen));
      break;
    }
    case 2: {
      schema::PushSubscribedT taken;
      taken.device = id;
      taken.service = "https://push.example";
      taken.kinds = {below(2) == 0 ? "asks" : "ends"};
      taken.push_endpoint = "https://push.example/" + std::to_string(below(3));
      taken.push_key.assign(65, 4);
      taken.push_auth.assign(16, static_cast<std::uint8_t>(below(256)));
      device.Set(std::move(taken));
      break;
    }
    case 3: {
      schema::PushEndedT ended;
      ended.device = id;
      device.Set(std::move(ended));
      break;
    }
    default: {
      schema::DeviceRevokedT revoked;
      revoked.device = id;
      device.Set(std::move(revoked));
    }
  }
  return new_event(device_stream(id), std::move(device));
}

}  // namespace luzia::test
