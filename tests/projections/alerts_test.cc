// Core view alerts: each alert once, in its present or last state.
#include "projections/alerts.h"

#include "projections/rows/overview_parts.h"
#include "tests/projections/views_fixture.h"

namespace luzia::test {
namespace {

using schema::Severity;

NewEvent raised(const std::string& alert, Severity severity, double value) {
  schema::AlertRaisedT fact;
  fact.alert = alert;
  fact.alert_type = "RESOURCE_WARNING";
  fact.severity = severity;
  fact.message = alert + " is short";
  fact.value = value;
  fact.threshold = 80;
  return new_event("system", std::move(fact));
}

NewEvent over(const std::string& alert, double value) {
  schema::AlertEndedT fact;
  fact.alert = alert;
  fact.value = value;
  return new_event("system", std::move(fact));
}

class AlertsView : public ViewsTest {
 protected:
  /// Lines like "memory 2 since 1s", with the end time if it has ended.
  std::vector<std::string> listed(wire::QueryT query = {}, bool sees_everything = true) {
    query.view = wire::View::alerts;
    QuerySources sources{log_, {}, {}};
    if (!sees_everything) sources.may_see = [](std::string_view project) { return project == "p"; };
    const auto page = run_query(rows(), sources, query);
    EXPECT_TRUE(page);
    std::vector<std::string> list;
    for (const std::string& bytes : page->rows) {
      const auto* row = flatbuffers::GetRoot<view::Alert>(bytes.data());
      std::string words = row->alert()->str() + " " + schema::EnumNameSeverity(row->severity()) + " since " +
                          std::to_string((row->since_us() - kEpoch) / kSecondUs) + "s";
      if (row->ended_us() != 0) {
        words += " until " + std::to_string((row->ended_us() - kEpoch) / kSecondUs) + "s";
      }
      list.push_back(std::move(words));
    }
    return list;
  }
};

TEST_F(AlertsView, SeverityChangeKeepsTheStart) {
  writer_.write(kSecondUs, raised("memory", Severity::warning, 85));
  writer_.write(kSecondUs, raised("memory", Severity::critical, 96));
  const auto open = open_alerts(rows());
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].severity, Severity::critical);
  EXPECT_EQ(open[0].since_us, kEpoch + kSecondUs);
  EXPECT_EQ(open[0].value, 96);
  EXPECT_EQ(open[0].message, "memory is short");
  EXPECT_EQ(open[0].position, 2u);
}

TEST_F(AlertsView, EndedAlertStaysUntilReplaced) {
  writer_.write(kSecondUs, raised("memory", Severity::warning, 85));
  writer_.write(kSecondUs, raised("disk", Severity::critical, 100));
  writer_.write(kSecondUs, over("memory", 60));
  EXPECT_THAT(listed(), ElementsAre("disk critical since 2s", "memory warning since 1s until 3s"));
  EXPECT_EQ(open_alerts(rows()).size(), 1u);
  writer_.write(kSecondUs, raised("memory", Severity::warning, 90));
  EXPECT_THAT(listed(), ElementsAre("disk critical since 2s", "memory warning since 4s"));
}

TEST_F(AlertsView, EndOfAnUnknownAlertIsIgnored) {
  writer_.write(kSecondUs, over("memory", 1));
  EXPECT_THAT(listed(), ElementsAre());
}

TEST_F(AlertsView, FiltersExcludeEndedAndOtherTimes) {
  writer_.write(kSecondUs, raised("memory", Severity::warning, 85));
  writer_.write(kSecondUs, over("memory", 60));
  writer_.write(kSecondUs, raised("disk", Severity::warning, 100));
  wire::QueryT query;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->ended = false;
  EXPECT_THAT(listed(query), ElementsAre("disk warning since 3s"));
  query.filter->ended = true;
  query.filter->until_us = kEpoch + 2 * kSecondUs;
  EXPECT_THAT(listed(query), ElementsAre("memory warning since 1s until 2s"));
  query.filter->until_us = 0;
  query.filter->since_us = kEpoch + 2 * kSecondUs;
  EXPECT_THAT(listed(query), ElementsAre("disk warning since 3s", "memory warning since 1s until 2s"))
      << "it lasted until then";
  query.filter->since_us = kEpoch + 9 * kSecondUs;
  EXPECT_THAT(listed(query), ElementsAre("disk warning since 3s")) << "it still lasts";
}

TEST_F(AlertsView, StatusShowsEndedAlertsOfItsTimeOnly) {
  wire::QueryT status;
  status.filter = std::make_unique<wire::FilterT>();
  status.filter->since_us = kEpoch;
  EXPECT_EQ(query_of_part(status, wire::View::alerts).filter->since_us, 0) << "open ones, however old";
  status.ended_alerts = true;
  EXPECT_EQ(query_of_part(status, wire::View::alerts).filter->since_us, kEpoch);
}

TEST_F(AlertsView, PastAlertsAreShownAsTheyWere) {
  writer_.write(kSecondUs, raised("memory", Severity::warning, 85));
  writer_.write(kSecondUs, over("memory", 60));
  wire::QueryT query;
  query.at_position = 1;
  EXPECT_THAT(listed(query), ElementsAre("memory warning since 1s"));
}

TEST_F(AlertsView, OnlyUnrestrictedCallersSeeAlerts) {
  writer_.write(kSecondUs, raised("memory", Severity::warning, 85));
  EXPECT_THAT(listed({}, false), ElementsAre());
}

}  // namespace
}  // namespace luzia::test
