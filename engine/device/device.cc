#include "engine/device/device.h"

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/event/take_fact.h"

namespace luzia {
namespace {

using Decided = Result<std::vector<NewEvent>>;
using schema::DeviceRole;

constexpr std::string_view kDeviceStream = "device/", kUnnamed = "device";
constexpr std::array<std::string_view, 3> kRoles = {"viewer", "operator", "admin"};

template <class FactOf>
Decided one_event(const std::string& device, FactOf fact) {
  std::vector<NewEvent> events;
  events.push_back(new_event(device_stream(device), std::move(fact)));
  return events;
}

// ------------------------------------------------------------------------------------------ refusals

tl::unexpected<Error> no_line(const char* code, const std::string& what, std::size_t most) {
  return fail(ErrorKind::usage, code, what + " is not a line of at most " + std::to_string(most) + " bytes",
              "give a shorter one, without control characters");
}

Result<const Devices::Known*> known_device(const Devices& devices, const std::string& id) {
  if (const auto it = devices.by_id.find(id); it != devices.by_id.end()) return &it->second;
  return fail(ErrorKind::not_found, "no_such_device", "no device '" + id + "' is paired",
              "luzia web devices lists them");
}

Status check_device_note(const std::string& note) {
  if (note.size() <= kMaxDeviceNote) return {};
  return fail(ErrorKind::usage, "text_too_long",
              "the note has more than the " + std::to_string(kMaxDeviceNote) + " bytes that are kept",
              "shorten it");
}

/// The name, with a number if another device has it.
std::string unique_name(const Devices& devices, const std::string& wanted) {
  const auto taken = [&devices](const std::string& name) {
    return std::ranges::any_of(devices.by_id, [&](const auto& each) { return each.second.row.name == name; });
  };
  std::string name = wanted;
  for (std::size_t number = 2; taken(name); ++number) {
    const std::string end = "-" + std::to_string(number);
    name = bounded_utf8(wanted, kMaxDeviceName - end.size()) + end;
  }
  return name;
}

// ------------------------------------------------------------------------------------------ decisions

Decided decide_one(const Devices& devices, PairDevice command, TimeUs /*now*/) {
  LUZIA_TRY(check_grant(command.grant));
  if (!is_plain_line(command.address, kMaxDeviceAddress))
    return no_line("bad_address", "the address of the device", kMaxDeviceAddress);
  if (devices.by_id.size() >= kMostDevices) {
    return fail(ErrorKind::refused, "too_many_devices",
                std::to_string(kMostDevices) + " devices are paired already",
                "luzia web devices lists them, luzia web revoke DEVICE ends one's access");
  }
  schema::DevicePairedT fact;
  fact.device = command.id;
  fact.name = unique_name(devices, command.grant.name.empty() ? std::string(kUnnamed) : command.grant.name);
  fact.person = std::move(command.grant.person);
  fact.role = command.grant.role;
  fact.projects = std::move(command.grant.projects);
  fact.secret_hash.assign(command.secret_hash.begin(), command.secret_hash.end());
  fact.address = std::move(command.address);
  return one_event(command.id, std::move(fact));
}

Decided decide_one(const Devices& devices, RevokeDevice command, TimeUs /*now*/) {
  LUZIA_TRY(known_device(devices, command.device));
  LUZIA_TRY(check_device_note(command.note));
  return one_event(command.device, schema::DeviceRevokedT{{}, command.device, std::move(command.note)});
}

bool is_recent(TimeUs seen, TimeUs now) {
  return now - seen < kSeenAgainAfter;
}

Decided decide_one(const Devices& devices, SeeDevice command, TimeUs now) {
  const auto* const known = LUZIA_TRY(known_device(devices, command.device));
  std::size_t recent = 0;
  bool is_known_address = false;
  for (const auto& [address, seen] : known->seen) {
    if (!is_recent(seen, now)) continue;
    ++recent;
    is_known_address = is_known_address || address == command.address;
  }
  const bool is_plain = is_plain_line(command.address, kMaxDeviceAddress);
  if (is_known_address || recent >= kMostAddressesAnHour || !is_plain) return std::vector<NewEvent>{};
  return one_event(command.device, schema::DeviceSeenT{{}, command.device, std::move(command.address)});
}

/// A viewer changes nothing else in the log, which it must not fill.
Status check_push_changes(const Devices::Known& known, TimeUs now) {
  const auto is_of_the_hour = [now](TimeUs at) { return is_recent(at, now); };
  if (std::ranges::count_if(known.push_changes, is_of_the_hour) < kMostPushChangesAnHour) return {};
  return fail(ErrorKind::refused, "too_many_changes",
              "device " + known.row.name + " has changed its subscription to pushes " +
                  std::to_string(kMostPushChangesAnHour) + " times within an hour",
              "try again later");
}

Decided decide_one(const Devices& devices, SubscribePush command, TimeUs now) {
  const auto* const known = LUZIA_TRY(known_device(devices, command.device));
  PushTarget& target = command.target;
  LUZIA_TRY(check_push(target));
  const Device& row = known->row;
  if (row.push_endpoint == target.endpoint && row.push_key == target.key && row.push_auth == target.auth &&
      row.push_kinds == target.kinds)
    return std::vector<NewEvent>{};
  LUZIA_TRY(check_push_changes(*known, now));
  schema::PushSubscribedT fact;
  fact.device = command.device;
  fact.service = push_service(target.endpoint);
  fact.kinds = std::move(target.kinds);
  fact.push_endpoint = target.endpoint;
  fact.push_key = std::move(target.key);
  fact.push_auth = std::move(target.auth);
  std::vector<NewEvent> events;
  events.push_back(new_event(device_stream(command.device), std::move(fact)));
  // One browser has an endpoint: it was paired anew, and perhaps for a person who may see less.
  for (const auto& [id, other] : devices.by_id) {
    if (id == command.device || other.row.push_endpoint != target.endpoint) continue;
    const std::string why = "its browser is now device " + row.name;
    events.push_back(new_event(device_stream(id), schema::PushEndedT{{}, id, why}));
  }
  return events;
}

Decided decide_one(const Devices& devices, EndPush command, TimeUs /*now*/) {
  const auto* const known = LUZIA_TRY(known_device(devices, command.device));
  LUZIA_TRY(check_device_note(command.note));
  const std::string& current = known->row.push_endpoint;
  const bool is_other = !command.endpoint.empty() && command.endpoint != current;
  if (current.empty() || is_other) return std::vector<NewEvent>{};
  return one_event(command.device, schema::PushEndedT{{}, command.device, std::move(command.note)});
}

// ------------------------------------------------------------------------------------------ evolution

void take(Device& row, const schema::DevicePaired& fact, const schema::Event& event) {
  row = Device();
  row.device = text(fact.device());
  row.name = text(fact.name());
  row.person = text(fact.person());
  row.role = fact.role();
  row.projects = texts(fact.projects());
  if (fact.secret_hash() != nullptr)
    row.secret_hash.assign(fact.secret_hash()->begin(), fact.secret_hash()->end());
  row.address = text(fact.address());
  row.paired_us = event.time_us();
  row.paired_by = actor_name(event);
}

void forget_push(Device& row) {
  row.push_service.clear();
  row.push_kinds.clear();
  row.push_since = 0;
  row.push_endpoint.clear();
  row.push_key.clear();
  row.push_auth.clear();
}

void take(Device& row, const schema::PushSubscribed& fact, const schema::Event& event) {
  // Other kinds or keys do not begin anew: what waits stays.
  if (row.push_endpoint.empty()) row.push_since = event.position();
  row.push_service = text(fact.service());
  row.push_kinds = texts(fact.kinds());
  row.push_note.clear();
  row.push_endpoint = text(fact.push_endpoint());
  row.push_key.clear();
  row.push_auth.clear();
  if (fact.push_key() != nullptr) row.push_key.assign(fact.push_key()->begin(), fact.push_key()->end());
  if (fact.push_auth() != nullptr) row.push_auth.assign(fact.push_auth()->begin(), fact.push_auth()->end());
}

}  // namespace

Status check_grant(const DeviceGrant& grant) {
  if (!is_plain_line(grant.name, kMaxDeviceName))
    return no_line("bad_name", "the name of the device", kMaxDeviceName);
  if (!is_plain_line(grant.person, kMaxDeviceName))
    return no_line("bad_person", "the name of the person", kMaxDeviceName);
  const auto is_project = [](const std::string& name) {
    return !name.empty() && is_plain_line(name, kMaxDeviceName);
  };
  if (grant.projects.size() > kMostDeviceProjects || !std::ranges::all_of(grant.projects, is_project)) {
    return fail(
        ErrorKind::usage, "bad_project",
        "a device has at most " + std::to_string(kMostDeviceProjects) + " projects, named in one line",
        "name none: it sees all");
  }
  if (static_cast<std::size_t>(grant.role) >= kRoles.size())
    return fail(ErrorKind::usage, "bad_role", "the role is none of viewer, operator and admin");
  return {};
}

const Device* Devices::find(std::string_view id) const {
  const auto it = by_id.find(id);
  return it == by_id.end() ? nullptr : &it->second.row;
}

const Device* Devices::find_by_token(std::string_view token) const {
  const Hash hash = secret_hash(token);
  const auto it = std::ranges::find_if(
      by_id, [&](const auto& each) { return std::ranges::equal(each.second.row.secret_hash, hash); });
  return it == by_id.end() ? nullptr : &it->second.row;
}

Decided decide(const Devices& devices, DeviceCommand command, TimeUs now) {
  return std::visit([&](auto& one) { return decide_one(devices, std::move(one), now); }, command);
}

void evolve(Device& row, const schema::Event& event) {
  const auto* device = event.payload_as_DeviceEvent();
  if (device == nullptr || device->fact_type() == schema::DeviceFact::NONE) return;
  take_fact(
      *device, [&](const schema::DevicePaired& fact) { take(row, fact, event); },
      [&](const schema::DeviceRevoked& fact) {
        row.revoked_us = event.time_us();
        row.revoked_by = actor_name(event);
        row.note = text(fact.note());
        row.secret_hash.clear();
        forget_push(row);
      },
      [&](const schema::DeviceSeen& fact) {
        row.seen_us = event.time_us();
        row.address = text(fact.address());
      },
      [&](const schema::PushSubscribed& fact) { take(row, fact, event); },
      [&](const schema::PushEnded& fact) {
        forget_push(row);
        row.push_note = text(fact.note());
      });
  row.position = event.position();
}

void evolve(Devices& devices, const schema::Event& event) {
  const std::string id(device_of_stream(text(event.stream())));
  if (id.empty()) return;
  auto it = devices.by_id.try_emplace(id).first;
  Device& row = it->second.row;
  evolve(row, event);
  // Unpaired: an event of a newer program alone.
  if (row.revoked_us != 0 || row.paired_us == 0) {
    devices.by_id.erase(it);
    return;
  }
  if (event.payload_as_DeviceEvent()->fact_as_PushSubscribed() != nullptr) {
    auto& changes = it->second.push_changes;
    std::erase_if(changes, [&](TimeUs at) { return !is_recent(at, event.time_us()); });
    changes.push_back(event.time_us());
  }
  if (row.seen_us != event.time_us()) return;
  auto& seen = it->second.seen;
  std::erase_if(seen, [&](const auto& each) {
    return each.first == row.address || !is_recent(each.second, event.time_us());
  });
  seen.emplace_back(row.address, row.seen_us);
}

void hide_secrets(Device& row) {
  row.secret_hash.clear();
  row.push_endpoint.clear();
  row.push_key.clear();
  row.push_auth.clear();
}

Hash secret_hash(std::string_view secret) {
  return blake2b({as_bytes(secret)});
}

std::string_view role_name(DeviceRole role) {
  const auto number = static_cast<std::size_t>(role);
  return number < kRoles.size() ? kRoles.at(number) : "unknown";
}

std::optional<DeviceRole> parse_role(std::string_view name) {
  const auto it = std::ranges::find(kRoles, name);
  if (it == kRoles.end()) return std::nullopt;
  return static_cast<DeviceRole>(it - kRoles.begin());
}

bool may_grant(const Device& own, const DeviceGrant& grant) {
  if (own.role != DeviceRole::admin) return false;
  if (own.projects.empty()) return true;
  return !grant.projects.empty() && std::ranges::all_of(grant.projects, [&own](const std::string& project) {
    return std::ranges::find(own.projects, project) != own.projects.end();
  });
}

std::string device_stream(std::string_view device) {
  return std::string(kDeviceStream).append(device);
}

std::string_view device_of_stream(std::string_view stream) {
  return stream.starts_with(kDeviceStream) ? stream.substr(kDeviceStream.size()) : std::string_view{};
}

}  // namespace luzia
