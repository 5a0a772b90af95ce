// What a device may grant to another. Its life is told in tests/scenarios/devices.txt.
#include "engine/device/device.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

using schema::DeviceRole;

TEST(Device, RoleHasTheNameOfTheSchema) {
  for (const char* name : {"viewer", "operator", "admin"}) EXPECT_EQ(role_name(*parse_role(name)), name);
  EXPECT_EQ(parse_role("root"), std::nullopt);
  EXPECT_EQ(role_name(DeviceRole(200)), "unknown");
}

TEST(Device, AdminGrantsNoMoreThanItHas) {
  struct Row {
    DeviceRole own;
    std::vector<std::string> own_projects, projects;
    bool may;
  };
  const Row kRows[] = {
      {DeviceRole::viewer, {}, {}, false},
      {DeviceRole::operator_, {}, {"web"}, false},
      {DeviceRole::admin, {}, {}, true},
      {DeviceRole::admin, {}, {"web"}, true},
      {DeviceRole::admin, {"web"}, {"web"}, true},
      {DeviceRole::admin, {"web", "shop"}, {"shop"}, true},
      {DeviceRole::admin, {"web"}, {"web", "shop"}, false},
      {DeviceRole::admin, {"web"}, {}, false},
  };
  for (const Row& row : kRows) {
    Device own;
    own.role = row.own;
    own.projects = row.own_projects;
    DeviceGrant grant;
    grant.role = DeviceRole::admin;
    grant.projects = row.projects;
    EXPECT_EQ(may_grant(own, grant), row.may) << (&row - kRows);
  }
}

}  // namespace
}  // namespace luzia
