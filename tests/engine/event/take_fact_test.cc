// The case for a fact is called, and no other.
#include "engine/event/take_fact.h"

#include <gtest/gtest.h>

#include <string>

#include "event.fb.h"

namespace luzia {
namespace {

std::string told(const schema::AlertEventT& alert) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::CreateAlertEvent(builder, &alert));
  const auto& event = *flatbuffers::GetRoot<schema::AlertEvent>(builder.GetBufferPointer());
  std::string taken;
  take_fact(
      event, [&](const schema::AlertRaised& fact) { taken += "raised " + fact.alert()->str(); },
      [&](const schema::AlertEnded&) { taken += "ended"; });
  return taken + ", " +
         fact_or(
             std::string("unknown"), event, [](const schema::AlertRaised&) { return "raised"; },
             [](const schema::AlertEnded& fact) { return "ended " + fact.alert()->str(); });
}

TEST(TakeFact, CallsTheCaseOfTheFact) {
  schema::AlertEventT alert;
  schema::AlertRaisedT raised;
  raised.alert = "disk";
  alert.fact.Set(std::move(raised));
  EXPECT_EQ(told(alert), "raised disk, raised");
  schema::AlertEndedT ended;
  ended.alert = "load";
  alert.fact.Set(std::move(ended));
  EXPECT_EQ(told(alert), "ended, ended load");
}

TEST(TakeFact, CallsNoCaseForAnEventWithoutAKnownFact) {
  EXPECT_EQ(told(schema::AlertEventT()), ", unknown");
}

}  // namespace
}  // namespace luzia
