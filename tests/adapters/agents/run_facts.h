// The facts of a whole recorded run, folded from the findings of its lines. Calls are paired with their
// results, amounts are summed, and of repeated reports the latest counts. Each fact is a line of text, as in
// runs/*.expect.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace luzia {

struct Tokens {
  std::uint64_t input = 0, output = 0, cache_read = 0, cache_write = 0;
};

/// Text in the form of an .expect file: one line, at most the first 60 bytes.
inline std::string excerpt(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::size_t size = std::min<std::size_t>(text.size(), 60);
  while (size < text.size() && size > 0 && (text[size] & 0xC0) == 0x80) --size;
  text.resize(size);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

class RunFacts {
 public:
  void add(const RecordOutput::Finding& finding) {
    if (const auto* report = std::get_if<schema::ReportFactUnion>(&finding.fact)) add_report(*report);
    if (const auto* tool = std::get_if<schema::ToolFactUnion>(&finding.fact)) add_tool(*tool);
    if (const auto* usage = std::get_if<schema::UsageFactUnion>(&finding.fact)) add_usage(*usage);
  }

  const std::optional<Tokens>& tokens() const { return tokens_; }
  double cost() const { return cost_.value_or(0); }

  /// `before`: the run whose session this one resumed, or null. Session totals then count from the end of
  /// that run.
  std::string text(const RunFacts* before) const {
    std::string text;
    const auto line = [&text](const std::string& fact) { text += fact + "\n"; };
    if (!session_.empty()) line("session " + session_);
    if (!model_.empty()) line("model " + model_);
    add_calls(line);
    add_todo(line);
    add_sums(line, before);
    if (!outcome_.empty()) line("outcome " + outcome_);
    if (!answer_.empty()) line("answer " + excerpt(answer_));
    if (retries_ > 0) line("retries " + std::to_string(retries_));
    for (const auto& error : errors_) line(error);
    for (const auto& limit : limits_) line(limit);
    return text;
  }

 private:
  struct Call {
    std::string tool, parent;
    bool returned = false;
    std::string failure;
  };

  void add_report(const schema::ReportFactUnion& report) {
    if (const auto* session = report.AsSessionIdentified()) {
      session_ = session->session_id;
      if (!session->model.empty()) model_ = session->model;
    }
    if (const auto* todo = report.AsTodoReported()) fold_todo(*todo);
    if (report.AsAgentRetried() != nullptr) ++retries_;
    if (const auto* error = report.AsAgentErrorReported()) {
      errors_.push_back("error " + error->where + " " + (error->kind.empty() ? "-" : error->kind) + " " +
                        std::to_string(error->api_status) + " | " + excerpt(error->text));
    }
    if (const auto* concluded = report.AsAgentConcluded()) {
      outcome_ = schema::EnumNameAgentOutcome(concluded->outcome);
      answer_ = concluded->outcome == schema::AgentOutcome::completed ? concluded->text : "";
    }
  }

  void add_tool(const schema::ToolFactUnion& tool) {
    if (const auto* called = tool.AsToolCalled()) {
      calls_[called->call_id].tool = called->tool;
      calls_[called->call_id].parent = called->parent_call_id;
    }
    if (const auto* returned = tool.AsToolReturned()) {
      // The call was made and deferred by an earlier process of the session. (Agents that complete items
      // without starting them name the tool instead.)
      if (!calls_.contains(returned->call_id) && returned->tool.empty()) return;
      Call& call = calls_[returned->call_id];
      if (call.tool.empty()) call.tool = returned->tool;
      call.returned = true;
      if (!returned->succeeded) {
        call.failure = returned->failure + " " +
                       (returned->exit_code ? std::to_string(*returned->exit_code) : "-") + " | " +
                       excerpt(returned->text);
      }
    }
    if (const auto* denied = tool.AsToolDenied()) denied_.insert(denied->call_id);
  }

  void add_usage(const schema::UsageFactUnion& fact) {
    if (const auto* usage = fact.AsUsageReported()) fold_usage(*usage);
    char text[200];
    if (const auto* reached = fact.AsLimitReached()) {
      std::snprintf(text, sizeof text, "limit %s %lld", reached->limit.c_str(),
                    static_cast<long long>(reached->resets_us / 1'000'000));
      if (std::find(limits_.begin(), limits_.end(), text) == limits_.end()) limits_.emplace_back(text);
    }
    if (const auto* warned = fact.AsLimitWarned()) {
      std::snprintf(text, sizeof text, "near_limit %s %lld %.2f", warned->limit.c_str(),
                    static_cast<long long>(warned->resets_us / 1'000'000),
                    warned->used_fraction.value_or(-1));
      limits_.emplace_back(text);
    }
  }

  void fold_usage(const schema::UsageReportedT& usage) {
    if (session_.empty()) session_ = usage.session_id;
    if (model_.empty()) model_ = usage.model;
    const bool turn = usage.scope == schema::UsageScope::turn;
    Tokens sum = turn ? tokens_.value_or(Tokens()) : Tokens();
    sum.input += usage.input_tokens;
    sum.output += usage.output_tokens;
    sum.cache_read += usage.cache_read_tokens;
    sum.cache_write += usage.cache_write_tokens;
    tokens_ = sum;
    if (!usage.cost_usd) return;
    const bool turn_cost = usage.cost_scope == schema::UsageScope::turn;
    cost_ = *usage.cost_usd + (turn_cost ? cost() : 0);
  }

  void fold_todo(const schema::TodoReportedT& todo) {
    if (todo.whole) todo_.clear();
    for (const auto& item : todo.items) {
      const auto known = std::find_if(todo_.begin(), todo_.end(), [&item](const schema::TodoItemT& other) {
        return !item->id.empty() && other.id == item->id;
      });
      if (known == todo_.end()) {
        todo_.push_back(*item);
        continue;
      }
      known->status = item->status;
      if (!item->text.empty()) known->text = item->text;
    }
    const auto done = std::count_if(todo_.begin(), todo_.end(), [](const schema::TodoItemT& item) {
      return item.status == schema::TodoStatus::completed;
    });
    const std::string now = " " + std::to_string(done) + "/" + std::to_string(todo_.size());
    if (!todo_progress_.ends_with(now)) todo_progress_ += now;
  }

  template <class Line>
  void add_calls(Line line) const {
    std::map<std::string, int> calls, by_subagents;
    for (const auto& [id, call] : calls_) ++(call.parent.empty() ? calls : by_subagents)[call.tool];
    for (const auto& [tool, count] : calls) line("calls " + tool + " " + std::to_string(count));
    for (const auto& [tool, count] : by_subagents) {
      line("subagent_calls " + tool + " " + std::to_string(count));
    }
    for (const auto& [id, call] : calls_) {
      if (!call.failure.empty()) line("failure " + id + " " + call.tool + " " + call.failure);
    }
    for (const auto& [id, call] : calls_) {
      if (!call.returned) line("unfinished " + id + " " + call.tool);
    }
    for (const auto& id : denied_) line("denied " + id + " " + calls_.at(id).tool);
  }

  template <class Line>
  void add_todo(Line line) const {
    if (todo_progress_.empty()) return;
    line("todo" + todo_progress_);
    std::string items;
    for (const auto& item : todo_) {
      items += (items.empty() ? "" : " | ") + std::string(schema::EnumNameTodoStatus(item.status)) + " " +
               item.text;
    }
    line("todo_final " + items);
  }

  template <class Line>
  void add_sums(Line line, const RunFacts* before) const {
    if (tokens_) {
      Tokens now = *tokens_;
      if (before != nullptr && thread_totals_of(*before)) {
        now.input -= before->tokens_->input, now.output -= before->tokens_->output;
        now.cache_read -= before->tokens_->cache_read, now.cache_write -= before->tokens_->cache_write;
      }
      line("tokens " + std::to_string(now.input) + " " + std::to_string(now.output) + " " +
           std::to_string(now.cache_read) + " " + std::to_string(now.cache_write));
    }
    if (!cost_) return;
    char text[40];
    std::snprintf(text, sizeof text, "cost %.6f", cost() - (before != nullptr ? before->cost() : 0));
    line(text);
  }

  /// For agents that report the thread's total tokens and no cost.
  bool thread_totals_of(const RunFacts& before) const { return !cost_ && before.tokens_; }

  std::string session_, model_, outcome_, answer_;
  std::map<std::string, Call> calls_;
  std::set<std::string> denied_;
  std::vector<schema::TodoItemT> todo_;
  std::string todo_progress_;
  std::optional<Tokens> tokens_;
  std::optional<double> cost_;
  int retries_ = 0;
  std::vector<std::string> errors_, limits_;
};

}  // namespace luzia
