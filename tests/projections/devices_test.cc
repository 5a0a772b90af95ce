// Core view devices: each device once, now and then, without its secret.
#include "projections/devices.h"

#include "projections/rows/device_rows.h"
#include "projections/rows/event_text.h"
#include "projections/rows/json.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

template <class Fact>
NewEvent device_event(const std::string& id, Fact fact) {
  fact.device = id;
  return new_event(device_stream(id), std::move(fact));
}

NewEvent paired(const std::string& id, const std::string& name) {
  schema::DevicePairedT fact;
  fact.name = name;
  fact.person = "anna";
  fact.role = schema::DeviceRole::operator_;
  fact.projects = {"web"};
  fact.secret_hash = {0xde, 0xad};
  fact.address = "192.0.2.1";
  return device_event(id, std::move(fact));
}

NewEvent revoked(const std::string& id) {
  schema::DeviceRevokedT fact;
  fact.note = "lost";
  return device_event(id, std::move(fact));
}

NewEvent seen(const std::string& id, const std::string& address) {
  schema::DeviceSeenT fact;
  fact.address = address;
  return device_event(id, std::move(fact));
}

NewEvent pushed(const std::string& id) {
  schema::PushSubscribedT fact;
  fact.service = "https://push.example";
  fact.kinds = {"asks", "ends"};
  fact.push_endpoint = "https://push.example/s3cret";
  fact.push_key.assign(65, 4);
  fact.push_auth.assign(16, 5);
  return device_event(id, std::move(fact));
}

class DevicesView : public ViewsTest {
 protected:
  std::vector<std::string> listed(wire::QueryT query = {}, bool sees_everything = true) {
    query.view = wire::View::devices;
    QuerySources sources{log_, {}, {}};
    if (!sees_everything) sources.may_see = [](std::string_view project) { return project == "web"; };
    const auto page = run_query(rows(), sources, query);
    EXPECT_TRUE(page);
    std::vector<std::string> list;
    for (const std::string& bytes : page->rows) {
      const auto* row = flatbuffers::GetRoot<view::Device>(bytes.data());
      EXPECT_TRUE(row->secret_hash() == nullptr || row->secret_hash()->size() == 0);
      list.push_back(row->name()->str() +
                     (row->revoked_us() == 0 ? "" : " revoked by " + std::string(text(row->revoked_by()))) +
                     " at " + row->address()->str());
      json_ = device_json(*row, [](Position position) { return static_cast<TimeUs>(position) * kDayUs; });
    }
    return list;
  }

  std::string json_;
};

TEST_F(DevicesView, ShowsEachDeviceOnce) {
  writer_.write(kSecondUs, paired("d-1", "phone"), {.name = "ben"});
  writer_.write(kSecondUs, paired("d-2", "tablet"));
  writer_.write(kSecondUs, seen("d-1", "192.0.2.9"));
  writer_.write(kSecondUs, revoked("d-2"), {.name = "ben"});
  EXPECT_THAT(listed(), ElementsAre("phone at 192.0.2.9", "tablet revoked by ben at 192.0.2.1"));
  wire::QueryT in_force;
  in_force.filter = std::make_unique<wire::FilterT>();
  in_force.filter->ended = false;
  EXPECT_THAT(listed(std::move(in_force)), ElementsAre("phone at 192.0.2.9"));
  EXPECT_EQ(
      json_,
      R"({"id":"d-1","name":"phone","person":"anna","role":"operator","projects":["web"],)"
      R"("paired_at":"2026-01-01T00:00:01.000000Z","paired_by":"ben","seen_at":"2026-01-01T00:00:03.000000Z",)"
      R"("address":"192.0.2.9","revoked_at":null,"revoked_by":null,"note":null,"push":null,"position":3})");
}

TEST_F(DevicesView, PushesAreShownWithTheirBeginningAndEnd) {
  writer_.write(kSecondUs, paired("d-1", "phone"));
  writer_.write(kSecondUs, pushed("d-1"));
  writer_.write(kSecondUs, pushed("d-1"));
  listed();
  EXPECT_THAT(json_, HasSubstr(R"("push":{"service":"https://push.example","kinds":["asks","ends"],)"
                               R"("since":"1970-01-03T00:00:00.000000Z","ended":null},)"));
  schema::PushEndedT ended;
  ended.note = "gone";
  writer_.write(kSecondUs, device_event("d-1", std::move(ended)));
  listed();
  EXPECT_THAT(json_, HasSubstr(R"("push":{"service":null,"kinds":[],"since":null,"ended":"gone"},)"));
}

TEST_F(DevicesView, PastDevicesAreShownAsTheyWere) {
  writer_.write(kSecondUs, paired("d-1", "phone"));
  writer_.write(kSecondUs, revoked("d-1"));
  wire::QueryT query;
  query.at_position = 1;
  EXPECT_THAT(listed(std::move(query)), ElementsAre("phone at 192.0.2.1"));
}

TEST_F(DevicesView, OnlyUnrestrictedCallersSeeDevices) {
  writer_.write(kSecondUs, paired("d-1", "phone"));
  EXPECT_THAT(listed({}, false), ElementsAre());
}

TEST_F(DevicesView, SecretIsKeptUntilItIsRevokedAndShownToNobody) {
  writer_.write(kSecondUs, paired("d-1", "phone"));
  writer_.write(kSecondUs, paired("d-2", "tablet"));
  writer_.write(kSecondUs, revoked("d-2"));
  EXPECT_EQ(listed().size(), 2U);
  std::vector<std::size_t> sizes;
  visit_devices(*rows_, [&](const Device& device) { sizes.push_back(device.secret_hash.size()); });
  EXPECT_THAT(sizes, ElementsAre(2U, 0U));
  const auto group = log_.read_from(1)->next();
  ASSERT_TRUE(group && *group);
  const std::string json = event_json(*(*group)->events().front());
  EXPECT_THAT(json, HasSubstr(R"("role":"operator")"));
  EXPECT_THAT(json, Not(HasSubstr("secret")));
  EXPECT_THAT(json, Not(HasSubstr("dead")));
}

TEST_F(DevicesView, KeysOfPushesAreShownToNobody) {
  writer_.write(kSecondUs, paired("d-1", "phone"));
  writer_.write(kSecondUs, pushed("d-1"));
  visit_devices(rows(), [](const Device& device) {
    EXPECT_EQ(device.push_endpoint, "https://push.example/s3cret");
    EXPECT_EQ(device.push_since, 2U);
  });
  wire::QueryT query;
  query.view = wire::View::devices;
  const auto page = run_query(*store_.snapshot(), QuerySources{log_, {}, {}}, query);
  ASSERT_TRUE(page && page->rows.size() == 1);
  const auto* row = flatbuffers::GetRoot<view::Device>(page->rows.front().data());
  EXPECT_EQ(text(row->push_service()), "https://push.example");
  EXPECT_THAT(texts(row->push_kinds()), ElementsAre("asks", "ends"));
  EXPECT_EQ(page->rows.front().find("s3cret"), std::string::npos);
  EXPECT_TRUE(row->push_key() == nullptr || row->push_key()->size() == 0);
  EXPECT_TRUE(row->push_auth() == nullptr || row->push_auth()->size() == 0);
  const auto group = log_.read_from(2)->next();
  ASSERT_TRUE(group && *group);
  const schema::Event& event = *(*group)->events().front();
  const std::string json = event_json(event);
  EXPECT_THAT(json, HasSubstr(R"("service":"https://push.example","kinds":["asks","ends"])"));
  for (const char* hidden : {"s3cret", "push_key", "push_auth", "push_endpoint"})
    EXPECT_THAT(json, Not(HasSubstr(hidden)));
  EXPECT_EQ(event_text(event), "device d-1 is notified by push of asks, ends, through https://push.example");
}

TEST_F(DevicesView, EventsAreSentences) {
  writer_.write(kSecondUs, paired("d-1", "phone"));
  const auto group = log_.read_from(1)->next();
  ASSERT_TRUE(group && *group);
  EXPECT_EQ(
      event_text(*(*group)->events().front()),
      "device phone (d-1) paired for anna as operator, for web, from 192.0.2.1; if you do not know it: luzia "
      "web revoke d-1");
}

}  // namespace
}  // namespace luzia::test
