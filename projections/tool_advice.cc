#include "projections/tool_advice.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "engine/event/job_state.h"

namespace luzia {
namespace {

std::string advice_key(std::string_view project, std::string_view tool) {
  return "t" + joined_key({project, tool});
}

std::string run_key(std::string_view job) {
  return std::string("j").append(job);
}

/// Whether the call uses what was recommended: the tool, a tool of that server, or that command.
bool is_use_of(const schema::ToolCalled& call, std::string_view advised) {
  const std::string_view tool = text(call.tool()), subject = text(call.subject());
  if (tool == advised) return true;
  const std::string of_server = "mcp__" + std::string(advised) + "__";
  return tool.starts_with(of_server) || subject.starts_with(advised) ||
         subject.find(" " + std::string(advised)) != std::string_view::npos;
}

class ToolAdviceReport : public OneView<JobReport, view::ToolAdvice, kToolAdviceView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    if (step.job == nullptr) return;
    if (const auto* job = step.event.payload_as_JobEvent()) {
      if (const auto* built = job->fact_as_PromptBuilt()) return advised(step.job->id, *built);
    }
    if (const auto* tool = step.event.payload_as_ToolEvent()) {
      if (const auto* call = tool->fact_as_ToolCalled()) return called(step.job->id, *call);
    }
    if (is_terminal(step.job->state) && !is_terminal(step.before)) ended(*step.job);
  }

 private:
  /// A later attempt's prompt replaces the earlier one's.
  void advised(const std::string& job, const schema::PromptBuilt& built) {
    if (built.tools() == nullptr || built.tools()->size() == 0) return;
    const std::string key = run_key(job);
    rows_.edit(key).tools = texts(built.tools());
    if (runs_) runs_->insert(key);
  }

  void called(const std::string& job, const schema::ToolCalled& call) {
    const std::string key = run_key(job);
    const view::ToolAdviceT* run = has_run(key) ? rows_.find(key) : nullptr;
    if (run == nullptr) return;
    std::vector<std::string> fresh;
    for (const std::string& tool : run->tools) {
      if (is_use_of(call, tool) && std::ranges::find(run->used, tool) == run->used.end())
        fresh.push_back(tool);
    }
    if (fresh.empty()) return;
    std::vector<std::string>& used = rows_.edit(key).used;
    used.insert(used.end(), fresh.begin(), fresh.end());
  }

  void ended(const view::JobT& job) {
    const std::string key = run_key(job.id);
    if (!has_run(key)) return;
    const std::unique_ptr<view::ToolAdviceT> run = rows_.take(key);
    runs_->erase(key);
    if (!run) return;
    const bool completed = job.state == schema::JobState::completed;
    for (const std::string& tool : run->tools) {
      view::ToolAdviceT& sum = rows_.edit(advice_key(job.project, tool));
      const bool used = std::ranges::find(run->used, tool) != run->used.end();
      ++sum.advised;
      if (used) ++sum.followed;
      if (completed) ++(used ? sum.followed_completed : sum.ignored_completed);
    }
  }

  /// Most jobs were recommended nothing. To look each of them up took a tenth of a replay.
  bool has_run(const std::string& key) {
    if (!runs_) runs_ = rows_.keys(run_key(""), "k");
    return runs_->contains(key);
  }

  std::optional<std::set<std::string>> runs_;  // keys of the rows of jobs that go on; none: not read yet
};

}  // namespace

std::unique_ptr<JobReport> make_tool_advice_report(const ViewReaderSource& rows) {
  return std::make_unique<ToolAdviceReport>(rows);
}

void join_advice(const ViewReader& rows, view::CatalogueToolT& tool) {
  const auto sum = read_row<view::ToolAdvice>(rows, kToolAdviceView, advice_key(tool.project, tool.tool));
  if (!sum) return;
  tool.advised = (*sum)->advised();
  tool.followed = (*sum)->followed();
  tool.followed_completed = (*sum)->followed_completed();
  tool.ignored_completed = (*sum)->ignored_completed();
}

}  // namespace luzia
