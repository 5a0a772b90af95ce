#include "projections/queue.h"

#include "engine/event/take_fact.h"

namespace luzia {
namespace {

class QueueSwitches : public Projection {
 public:
  explicit QueueSwitches(ViewReaderSource rows)
      : switches_(kQueueView, rows),
        breakers_(kBreakersView, rows),
        limits_(kAgentLimitsView, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kQueueView, kBreakersView, kAgentLimitsView}; }

  void fold(const schema::Event& event) override {
    const auto* system = event.payload_as_SystemEvent();
    const auto* stopped = system ? system->fact_as_DaemonStopped() : nullptr;
    if (stopped && text(stopped->reason()) == kAskedToStop) end_drain();
    const auto* queue = event.payload_as_QueueEvent();
    if (queue) fold_queue(*queue, event.time_us());
  }
  void flush(RowBatch& batch) override {
    switches_.flush(batch);
    breakers_.flush(batch);
    limits_.flush(batch);
  }

 private:
  void fold_queue(const schema::QueueEvent& queue, TimeUs at) {
    take_fact(
        queue,
        [&](const schema::QueuePaused& fact) {
          view::QueueSwitchT& row = switches_.edit(text(fact.project()));
          if (!row.paused) row.since_us = at;
          row.paused = true;
          row.scope = text(fact.project());
          row.note = text(fact.note());
        },
        [&](const schema::QueueResumed& fact) { end_pause(text(fact.project())); },
        [&](const schema::BreakerOpened& fact) {
          view::BreakerT& row = breakers_.edit(text(fact.project()));
          row.project = text(fact.project());
          row.failures = fact.failures();
          row.until_us = fact.until_us();
        },
        [&](const schema::BreakerClosed& fact) { breakers_.erase(text(fact.project())); },
        [&](const schema::AgentParked& fact) {
          view::AgentLimitT& row = limits_.edit(text(fact.agent()));
          if (row.agent.empty()) row.since_us = at;
          row.agent = text(fact.agent());
          row.until_us = fact.until_us();
          row.limit = text(fact.limit());
          row.job = text(fact.job());
        },
        [&](const schema::AgentUnparked& fact) { limits_.erase(text(fact.agent())); },
        [&](const schema::DrainStarted& fact) {
          view::QueueSwitchT& row = switches_.edit("");
          if (!row.draining) row.draining_since_us = at;
          row.draining = true;
          row.draining_note = text(fact.note());
        },
        [&](const schema::DrainEnded&) { end_drain(); }, [&](const schema::ProjectBudgetNoted&) {},
        [&](const schema::ProjectBudgetLifted&) {});
  }
  /// Ends a pause. The row stays while its other switch is on.
  void end_pause(std::string_view scope) {
    const auto row = switches_.find(scope);
    if (!row || !row->draining) return switches_.erase(scope);
    view::QueueSwitchT& kept = switches_.edit(scope);
    kept.paused = false;
    kept.since_us = 0;
    kept.note.clear();
  }
  void end_drain() {
    const auto row = switches_.find("");
    if (!row || !row->draining) return;
    if (!row->paused) return switches_.erase("");
    view::QueueSwitchT& kept = switches_.edit("");
    kept.draining = false;
    kept.draining_since_us = 0;
    kept.draining_note.clear();
  }

  RowTable<view::QueueSwitch> switches_;
  RowTable<view::Breaker> breakers_;
  RowTable<view::AgentLimit> limits_;
};

}  // namespace

std::unique_ptr<Projection> make_queue_projection(ViewReaderSource rows) {
  return std::make_unique<QueueSwitches>(std::move(rows));
}

std::vector<view::QueueSwitchT> queue_switches(const ViewReader& rows) {
  return all_rows<view::QueueSwitch>(rows, kQueueView);
}

schema::BreakerOpenedT breaker_fact(const view::BreakerT& row) {
  return {{}, row.project, row.failures, row.until_us};
}

std::vector<view::BreakerT> open_breakers(const ViewReader& rows) {
  return all_rows<view::Breaker>(rows, kBreakersView);
}

schema::AgentParkedT agent_parked_fact(const view::AgentLimitT& row) {
  return {{}, row.agent, row.until_us, row.limit, row.job};
}

std::vector<view::AgentLimitT> agent_limits(const ViewReader& rows) {
  return all_rows<view::AgentLimit>(rows, kAgentLimitsView);
}

}  // namespace luzia
