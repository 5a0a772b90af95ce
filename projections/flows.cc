#include "projections/flows.h"

#include <algorithm>

#include "projections/flow_gates.h"
#include "projections/rows/buckets.h"
#include "projections/rows/flow_rows.h"

namespace luzia {
namespace {

constexpr std::size_t kMostNextSteps = 32;

std::string active_key(std::string_view flow) {
  return std::string("a").append(flow);
}
std::string ended_flow_key(std::string_view flow) {
  return std::string("e").append(flow);
}

/// The step completed last before now; null: none.
const view::FlowStepT* last_completed(const Flow& flow) {
  const view::FlowStepT* last = nullptr;
  for (const auto& step : flow.steps) {
    if (step->state != schema::StepState::completed) continue;
    if (last == nullptr || step->ended_us > last->ended_us) last = step.get();
  }
  return last;
}

/// If there are more than can be kept, the most frequent ones stay.
void count_next(view::StepStatisticT& row, const std::string& next) {
  const auto known = std::ranges::find_if(row.next, [&](const auto& each) { return each->step == next; });
  if (known != row.next.end()) {
    ++(*known)->count;
    return;
  }
  if (row.next.size() >= kMostNextSteps) {
    row.next.erase(std::ranges::min_element(row.next, {}, [](const auto& each) { return each->count; }));
  }
  auto& added = *row.next.emplace_back(std::make_unique<view::NextStepT>());
  added.step = next;
  added.count = 1;
}

class FlowsProjection : public Projection {
 public:
  explicit FlowsProjection(ViewReaderSource rows)
      : flows_(kFlowsView, rows), statistics_(kStepStatisticsView, rows), gates_(std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override {
    return {kFlowsView, kStepStatisticsView, kFlowGatesView};
  }

  void fold(const schema::Event& event) override {
    const auto* fact = event.payload_as_FlowEvent();
    const std::string id(flow_of_stream(text(event.stream())));
    if (fact == nullptr || id.empty()) return;
    Flow* flow = flows_.edit_existing(active_key(id));
    if (flow == nullptr) flow = flows_.edit_existing(ended_flow_key(id));
    if (flow == nullptr) {
      if (fact->fact_type() != schema::FlowFact::FlowCreated) return;  // of a newer program
      flow = &flows_.edit(active_key(id));
    }
    const std::string key = flow_key_of(*flow, id);
    note_statistics(*flow, *fact, event);
    const auto gates = standing_of_gates(*flow);
    evolve(*flow, event);
    gates_.note(gates, *flow, event);
    const std::string moved = flow_key_of(*flow, id);
    if (moved != key) flows_.put(moved, flows_.take(key));
  }
  void flush(RowBatch& batch) override {
    flows_.flush(batch);
    statistics_.flush(batch);
    gates_.flush(batch);
  }

 private:
  static std::string flow_key_of(const Flow& flow, const std::string& id) {
    return flow.state == view::FlowState::active ? active_key(id) : ended_flow_key(id);
  }

  /// Call before the flow is changed by the event.
  void note_statistics(const Flow& flow, const schema::FlowEvent& flow_event, const schema::Event& event) {
    if (const auto* started = flow_event.fact_as_StepStarted()) {
      const std::string_view step = text(started->step());
      const view::FlowStepT* known = find_step(flow, step);
      if (known == nullptr || known->state == schema::StepState::in_progress) return;
      note_start(flow, step, event);
    } else if (const auto* ended = flow_event.fact_as_StepEnded()) {
      note_end(flow, *ended, event);
    }
  }
  void note_start(const Flow& flow, std::string_view step, const schema::Event& event) {
    ++row_of(flow, step, event).started;
    const view::FlowStepT* before = last_completed(flow);
    if (before != nullptr) count_next(row_of(flow, before->name, event), std::string(step));
  }
  void note_end(const Flow& flow, const schema::StepEnded& fact, const schema::Event& event) {
    const view::FlowStepT* step = find_step(flow, text(fact.step()));
    if (step == nullptr) return;
    // People report that a step is done, but seldom that they begin it: then this counts as its start too.
    const bool unannounced = step->state == schema::StepState::pending && step->job.empty();
    if (unannounced && fact.state() == schema::StepState::completed) note_start(flow, step->name, event);
    view::StepStatisticT& row = row_of(flow, step->name, event);
    if (fact.state() == schema::StepState::completed) ++row.completed;
    if (fact.state() == schema::StepState::failed) ++row.failed;
    if (fact.state() == schema::StepState::skipped) ++row.skipped;
    if (step->state != schema::StepState::in_progress || step->started_us == 0) return;
    const TimeUs end = fact.ended_us() != 0 ? fact.ended_us() : event.time_us();
    const auto took = static_cast<std::uint64_t>(std::max<TimeUs>(0, end - step->started_us));
    ++row.timed;
    row.sum_us += took;
    const std::size_t bucket = bucket_of(took / kMillisecondUs);
    if (row.buckets.size() <= bucket) row.buckets.resize(bucket + 1);
    ++row.buckets[bucket];
  }
  view::StepStatisticT& row_of(const Flow& flow, std::string_view step, const schema::Event& event) {
    view::StepStatisticT& row = statistics_.edit(step_statistic_key(flow.project, step));
    row.project = flow.project;
    row.step = step;
    row.last_us = event.time_us();
    return row;
  }

  RowTable<view::Flow> flows_;
  RowTable<view::StepStatistic> statistics_;
  FlowGates gates_;
};

}  // namespace

std::unique_ptr<Projection> make_flows_projection(ViewReaderSource rows) {
  return std::make_unique<FlowsProjection>(std::move(rows));
}

std::string step_statistic_key(std::string_view project, std::string_view step) {
  return joined_key({project, step});
}

void visit_active_flows(const ViewReader& rows, const std::function<void(Flow)>& visit) {
  rows.scan(row_key(kFlowsView, "a"), row_key(kFlowsView, "b"),
            [&](std::string_view, std::string_view value) {
              visit(StoredRow<view::Flow>(value).native());
              return true;
            });
}

view::ApprovalT approval_of_gate(const Flow& flow, const view::FlowStepT& step, TimeUs reached) {
  view::ApprovalT row;
  row.id = flow.id + "/" + step.name;
  row.project = flow.project;
  row.agent = step.agent;
  row.gate = step.gate;
  row.description = "step " + step.name + (step.description.empty() ? "" : ": " + step.description) +
                    (flow.description.empty() ? "" : " (" + flow.description + ")");
  row.asked_us = reached;
  row.source = "flow";
  row.position = flow.position;
  if (!waits_at_gate(step)) row.state = view::QuestionState::answered;
  return row;
}

std::optional<Flow> find_flow_state(const ViewReader& rows, std::string_view flow) {
  auto row = read_row<view::Flow>(rows, kFlowsView, active_key(flow));
  if (!row) row = read_row<view::Flow>(rows, kFlowsView, ended_flow_key(flow));
  return row ? std::optional<Flow>(row->native()) : std::nullopt;
}

}  // namespace luzia
