// A fake connection to the daemon: returns answers that the test has prepared and records the requests.
#pragma once

#include <poll.h>

#include <condition_variable>
#include <mutex>

#include "tools/luzia/agents/mcp/job_door.h"

namespace luzia::mcp {

class ScriptedDoor final : public JobDoor {
 public:
  Workplace workplace() const override { return place; }
  Result<std::vector<std::string>> teach(wire::RequestUnion request) override {
    if (refusal) return tl::unexpected(*refusal);
    taught.push_back(std::move(request));
    return taught_ids;
  }
  Result<std::string> learned(const wire::QueryT& query) override {
    queries.push_back(query);
    return refusal ? Result<std::string>(tl::unexpected(*refusal)) : learned_rows;
  }
  Result<std::string> tools(const std::string& project, const std::string& task) override {
    return "tools of " + project + " for '" + task + "'";
  }
  Result<std::string> context(const std::string& flow) override { return "context of " + flow; }
  Status report(schema::ReportFactUnion fact) override {
    const std::lock_guard lock(mutex_);
    reports.push_back(std::move(fact));
    return refusal ? Status(tl::unexpected(*refusal)) : Status();
  }
  Result<std::string> job(const std::string& name) override {
    return refusal ? Result<std::string>(tl::unexpected(*refusal)) : R"({"id":")" + name + R"("})";
  }
  Result<std::string> requests(const std::string& name, bool all) override {
    return "requests of '" + name + (all ? "', all" : "', open");
  }
  Result<view::QuestionT> ask(wire::AskQuestionT question, const CallWait& wait) override {
    if (const auto error = arrive(wait)) return tl::unexpected(*error);
    const std::lock_guard lock(mutex_);
    view::QuestionT row;
    row.job = "job-1";
    row.id = "q-" + question.question.substr(0, 8);
    row.state = question_state;
    row.answer = answers.contains(question.question) ? answers.at(question.question) : "an answer";
    row.by_default = by_default;
    questions.push_back(std::move(question));
    return row;
  }
  Result<view::ApprovalT> request(wire::RequestApprovalT approval, const CallWait& wait) override {
    if (const auto error = arrive(wait)) return tl::unexpected(*error);
    const std::lock_guard lock(mutex_);
    view::ApprovalT row = decision;
    row.job = "job-1";
    row.id = "a-" + approval.gate;
    approvals.push_back(std::move(approval));
    return row;
  }
  ToldWords told() override {
    const std::lock_guard lock(mutex_);
    return {to_tell, [this] {
              const std::lock_guard confirming(mutex_);
              to_tell.clear();
            }};
  }
  void confirm(const std::string& job, const std::string& id) override {
    const std::lock_guard lock(mutex_);
    confirmed.push_back(job + "/" + id);
    changed_.notify_all();
  }

  /// Blocks calls until they are released or stopped.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  void await_arrivals(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }
  void await_confirmed(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return confirmed.size() >= count; });
  }

  Workplace place{"job-1", "web", "", ""};
  std::vector<wire::RequestUnion> taught;
  std::vector<std::string> taught_ids;
  std::vector<wire::QueryT> queries;
  std::string learned_rows = R"({"solutions":[]})";
  std::optional<Error> refusal;
  std::map<std::string, std::string> answers;
  view::QuestionState question_state = view::QuestionState::answered;
  bool by_default = false;
  view::ApprovalT decision;
  std::vector<schema::ReportFactUnion> reports;
  std::vector<wire::AskQuestionT> questions;
  std::vector<wire::RequestApprovalT> approvals;
  std::vector<std::string> confirmed;
  std::string to_tell;  // returned until it is confirmed
  int ticks = 0;        // how many times each blocked call reports that it waits
  std::vector<StopReason> stops;

 private:
  std::optional<Error> arrive(const CallWait& wait) {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    for (int i = 0; wait.on_tick && i < ticks; ++i) wait.on_tick();
    while (held_ && !wait.stop.stopped()) {
      lock.unlock();
      pollfd stopped{wait.stop.fd(), POLLIN, 0};
      ::poll(&stopped, 1, 1);
      lock.lock();
    }
    if (!wait.stop.stopped()) return refusal;
    stops.push_back(wait.stop.reason());
    return Error{ErrorKind::refused, "interrupted", "stopped", {}};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  bool held_ = false;
};

}  // namespace luzia::mcp
