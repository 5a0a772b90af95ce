// The tables of tool calls, usage and outcomes, by day.
#include "projections/rows/buckets.h"
#include "projections/rows/export_fields.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

using view::CostDay;
using view::OutcomeDay;
using view::ToolDay;

/// Part of a key: empty if the agent names none, but never missing.
ExportValue name_value(const flatbuffers::String* name) {
  return ExportValue(std::string(text(name)));
}

ExportValue mean_ms_value(std::uint64_t sum_us, std::uint64_t count) {
  if (count == 0) return {};
  return static_cast<double>(sum_us) / static_cast<double>(count) / kMillisecondUs;
}

ExportValue quantile_value(const flatbuffers::Vector<std::uint64_t>* buckets, double q, std::uint64_t sum_us,
                           std::uint64_t count) {
  if (buckets == nullptr || buckets->size() == 0 || count == 0) return {};
  const std::vector<std::uint64_t> counts(buckets->begin(), buckets->end());
  return bucket_quantile(counts, q, sum_us, count);
}

constexpr ExportField<ToolDay> kWhatToolDayIs[] = {
    {{"day", kText, "UTC, of the calls."}, [](const ToolDay& row, TimeUs) { return day_value(row.day()); }},
    {{"project", kText, "Project of the jobs."},
     [](const ToolDay& row, TimeUs) { return name_value(row.project()); }},
    {{"agent", kText, "Agent that called."},
     [](const ToolDay& row, TimeUs) { return name_value(row.agent()); }},
    {{"model", kText, "Empty where the agent names none."},
     [](const ToolDay& row, TimeUs) { return name_value(row.model()); }},
    {{"name", kText, "Of the tool."}, [](const ToolDay& row, TimeUs) { return name_value(row.tool()); }},
    {{"calls", kInteger, "How often it was called."},
     [](const ToolDay& row, TimeUs) { return count_value(row.calls()); }},
    {{"failures", kInteger, "Calls that failed."},
     [](const ToolDay& row, TimeUs) { return count_value(row.failures()); }},
    {{"denials", kInteger, "Calls that were denied."},
     [](const ToolDay& row, TimeUs) { return count_value(row.denials()); }},
    {{"mean_ms", kReal, "Of the calls whose duration is known."},
     [](const ToolDay& row, TimeUs) { return mean_ms_value(row.sum_us(), row.timed()); }},
    {{"p95_ms", kReal, "95 of 100 took less, within 19 %."},
     [](const ToolDay& row, TimeUs) {
       return quantile_value(row.buckets(), 0.95, row.sum_us(), row.timed());
     }},
};

constexpr ExportField<CostDay> kWhatCostDayIs[] = {
    {{"day", kText, "UTC, of the report."}, [](const CostDay& row, TimeUs) { return day_value(row.day()); }},
    {{"project", kText, "Project of the jobs."},
     [](const CostDay& row, TimeUs) { return name_value(row.project()); }},
    {{"agent", kText, "Agent that used it."},
     [](const CostDay& row, TimeUs) { return name_value(row.agent()); }},
    {{"model", kText, "Empty where the agent names none."},
     [](const CostDay& row, TimeUs) { return name_value(row.model()); }},
    {{"jobs", kInteger, "That used the model for the first time."},
     [](const CostDay& row, TimeUs) { return count_value(row.jobs()); }},
    {{"input_tokens", kInteger, "Tokens that the model read."},
     [](const CostDay& row, TimeUs) { return count_value(row.tokens() ? row.tokens()->input() : 0); }},
    {{"output_tokens", kInteger, "Tokens that the model wrote."},
     [](const CostDay& row, TimeUs) { return count_value(row.tokens() ? row.tokens()->output() : 0); }},
    {{"cache_read_tokens", kInteger, "Tokens that came from a cache."},
     [](const CostDay& row, TimeUs) { return count_value(row.tokens() ? row.tokens()->cache_read() : 0); }},
    {{"cache_write_tokens", kInteger, "Tokens that went into a cache."},
     [](const CostDay& row, TimeUs) { return count_value(row.tokens() ? row.tokens()->cache_write() : 0); }},
    {{"cost_usd", kReal, "What the agents say that it cost."},
     [](const CostDay& row, TimeUs) { return ExportValue(row.cost_usd()); }},
};

/// {"exit_code":2,"timed_out":1}
ExportValue reasons_value(const OutcomeDay& row, TimeUs) {
  std::string out;
  JsonObject object(out);
  if (row.reasons()) {
    for (const auto* reason : *row.reasons())
      object.number(end_reason_name(reason->reason()), reason->count());
  }
  object.end();
  return out;
}

constexpr ExportField<OutcomeDay> kWhatOutcomeDayIs[] = {
    {{"day", kText, "UTC, of the jobs' end."},
     [](const OutcomeDay& row, TimeUs) { return day_value(row.day()); }},
    {{"project", kText, "Project of the jobs."},
     [](const OutcomeDay& row, TimeUs) { return name_value(row.project()); }},
    {{"agent", kText, "Agent of the jobs."},
     [](const OutcomeDay& row, TimeUs) { return name_value(row.agent()); }},
    {{"model", kText, "That the agent named last; empty where it names none."},
     [](const OutcomeDay& row, TimeUs) { return name_value(row.model()); }},
    {{"jobs", kInteger, "That ended, each once, as it stands."},
     [](const OutcomeDay& row, TimeUs) {
       return count_value(row.completed() + row.failed() + row.killed() + row.timed_out() + row.lost() +
                          row.skipped() + row.cancelled());
     }},
    {{"completed", kInteger, "Jobs that completed."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.completed()); }},
    {{"failed", kInteger, "Jobs that failed."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.failed()); }},
    {{"killed", kInteger, "Jobs that were cancelled or killed while they ran."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.killed()); }},
    {{"timed_out", kInteger, "Jobs whose time was over."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.timed_out()); }},
    {{"lost", kInteger, "Jobs whose end nobody saw."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.lost()); }},
    {{"first_try", kInteger, "Completed by their first attempt."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.first_try()); }},
    {{"retries", kInteger, "Attempts after the first."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.retries()); }},
    {{"reasons", kText, "Of those that did not complete: JSON, reason and count."}, reasons_value},
    {{"run_mean_ms", kReal, "Time of all attempts of a job, without what they waited for people."},
     [](const OutcomeDay& row, TimeUs) { return mean_ms_value(row.run_sum_us(), row.started()); }},
    {{"run_p50_ms", kReal, "Half of them took less, within 19 %."},
     [](const OutcomeDay& row, TimeUs) {
       return quantile_value(row.run_buckets(), 0.5, row.run_sum_us(), row.started());
     }},
    {{"run_p95_ms", kReal, "95 of 100 took less, within 19 %."},
     [](const OutcomeDay& row, TimeUs) {
       return quantile_value(row.run_buckets(), 0.95, row.run_sum_us(), row.started());
     }},
    {{"queue_wait_mean_ms", kReal, "Queued to first start."},
     [](const OutcomeDay& row, TimeUs) { return mean_ms_value(row.wait_sum_us(), row.started()); }},
    {{"queue_wait_p95_ms", kReal, "95 of 100 waited less, within 19 %."},
     [](const OutcomeDay& row, TimeUs) {
       return quantile_value(row.wait_buckets(), 0.95, row.wait_sum_us(), row.started());
     }},
    {{"human_wait_seconds", kReal, "That they waited for people, together."},
     [](const OutcomeDay& row, TimeUs) { return seconds_value(row.human_wait_us()); }},
    {{"input_tokens", kInteger, "Tokens that the models read."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.tokens() ? row.tokens()->input() : 0); }},
    {{"output_tokens", kInteger, "Tokens that the models wrote."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.tokens() ? row.tokens()->output() : 0); }},
    {{"cost_usd", kReal, "What the agents say that they cost."},
     [](const OutcomeDay& row, TimeUs) { return ExportValue(row.cost_usd()); }},
    {{"issues", kInteger, "Known problems in their last attempts."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.issues()); }},
    {{"warnings", kInteger, "Of their last attempts."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.warnings()); }},
    {{"skipped", kInteger, "Jobs that never ran, since a job that they depend on did not complete."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.skipped()); }},
    {{"cancelled", kInteger, "Jobs that were cancelled before they ran."},
     [](const OutcomeDay& row, TimeUs) { return count_value(row.cancelled()); }},
};

}  // namespace

ExportTable tool_usage_export_table() {
  return {"tool_usage",
          "Which tools agents called, by day, project, agent and model.",
          wire::View::tools,
          columns_of(kWhatToolDayIs),
          5,
          {"name", "project"},
          append_one<ToolDay, kWhatToolDayIs>};
}

ExportTable costs_export_table() {
  return {"costs",
          "Tokens and money that agents used, by day, project, agent and model.",
          wire::View::costs,
          columns_of(kWhatCostDayIs),
          4,
          {"project", "model"},
          append_one<CostDay, kWhatCostDayIs>};
}

ExportTable outcomes_export_table() {
  return {"outcomes",
          "How jobs came out, by the day of their end, project, agent and model.",
          wire::View::outcomes,
          columns_of(kWhatOutcomeDayIs),
          4,
          {"project", "agent"},
          append_one<OutcomeDay, kWhatOutcomeDayIs>};
}

}  // namespace luzia
