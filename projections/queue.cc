#include "projections/queue.h"

#include "engine/event/event.h"

namespace luzia {
namespace {

class QueueSwitches : public Projection {
 public:
  explicit QueueSwitches(ViewReaderSource rows) : switches_(kQueueView, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kQueueView}; }

  void fold(const schema::Event& event) override {
    const auto* queue = event.payload_as_QueueEvent();
    if (!queue) return;
    switch (queue->fact_type()) {
      case schema::QueueFact::QueuePaused: {
        const auto& fact = *queue->fact_as_QueuePaused();
        view::QueueSwitchT& row = switches_.edit(text(fact.project()));
        if (!row.paused) row.since_us = event.time_us();
        row.paused = true;
        row.scope = text(fact.project());
        row.note = text(fact.note());
        return;
      }
      case schema::QueueFact::QueueResumed:
        switches_.erase(text(queue->fact_as_QueueResumed()->project()));
        return;
      case schema::QueueFact::NONE:
      case schema::QueueFact::BreakerOpened:
      case schema::QueueFact::BreakerClosed:
        return;
    }
  }
  void flush(RowBatch& batch) override { switches_.flush(batch); }

 private:
  RowTable<view::QueueSwitch> switches_;
};

}  // namespace

std::unique_ptr<Projection> make_queue_projection(ViewReaderSource rows) {
  return std::make_unique<QueueSwitches>(std::move(rows));
}

std::vector<view::QueueSwitchT> queue_switches(const ViewReader& rows) {
  std::vector<view::QueueSwitchT> switches;
  rows.scan(row_key(kQueueView, ""), row_end(kQueueView), [&](std::string_view, std::string_view value) {
    switches.push_back(StoredRow<view::QueueSwitch>(value).native());
    return true;
  });
  return switches;
}

}  // namespace luzia
