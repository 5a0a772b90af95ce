// The tables of flows and their steps.
#include <algorithm>

#include "projections/rows/export_fields.h"
#include "projections/rows/flow_rows.h"

namespace luzia {
namespace {

ExportValue steps_in(const view::Flow& row, schema::StepState state) {
  if (!row.steps()) return plain_value(0);
  return plain_value(
      std::ranges::count_if(*row.steps(), [&](const auto* step) { return step->state() == state; }));
}

constexpr ExportField<view::Flow> kWhatFlowIs[] = {
    {{"id", kText, "Id of the flow.", "FLOW"}, as_is<&view::Flow::id>},
    {{"project", kText, "Project that it is of."}, as_is<&view::Flow::project>},
    {{"description", kText, "What it is for."}, as_is<&view::Flow::description>},
    {{"state", kText, "active, completed, failed or cancelled."},
     as_named<&view::Flow::state, flow_state_name>},
    {{"steps", kInteger, "How many steps it has."},
     [](const view::Flow& row, TimeUs) { return plain_value(row.steps() ? row.steps()->size() : 0); }},
    {{"steps_completed", kInteger, "How many of them are completed."},
     [](const view::Flow& row, TimeUs) { return steps_in(row, schema::StepState::completed); }},
    {{"steps_failed", kInteger, "How many of them failed."},
     [](const view::Flow& row, TimeUs) { return steps_in(row, schema::StepState::failed); }},
    {{"tags", kText, "With commas between."}, as_is<&view::Flow::tags>},
    {{"user", kText, "Account that made it."}, as_is<&view::Flow::user>},
    {{"created_at", kText, "RFC 3339, UTC."}, as_time<&view::Flow::created_us>},
    {{"ended_at", kText, "RFC 3339, UTC."}, as_time<&view::Flow::ended_us>},
    {{"elapsed_seconds", kReal, "From its making to its end.", "TIME"},
     [](const view::Flow& row, TimeUs as_of) {
       const TimeUs end = row.ended_us() != 0 ? row.ended_us() : as_of;
       return seconds_value(std::max<TimeUs>(0, end - row.created_us()));
     }},
    {{"result", kText, "What came out."},
     [](const view::Flow& row, TimeUs) {
       Flow native;
       row.UnPackTo(&native);
       return plain_value(flow_result(native));
     }},
    {{"steps_skipped", kInteger, "How many of them were skipped."},
     [](const view::Flow& row, TimeUs) { return steps_in(row, schema::StepState::skipped); }},
};

struct PlacedStep {
  const view::Flow* flow;
  const view::FlowStep* step;
  std::size_t place;
};

constexpr ExportField<PlacedStep> kWhatStepIs[] = {
    {{"flow", kText, "Flow that it is of."}, as_part<&PlacedStep::flow, &view::Flow::id>},
    {{"step", kText, "Name of the step."}, as_part<&PlacedStep::step, &view::FlowStep::name>},
    {{"place", kInteger, "From 1, in the order of the flow."}, as_is<&PlacedStep::place>},
    {{"project", kText, "Project of the flow."}, as_part<&PlacedStep::flow, &view::Flow::project>},
    {{"state", kText, "pending, in_progress, completed, failed or skipped."},
     [](const PlacedStep& row, TimeUs) { return plain_value(step_state_name(row.step->state())); }},
    {{"needs", kText, "Steps that come before, with commas between."},
     as_part<&PlacedStep::step, &view::FlowStep::needs>},
    {{"agent", kText, "Agent that does it."}, as_part<&PlacedStep::step, &view::FlowStep::agent>},
    {{"gate", kText, "Gate before it."}, as_part<&PlacedStep::step, &view::FlowStep::gate>},
    {{"job", kText, "Job that did it last."}, as_part<&PlacedStep::step, &view::FlowStep::job>},
    {{"tries", kInteger, "How often it was begun."}, as_part<&PlacedStep::step, &view::FlowStep::tries>},
    {{"started_at", kText, "RFC 3339, UTC."},
     [](const PlacedStep& row, TimeUs) { return time_value(row.step->started_us()); }},
    {{"ended_at", kText, "RFC 3339, UTC."},
     [](const PlacedStep& row, TimeUs) { return time_value(row.step->ended_us()); }},
    {{"output", kText, "What came out, at most 512 bytes of it."},
     as_part<&PlacedStep::step, &view::FlowStep::output>},
    {{"error", kText, "What went wrong."}, as_part<&PlacedStep::step, &view::FlowStep::error>},
};

bool append_steps(Bytes bytes, TimeUs as_of, std::vector<ExportRow>& rows) {
  const auto* flow = verified_row<view::Flow>(bytes);
  if (flow == nullptr) return false;
  std::size_t place = 0;
  if (!flow->steps()) return true;
  for (const auto* step : *flow->steps()) {
    rows.push_back(values_of(kWhatStepIs, PlacedStep{flow, step, ++place}, as_of));
  }
  return true;
}

}  // namespace

Table flows_data(const std::vector<const view::Flow*>& flows, TimeUs now) {
  return data_table(kWhatFlowIs, flows, now);
}

ExportTable flows_export_table() {
  return table_of<view::Flow, kWhatFlowIs>(
      "flows", "Tasks of several steps, however long ago they ended, but for those that were removed.",
      wire::View::flows, 1, {"project", "state"});
}

ExportTable flow_steps_export_table() {
  return {"flow_steps",     "The steps of flows.", wire::View::flows, columns_of(kWhatStepIs), 2,
          {"job", "state"}, append_steps};
}

}  // namespace luzia
