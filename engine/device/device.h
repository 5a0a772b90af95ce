// Devices: the browsers, phones and programs that people paired with luzia-web. Their state, the commands
// that change it, and decide() and evolve(). No clock, I/O, randomness or logging: time, ids and hashes come
// in the command. Any thread.
//
// All devices that are not revoked are one state, because names are unique among them and a token is found by
// its hash. They are few.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/device/push.h"
#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Also the row of the core view devices.
using Device = view::DeviceT;

/// Maximum bytes of a name of a device or person, of an address, of the note on a revocation.
constexpr std::size_t kMaxDeviceName = 64, kMaxDeviceAddress = 64, kMaxDeviceNote = 4096;
/// The most devices that are not revoked, and the most projects of one.
constexpr std::size_t kMostDevices = 256, kMostDeviceProjects = 64;
/// A use of a device is recorded once in this time for each address, and for so many addresses.
constexpr TimeUs kSeenAgainAfter = kHourUs;
constexpr std::size_t kMostAddressesAnHour = 8;
/// How often a device may change its subscription to pushes in this time.
constexpr std::ptrdiff_t kMostPushChangesAnHour = 20;

/// What a device is and may do, as offered by whoever pairs it.
struct DeviceGrant {
  schema::DeviceRole role = schema::DeviceRole::viewer;
  std::string name;  // empty: the device names itself
  std::string person;
  std::vector<std::string> projects = {};  // empty: all
};
/// `bad_name`, `bad_person`, `bad_project`, `bad_role` (usage).
Status check_grant(const DeviceGrant& grant);

/// Pairs a device. A name that another device has gets a number: "phone-2". Refused: as check_grant(), and
/// `too_many_devices`.
struct PairDevice {
  std::string id;
  DeviceGrant grant;
  Hash secret_hash{};  // of its token
  std::string address;
};
/// Refused: `no_such_device` (also after it was revoked), `text_too_long`.
struct RevokeDevice {
  std::string device;
  std::string note = {};
};
/// Records that it was used, if that is due. Refused: `no_such_device`.
struct SeeDevice {
  std::string device;
  std::string address;
};
/// Notifies it by push; again: with this target from now on. Another device with this endpoint is notified no
/// more. Refused: `no_such_device`, `too_many_changes`, as check_push().
struct SubscribePush {
  std::string device;
  PushTarget target;
};
/// Ends that. With an `endpoint` only if it is still the one. Refused: `no_such_device`, `text_too_long`.
struct EndPush {
  std::string device;
  std::string note = {};
  std::string endpoint = {};
};
using DeviceCommand = std::variant<PairDevice, RevokeDevice, SeeDevice, SubscribePush, EndPush>;

/// The devices that are not revoked, by id.
struct Devices {
  struct Known {
    Device row;
    std::vector<std::pair<std::string, TimeUs>> seen = {};  // addresses of the last hour, and since when
    std::vector<TimeUs> push_changes = {};                  // of the last hour: when it subscribed
  };
  std::map<std::string, Known, std::less<>> by_id;

  const Device* find(std::string_view id) const;
  /// The device with this token; null: none. Compares hashes only, so that timing tells nothing.
  const Device* find_by_token(std::string_view token) const;
};

/// The events that `command` leads to (none: nothing to do), or why it is refused.
Result<std::vector<NewEvent>> decide(const Devices& devices, DeviceCommand command, TimeUs now);
void evolve(Devices& devices, const schema::Event& event);
/// One row by an event of its stream.
void evolve(Device& row, const schema::Event& event);

/// Clears what must not leave the daemon.
void hide_secrets(Device& row);

/// Hash under which a token or code is kept.
Hash secret_hash(std::string_view secret);

/// "viewer", "operator", "admin"; "unknown": of a newer program.
std::string_view role_name(schema::DeviceRole role);
std::optional<schema::DeviceRole> parse_role(std::string_view name);
/// Whether a device with these rights may grant those: not a higher role, and no other projects.
bool may_grant(const Device& own, const DeviceGrant& grant);

/// "device/ID", and the id in such a name (empty: another stream).
std::string device_stream(std::string_view device);
std::string_view device_of_stream(std::string_view stream);

}  // namespace luzia
