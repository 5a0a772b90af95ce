#include "projections/alerts.h"

#include "engine/event/event.h"

namespace luzia {
namespace {

class Alerts : public OneView<Projection, view::Alert, kAlertsView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    const auto* alert = event.payload_as_AlertEvent();
    if (!alert) return;
    switch (alert->fact_type()) {
      case schema::AlertFact::NONE:
        return;
      case schema::AlertFact::AlertRaised:
        return raise(*alert->fact_as_AlertRaised(), event);
      case schema::AlertFact::AlertEnded:
        return end(*alert->fact_as_AlertEnded(), event);
    }
  }

 private:
  void raise(const schema::AlertRaised& fact, const schema::Event& event) {
    view::AlertT& row = rows_.edit(text(fact.alert()));
    const bool is_open = row.since_us != 0 && row.ended_us == 0;  // then only its severity changes
    if (!is_open) row.since_us = event.time_us();
    row.ended_us = 0;
    row.alert = text(fact.alert());
    row.alert_type = text(fact.alert_type());
    row.severity = fact.severity();
    row.message = text(fact.message());
    row.recommendation = text(fact.recommendation());
    row.value = fact.value();
    row.threshold = fact.threshold();
    row.expires_us = fact.expires_us();
    row.position = event.position();
  }
  void end(const schema::AlertEnded& fact, const schema::Event& event) {
    view::AlertT* row = rows_.edit_existing(text(fact.alert()));
    if (!row) return;
    row->ended_us = event.time_us();
    row->value = fact.value();
    row->position = event.position();
  }
};

}  // namespace

std::unique_ptr<Projection> make_alerts_projection(ViewReaderSource rows) {
  return std::make_unique<Alerts>(std::move(rows));
}

std::vector<view::AlertT> open_alerts(const ViewReader& rows) {
  std::vector<view::AlertT> alerts = all_rows<view::Alert>(rows, kAlertsView);
  std::erase_if(alerts, [](const view::AlertT& alert) { return alert.ended_us != 0; });
  return alerts;
}

}  // namespace luzia
