#include "projections/tools.h"

#include <algorithm>

#include "engine/event/event.h"
#include "projections/rows/buckets.h"

namespace luzia {
namespace {

std::string call_key(std::string_view job, std::string_view call_id) {
  return std::string(kBehindDays) + joined_key({job, call_id});
}

class ToolsReport : public JobReport {
 public:
  explicit ToolsReport(const ViewReaderSource& rows) : days_(kToolsView, rows), calls_(kToolsView, rows) {}
  std::vector<ProjectionInfo> views() const override { return {kToolsView}; }

  void note(const JobStep& step) override {
    if (!step.job) return;
    if (const auto* tool = step.event.payload_as_ToolEvent()) return note_tool(step, *tool);
    const auto* job = step.event.payload_as_JobEvent();
    if (job && job->fact_as_AttemptEnded() && step.job->tool_calls > 0) forget_calls(step.job->id);
  }
  void flush(RowBatch& batch) override {
    days_.flush(batch);
    calls_.flush(batch);
  }

 private:
  void note_tool(const JobStep& step, const schema::ToolEvent& tool) {
    if (const auto* called = tool.fact_as_ToolCalled()) return note_call(step, *called);
    if (const auto* returned = tool.fact_as_ToolReturned()) return note_return(step, *returned);
    if (const auto* denied = tool.fact_as_ToolDenied()) note_denial(step, *denied);
  }

  void note_call(const JobStep& step, const schema::ToolCalled& fact) {
    ++day_of(*step.job, step.event.time_us(), step.job->model, text(fact.tool())).calls;
    if (text(fact.call_id()).empty() || calls_.find(call_key(step.job->id, text(fact.call_id())))) return;
    view::ActivityT& open = calls_.edit(call_key(step.job->id, ""));
    if (open.position >= kMaxOpenCalls) return;
    ++open.position;
    view::ActivityT& call = calls_.edit(call_key(step.job->id, text(fact.call_id())));
    call.type = text(fact.tool());
    call.text = step.job->model;
    call.time_us = step.event.time_us();
    call.position = static_cast<std::uint64_t>(std::max<TimeUs>(0, fact.at_us()));
  }

  void note_return(const JobStep& step, const schema::ToolReturned& fact) {
    // A denial has its own event, ToolDenied, which needs the call too.
    if (!fact.succeeded() && text(fact.failure()) == "denied") return;
    const auto call = take_call(step.job->id, text(fact.call_id()));
    view::ToolDayT& day = day_of_call(step, call.get(), text(fact.tool()));
    if (!fact.succeeded()) ++day.failures;
    if (const auto took = duration(fact, call.get(), step.event.time_us())) count(day, *took);
  }

  void note_denial(const JobStep& step, const schema::ToolDenied& fact) {
    const auto call = take_call(step.job->id, text(fact.call_id()));
    ++day_of_call(step, call.get(), text(fact.tool())).denials;
  }

  static std::optional<std::uint64_t> duration(const schema::ToolReturned& fact, const view::ActivityT* call,
                                               TimeUs now) {
    if (const auto said = fact.duration_us()) return *said;
    if (call == nullptr) return std::nullopt;
    const auto called_at = static_cast<TimeUs>(call->position);
    if (called_at != 0 && fact.at_us() >= called_at) {
      return static_cast<std::uint64_t>(fact.at_us() - called_at);
    }
    // If both lines were read at once, the time between them is unknown.
    if (now > call->time_us) return static_cast<std::uint64_t>(now - call->time_us);
    return std::nullopt;
  }

  /// The agent reports the times, so a call lasts a year at most.
  static void count(view::ToolDayT& day, std::uint64_t took) {
    took = std::min(took, static_cast<std::uint64_t>(365 * kDayUs));
    ++day.timed;
    day.sum_us += took;
    const std::size_t bucket = bucket_of(took / kMillisecondUs);
    if (day.buckets.size() <= bucket) day.buckets.resize(bucket + 1);
    ++day.buckets[bucket];
  }

  view::ToolDayT& day_of_call(const JobStep& step, const view::ActivityT* call, std::string_view named) {
    if (call == nullptr) return day_of(*step.job, step.event.time_us(), step.job->model, named);
    return day_of(*step.job, call->time_us, call->text, call->type);
  }

  view::ToolDayT& day_of(const view::JobT& job, TimeUs time, std::string_view model, std::string_view tool) {
    const auto number = static_cast<std::uint32_t>(std::max<TimeUs>(0, time) / kDayUs);
    view::ToolDayT& day = days_.edit(day_key(number, {job.project, job.agent, model, tool}));
    if (day.day == 0) {
      day.day = number;
      day.project = job.project;
      day.agent = job.agent;
      day.model = model;
      day.tool = tool;
    }
    return day;
  }

  /// Takes the call that has returned; null: it is not known.
  std::unique_ptr<view::ActivityT> take_call(std::string_view job, std::string_view call_id) {
    if (call_id.empty()) return nullptr;
    auto call = calls_.take(call_key(job, call_id));
    if (call) --calls_.edit(call_key(job, "")).position;
    return call;
  }

  void forget_calls(std::string_view job) {
    calls_.erase_range(call_key(job, ""), after_prefix(call_key(job, "")));
  }

  RowTable<view::ToolDay> days_;
  RowTable<view::Activity> calls_;
};

}  // namespace

std::string day_key(std::uint32_t day, std::initializer_list<std::string_view> names) {
  std::string key = big_endian_32(day);
  for (const std::string_view name : names) key.append(name).push_back('\0');
  return key;
}

std::unique_ptr<JobReport> make_tools_report(const ViewReaderSource& rows) {
  return std::make_unique<ToolsReport>(rows);
}

}  // namespace luzia
