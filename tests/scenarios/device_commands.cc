#include "tests/scenarios/device_commands.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

PairDevice pairing(const Step& step) {
  PairDevice command;
  command.id = step.word(3);
  command.grant.name = step.value("name");
  command.grant.person = step.value("person", "anna");
  command.grant.role = parse_role(step.value("role", "operator")).value_or(schema::DeviceRole(9));
  command.grant.projects = step.list("projects");
  command.secret_hash = secret_hash(step.value("token"));
  command.address = step.value("address", "192.0.2.1");
  return command;
}

/// Keys that have the form of keys.
SubscribePush push_of(const Step& step) {
  SubscribePush command{step.word(3), {}};
  command.target.endpoint = step.value("endpoint", "https://push.example/s3cret");
  command.target.key.assign(std::stoul(step.value("key_bytes", "65")), 7);
  if (!command.target.key.empty()) command.target.key.front() = 4;
  command.target.auth.assign(std::stoul(step.value("auth_bytes", "16")), 9);
  command.target.kinds = step.list("kinds", "asks");
  return command;
}

}  // namespace

std::optional<ToDevices> device_command(const Step& step) {
  const std::string& verb = step.word(2);
  if (verb == "pair_device") return ToDevices{pairing(step)};
  if (verb == "revoke_device") return ToDevices{RevokeDevice{step.word(3), step.value("note")}};
  if (verb == "see_device") return ToDevices{SeeDevice{step.word(3), step.value("address", "192.0.2.1")}};
  if (verb == "subscribe_push") return ToDevices{push_of(step)};
  if (verb == "end_push") return ToDevices{EndPush{step.word(3), step.value("note"), step.value("endpoint")}};
  return std::nullopt;
}

void expect_device(const Step& step, World& world) {
  const Devices& known = world.engine().devices().known();
  const Device* device = known.find(step.word(1));
  ASSERT_EQ(device == nullptr, step.word(2) == "gone") << step.word(1);
  if (step.values.contains("token")) {
    EXPECT_EQ(known.find_by_token(step.value("token")), device);
  }
  if (device == nullptr) return;
  EXPECT_EQ(device->name, step.value("name", device->name));
  EXPECT_EQ(device->person, step.value("person", device->person));
  EXPECT_EQ(role_name(device->role), step.value("role", std::string(role_name(device->role))));
  EXPECT_EQ(device->address, step.value("address", device->address));
  if (step.values.contains("push")) {
    const bool none = step.value("push") == "none";
    EXPECT_EQ(device->push_service, none ? "" : step.value("push"));
    EXPECT_EQ(device->push_endpoint.empty(), none);
    EXPECT_EQ(device->push_key.empty(), none);
    EXPECT_EQ(device->push_kinds, step.list("kinds", none ? "" : "asks"));
    EXPECT_EQ(device->push_note, step.value("why"));
  }
  if (step.values.contains("projects")) {
    EXPECT_EQ(device->projects, step.list("projects"));
  }
}

}  // namespace luzia
