// The tables of tool calls, usage and outcomes, by day.
#include "projections/rows/buckets.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

using view::CostDay;
using view::OutcomeDay;
using view::ToolDay;

ExportValue quantile_value(const flatbuffers::Vector<std::uint64_t>* buckets, double q, std::uint64_t sum_us,
                           std::uint64_t count) {
  if (buckets == nullptr || buckets->size() == 0 || count == 0) return {};
  const std::vector<std::uint64_t> counts(buckets->begin(), buckets->end());
  return bucket_quantile(counts, q, sum_us, count);
}

constexpr ExportField<ToolDay> kWhatToolDayIs[] = {
    {{"day", kText, "UTC, of the calls."}, as_named<&ToolDay::day, day_text>},
    {{"project", kText, "Project of the jobs."}, as_key<&ToolDay::project>},
    {{"agent", kText, "Agent that called."}, as_key<&ToolDay::agent>},
    {{"model", kText, "Empty where the agent names none."}, as_key<&ToolDay::model>},
    {{"name", kText, "Of the tool."}, as_key<&ToolDay::tool>},
    {{"calls", kInteger, "How often it was called."}, as_is<&ToolDay::calls>},
    {{"failures", kInteger, "Calls that failed."}, as_is<&ToolDay::failures>},
    {{"denials", kInteger, "Calls that were denied."}, as_is<&ToolDay::denials>},
    {{"mean_ms", kReal, "Of the calls whose duration is known."},
     [](const ToolDay& row, TimeUs) { return plain_value(mean_ms(row.sum_us(), row.timed())); }},
    {{"p95_ms", kReal, "95 of 100 took less, within 19 %."},
     [](const ToolDay& row, TimeUs) {
       return quantile_value(row.buckets(), 0.95, row.sum_us(), row.timed());
     }},
};

constexpr ExportField<CostDay> kWhatCostDayIs[] = {
    {{"day", kText, "UTC, of the report."}, as_named<&CostDay::day, day_text>},
    {{"project", kText, "Project of the jobs."}, as_key<&CostDay::project>},
    {{"agent", kText, "Agent that used it."}, as_key<&CostDay::agent>},
    {{"model", kText, "Empty where the agent names none."}, as_key<&CostDay::model>},
    {{"jobs", kInteger, "That used the model for the first time."}, as_is<&CostDay::jobs>},
    {{"input_tokens", kInteger, "Tokens that the model read."},
     as_part<&CostDay::tokens, &view::Tokens::input>},
    {{"output_tokens", kInteger, "Tokens that the model wrote."},
     as_part<&CostDay::tokens, &view::Tokens::output>},
    {{"cache_read_tokens", kInteger, "Tokens that came from a cache."},
     as_part<&CostDay::tokens, &view::Tokens::cache_read>},
    {{"cache_write_tokens", kInteger, "Tokens that went into a cache."},
     as_part<&CostDay::tokens, &view::Tokens::cache_write>},
    {{"cost_usd", kReal, "What the agents say that it cost."}, as_is<&CostDay::cost_usd>},
};

/// {"exit_code":2,"timed_out":1}
ExportValue reasons_value(const OutcomeDay& row, TimeUs) {
  JsonObject object;
  if (row.reasons()) {
    for (const auto* reason : *row.reasons())
      object.number(end_reason_name(reason->reason()), reason->count());
  }
  return object.take();
}

constexpr ExportField<OutcomeDay> kWhatOutcomeDayIs[] = {
    {{"day", kText, "UTC, of the jobs' end."}, as_named<&OutcomeDay::day, day_text>},
    {{"project", kText, "Project of the jobs."}, as_key<&OutcomeDay::project>},
    {{"agent", kText, "Agent of the jobs."}, as_key<&OutcomeDay::agent>},
    {{"model", kText, "That the agent named last; empty where it names none."}, as_key<&OutcomeDay::model>},
    {{"jobs", kInteger, "That ended, each once, as it stands."},
     [](const OutcomeDay& row, TimeUs) {
       return plain_value(row.completed() + row.failed() + row.killed() + row.timed_out() + row.lost() +
                          row.skipped() + row.cancelled());
     }},
    {{"completed", kInteger, "Jobs that completed."}, as_is<&OutcomeDay::completed>},
    {{"failed", kInteger, "Jobs that failed."}, as_is<&OutcomeDay::failed>},
    {{"killed", kInteger, "Jobs that were cancelled or killed while they ran."}, as_is<&OutcomeDay::killed>},
    {{"timed_out", kInteger, "Jobs whose time was over."}, as_is<&OutcomeDay::timed_out>},
    {{"lost", kInteger, "Jobs whose end nobody saw."}, as_is<&OutcomeDay::lost>},
    {{"first_try", kInteger, "Completed by their first attempt."}, as_is<&OutcomeDay::first_try>},
    {{"retries", kInteger, "Attempts after the first."}, as_is<&OutcomeDay::retries>},
    {{"reasons", kText, "Of those that did not complete: JSON, reason and count."}, reasons_value},
    {{"run_mean_ms", kReal, "Time of all attempts of a job, without what they waited for people."},
     [](const OutcomeDay& row, TimeUs) { return plain_value(mean_ms(row.run_sum_us(), row.started())); }},
    {{"run_p50_ms", kReal, "Half of them took less, within 19 %."},
     [](const OutcomeDay& row, TimeUs) {
       return quantile_value(row.run_buckets(), 0.5, row.run_sum_us(), row.started());
     }},
    {{"run_p95_ms", kReal, "95 of 100 took less, within 19 %."},
     [](const OutcomeDay& row, TimeUs) {
       return quantile_value(row.run_buckets(), 0.95, row.run_sum_us(), row.started());
     }},
    {{"queue_wait_mean_ms", kReal, "Queued to first start."},
     [](const OutcomeDay& row, TimeUs) { return plain_value(mean_ms(row.wait_sum_us(), row.started())); }},
    {{"queue_wait_p95_ms", kReal, "95 of 100 waited less, within 19 %."},
     [](const OutcomeDay& row, TimeUs) {
       return quantile_value(row.wait_buckets(), 0.95, row.wait_sum_us(), row.started());
     }},
    {{"human_wait_seconds", kReal, "That they waited for people, together."},
     as_seconds<&OutcomeDay::human_wait_us>},
    {{"input_tokens", kInteger, "Tokens that the models read."},
     as_part<&OutcomeDay::tokens, &view::Tokens::input>},
    {{"output_tokens", kInteger, "Tokens that the models wrote."},
     as_part<&OutcomeDay::tokens, &view::Tokens::output>},
    {{"cost_usd", kReal, "What the agents say that they cost."}, as_is<&OutcomeDay::cost_usd>},
    {{"issues", kInteger, "Known problems in their last attempts."}, as_is<&OutcomeDay::issues>},
    {{"warnings", kInteger, "Of their last attempts."}, as_is<&OutcomeDay::warnings>},
    {{"skipped", kInteger, "Jobs that never ran, since a job that they depend on did not complete."},
     as_is<&OutcomeDay::skipped>},
    {{"cancelled", kInteger, "Jobs that were cancelled before they ran."}, as_is<&OutcomeDay::cancelled>},
};

}  // namespace

ExportTable tool_usage_export_table() {
  return table_of<ToolDay, kWhatToolDayIs>("tool_usage",
                                           "Which tools agents called, by day, project, agent and model.",
                                           wire::View::tools, 5, {"name", "project"});
}

ExportTable costs_export_table() {
  return table_of<CostDay, kWhatCostDayIs>(
      "costs", "Tokens and money that agents used, by day, project, agent and model.", wire::View::costs, 4,
      {"project", "model"});
}

ExportTable outcomes_export_table() {
  return table_of<OutcomeDay, kWhatOutcomeDayIs>(
      "outcomes", "How jobs came out, by the day of their end, project, agent and model.",
      wire::View::outcomes, 4, {"project", "agent"});
}

}  // namespace luzia
