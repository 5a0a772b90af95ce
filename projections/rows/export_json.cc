#include "projections/rows/export_json.h"

#include "projections/rows/export_table.h"
#include "projections/rows/flow_rows.h"
#include "projections/rows/input_rows.h"
#include "projections/rows/issue_rows.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/times.h"
#include "projections/rows/usage_rows.h"

namespace luzia {
namespace {

using ExportedJson = std::optional<std::string>;

ExportedJson exported_job(Bytes bytes, TimeUs as_of) {
  const auto* row = verified_row<view::Job>(bytes);
  return row == nullptr ? ExportedJson() : job_json(*row, as_of);
}

template <class Row, std::string (*kJson)(const Row&)>
ExportedJson exported(Bytes bytes, TimeUs) {
  const auto* row = verified_row<Row>(bytes);
  return row == nullptr ? ExportedJson() : kJson(*row);
}

/// key day project agent model jobs tokens{input,output,cache_read,cache_write} cost_usd.
ExportedJson exported_cost(Bytes bytes, TimeUs) {
  const auto* row = verified_row<view::CostDay>(bytes);
  if (row == nullptr) return {};
  JsonObject object;
  object.text("key", name_or_unknown(row->model()));
  object.text("day", day_text(row->day()));
  object.text("project", row->project());
  object.text("agent", row->agent());
  object.text_or_null("model", row->model());
  object.number("jobs", row->jobs());
  write_tokens(object, row->tokens());
  object.number("cost_usd", row->cost_usd());
  return object.take();
}

/// The columns of a table that has exactly one row per row of its view.
ExportedJson exported_columns(const ExportTable& table, Bytes bytes, TimeUs as_of) {
  std::vector<ExportRow> rows;
  if (!table.append(bytes, as_of, rows)) return {};
  return export_row_json(table, rows.front());
}

template <ExportTable (*kTable)()>
ExportedJson exported_row(Bytes bytes, TimeUs as_of) {
  static const ExportTable table = kTable();
  return exported_columns(table, bytes, as_of);
}

constexpr ExportList kExportLists[] = {
    {"jobs.json", "jobs", wire::View::jobs, exported_job},
    {"questions.json", "questions", wire::View::questions, exported<view::Question, question_json>},
    {"approvals.json", "approvals", wire::View::approvals, exported<view::Approval, approval_json>},
    {"issues.json", "issues", wire::View::issues, exported<view::Issue, issue_json>},
    {"issue_stats.json", "issue_stats", wire::View::issue_days, exported_row<issue_stats_export_table>},
    {"tool_usage.json", "tools", wire::View::tools, exported_row<tool_usage_export_table>},
    {"costs.json", "costs", wire::View::costs, exported_cost},
    {"outcomes.json", "outcomes", wire::View::outcomes, exported_row<outcomes_export_table>},
    {"flows.json", "flows", wire::View::flows, exported<view::Flow, flow_json>},
    {"learning.json", "solutions", wire::View::solutions, exported_row<solutions_export_table>},
    {"learning.json", "facts", wire::View::facts, exported_row<facts_export_table>},
};

}  // namespace

std::span<const ExportList> export_lists() {
  return kExportLists;
}

}  // namespace luzia
