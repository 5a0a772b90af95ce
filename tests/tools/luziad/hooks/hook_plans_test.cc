// Which channels there are to devices, and of what they notify.
#include "tools/luziad/hooks/hook_plans.h"

#include <signal.h>

#include <cstdlib>

#include "tests/matchers.h"

namespace luzia {
namespace {

Device device_with_push(std::vector<std::string> kinds) {
  Device device;
  device.device = "d-1";
  device.person = "anna";
  device.paired_us = 1;
  device.push_service = "https://push.example";
  device.push_endpoint = "https://push.example/x";
  device.push_key.assign(kPushKeyBytes, 4);
  device.push_auth.assign(kPushAuthBytes, 1);
  device.push_kinds = std::move(kinds);
  device.push_since = 40;
  return device;
}

class PushPlans : public testing::Test {
 protected:
  void add(Device device) {
    std::string id = device.device;
    devices_.by_id[std::move(id)].row = std::move(device);
  }
  std::vector<std::shared_ptr<const HookPlan>> plans() const {
    return hook_plans(config_, {"/bin/luzia-run", "/socket", "/store", 0}, devices_);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& plan : plans()) list.push_back(plan->rule.name);
    return list;
  }
  bool notifies(HookOn on, const std::string& project = "web") const {
    HookEvent event;
    event.mask = mask_of(on);
    event.on = on;
    const auto all = plans();
    return std::ranges::any_of(all, [&](const auto& plan) { return concerns(plan->rule, event, project); });
  }

  Config config_;
  Devices devices_;
};

TEST_F(PushPlans, OnlyASubscribedDeviceHasAChannel) {
  Device none = device_with_push({"asks"});
  none.push_endpoint.clear();
  add(none);
  EXPECT_THAT(names(), IsEmpty());
  add(device_with_push({"asks"}));
  ASSERT_THAT(names(), ElementsAre("push/d-1"));
  const auto plan = plans().front();
  EXPECT_EQ(plan->since, 40U);
  EXPECT_TRUE(plan->rule.unless_watched);
  EXPECT_EQ(plan->rule.dwell_ms, 10'000U);
  const Push& push = std::get<Push>(plan->way);
  EXPECT_EQ(push.person, "anna");
  EXPECT_EQ(push.order.store, "/store");
  EXPECT_EQ(push.order.contact, "https://localhost");
  EXPECT_FALSE(push.order.own_service);
}

TEST_F(PushPlans, KindsSayOfWhatItNotifies) {
  struct Row {
    const char* kind;
    bool asked, failed, completed, paired;
  };
  for (const Row& row : {Row{"asks", true, false, false, false}, Row{"failures", false, true, false, true},
                         Row{"ends", false, false, true, false}}) {
    add(device_with_push({row.kind}));
    EXPECT_EQ(notifies(HookOn::question_asked), row.asked) << row.kind;
    EXPECT_EQ(notifies(HookOn::approval_reminded), row.asked) << row.kind;
    EXPECT_EQ(notifies(HookOn::job_failed), row.failed) << row.kind;
    EXPECT_EQ(notifies(HookOn::job_ended), row.completed) << row.kind;
    EXPECT_EQ(notifies(HookOn::device_paired), row.paired) << row.kind;
    EXPECT_FALSE(notifies(HookOn::job_started)) << row.kind;
  }
}

TEST_F(PushPlans, ADeviceIsNotifiedOfItsProjectsAlone) {
  Device device = device_with_push({"asks", "failures"});
  device.projects = {"web"};
  add(device);
  EXPECT_TRUE(notifies(HookOn::job_failed, "web"));
  EXPECT_FALSE(notifies(HookOn::job_failed, "shop"));
  EXPECT_FALSE(notifies(HookOn::alert_raised, "")) << "of the machine";
}

TEST_F(PushPlans, TheCooldownIsNotAboutAsks) {
  add(device_with_push({"asks", "failures"}));
  const HookRule rule = plans().front()->rule;
  EXPECT_EQ(rule.cooldown_ms, 600'000U);
  EXPECT_EQ(rule.cooled & mask_of(HookOn::question_asked), 0U);
  EXPECT_NE(rule.cooled & mask_of(HookOn::job_failed), 0U);
}

TEST_F(PushPlans, QuietHoursHoldBackWhatIsNotExempt) {
  config_.notifications.quiet_hours = "22:00-07:00";
  config_.notifications.quiet_except = {"question_asked"};
  add(device_with_push({"asks", "failures"}));
  ASSERT_THAT(names(), ElementsAre("push/d-1", "push/d-1/urgent"));
  EXPECT_TRUE(plans()[0]->quiet);
  EXPECT_FALSE(plans()[1]->quiet);
  EXPECT_EQ(plans()[1]->rule.on, mask_of(HookOn::question_asked));
  EXPECT_EQ(plans()[1]->since, 40U);
}

TEST_F(PushPlans, AServiceOfTheConfigurationIsItsOwn) {
  config_.web.push_services = {"https://push.example"};
  config_.web.hosts = {"luzia.example"};
  config_.web.push_dwell_ms = 0;
  add(device_with_push({"asks"}));
  const auto plan = plans().front();
  EXPECT_TRUE(std::get<Push>(plan->way).order.own_service);
  EXPECT_EQ(std::get<Push>(plan->way).order.contact, "https://luzia.example");
  EXPECT_EQ(plan->rule.dwell_ms, 0U);
}

TEST_F(PushPlans, DigestsHaveAQueueThatQuietHoursDoNotHoldBack) {
  HookConfig desk;
  desk.desktop = true;
  desk.digest = "07:00";
  desk.projects = {"web"};
  desk.dwell_ms = 10;
  config_.hooks["desk"] = desk;
  config_.notifications.quiet_hours = "22:00-07:00";
  ASSERT_THAT(names(), ElementsAre("desk/digest")) << "it is notified of nothing else";
  const auto plan = plans().front();
  EXPECT_EQ(plan->name, "desk");
  EXPECT_FALSE(plan->quiet);
  EXPECT_EQ(plan->rule.dwell_ms, 0U);
  EXPECT_THAT(plan->rule.projects, ElementsAre("web"));
  EXPECT_EQ(digest_times(config_).at("desk/digest"), (DailyTime{420, 1, 7}));
  config_.hooks["desk"].on = {"job_failed", "question_asked"};
  EXPECT_THAT(names(), ElementsAre("desk", "desk/digest", "desk/urgent"));
  config_.hooks["desk"].digest.clear();
  EXPECT_THAT(names(), ElementsAre("desk", "desk/urgent"));
  EXPECT_TRUE(digest_times(config_).empty());
}

TEST(FleetProgram, RunsWhileADatabaseIsNamed) {
  Config config;
  config.fleet.site = "web1";
  HookSurroundings surroundings{"/opt/luzia-run", "/socket", "/store", 0, {}, "/opt/bin/luzia"};
  EXPECT_FALSE(fleet_program(config, surroundings));
  config.fleet.url = "service=fleet";
  const auto program = fleet_program(config, surroundings);
  ASSERT_TRUE(program);
  EXPECT_THAT(program->command, ElementsAre("/opt/bin/luzia-fleet", "run", "--store", "/store"));
  EXPECT_EQ(program->stop_signal, SIGTERM);
  surroundings.config_file = "/etc/own.toml";
  EXPECT_THAT(fleet_program(config, surroundings)->command,
              ElementsAre("/opt/bin/luzia-fleet", "run", "--store", "/store", "--config", "/etc/own.toml"));
}

TEST(FleetProgram, StartsOverWhenItsSettingsChange) {
  Config before;
  before.fleet.url = "service=fleet";
  const HookSurroundings surroundings{"/opt/luzia-run", "/socket", "/store", 0};
  const auto program = [&](const Config& config) { return fleet_program(config, surroundings); };
  EXPECT_EQ(program(before), program(before));
  for (std::string FleetConfig::*key : {&FleetConfig::url, &FleetConfig::site, &FleetConfig::password_file}) {
    Config after = before;
    after.fleet.*key = "other";
    EXPECT_NE(program(after), program(before));
  }
}

TEST(FleetProgram, GetsWhereFilesAreButNoPassword) {
  ::setenv("PGPASSFILE", "/home/x/.pgpass", 1);
  ::setenv("PGPASSWORD", "hunter2", 1);
  Config config;
  config.fleet.url = "service=fleet";
  const auto program = fleet_program(config, {"/opt/luzia-run", "/socket", "/store", 0});
  ::unsetenv("PGPASSFILE");
  ::unsetenv("PGPASSWORD");
  ASSERT_TRUE(program);
  EXPECT_THAT(program->environment, Contains("PGPASSFILE=/home/x/.pgpass"));
  EXPECT_THAT(program->environment, Not(Contains(HasSubstr("hunter2"))));
}

}  // namespace
}  // namespace luzia
