#include "tests/simulation/input_rules.h"

#include "engine/job/input_state.h"

namespace luzia::test {

std::string InputRules::opened(std::string id, const JobState& job, bool unattended) {
  const bool alive = (job.state == schema::JobState::starting || job.state == schema::JobState::running ||
                      job.state == schema::JobState::waiting) &&
                     !job.attempt_over;
  if (!alive) return id + " is asked by a job without a process";
  if (!requests_.emplace(id, Request{job.job, unattended}).second) return id + " is asked twice";
  return {};
}

std::string InputRules::closed(std::string_view id, Stage stage) {
  const auto it = requests_.find(id);
  if (it == requests_.end()) return std::string(id) + " ends and was never asked";
  if (it->second.stage != Stage::open) return std::string(id) + " ends twice";
  it->second.stage = stage;
  return {};
}

std::string InputRules::told(std::string_view id) {
  const auto it = requests_.find(id);
  if (it == requests_.end() || it->second.stage != Stage::answered) {
    return std::string(id) + " is delivered without an answer";
  }
  // Once by its file, and once more by a new attempt of an agent that had ended in order to ask.
  if (++it->second.delivered > 2) return std::string(id) + " is delivered again and again";
  return {};
}

std::string InputRules::reminded(std::string_view id, std::string_view channel) {
  const auto it = requests_.find(id);
  if (it == requests_.end() || it->second.stage != Stage::open) {
    return "somebody is reminded of " + std::string(id) + ", which is over";
  }
  if (channel.empty()) return {};
  std::string step = std::string(channel) + " is told of " + std::string(id);
  if (!escalated_.insert(step).second) return step + " twice";
  return {};
}

std::string InputRules::take(const schema::Event& event, const JobState& before) {
  if (const auto* question = event.payload_as_QuestionEvent()) {
    if (const auto* fact = question->fact_as_QuestionAsked())
      return opened(fact->question()->str(), before, fact->unattended());
    if (const auto* fact = question->fact_as_QuestionAnswered())
      return closed(text(fact->question()), Stage::answered);
    if (const auto* fact = question->fact_as_QuestionTimedOut())
      return closed(text(fact->question()), Stage::over);
    if (const auto* fact = question->fact_as_QuestionCancelled())
      return closed(text(fact->question()), Stage::over);
    if (const auto* fact = question->fact_as_AnswerDelivered()) return told(text(fact->question()));
    if (const auto* fact = question->fact_as_QuestionReminded())
      return reminded(text(fact->question()), text(fact->channel()));
  }
  if (const auto* approval = event.payload_as_ApprovalEvent()) {
    if (const auto* fact = approval->fact_as_ApprovalRequested())
      return opened(fact->approval()->str(), before);
    if (const auto* fact = approval->fact_as_ApprovalDecided())
      return closed(text(fact->approval()), Stage::answered);
    if (const auto* fact = approval->fact_as_ApprovalCancelled())
      return closed(text(fact->approval()), Stage::over);
    if (const auto* fact = approval->fact_as_DecisionDelivered()) return told(text(fact->approval()));
    if (const auto* fact = approval->fact_as_ApprovalReminded())
      return reminded(text(fact->approval()), text(fact->channel()));
  }
  const auto* job = event.payload_as_JobEvent();
  if (job != nullptr && job->fact_as_AttemptStarting() != nullptr && count_open(before) > 0)
    return before.job + " starts an attempt while it waits for an answer";
  return {};
}

std::string InputRules::agrees(const JobState& after) const {
  std::uint32_t open = 0, all = 0;
  for (const auto& [id, request] : requests_) {
    if (request.job != after.job || request.stage != Stage::open) continue;
    ++all;
    if (!request.unattended) ++open;
  }
  if (open != count_open(after)) return after.job + " has not as many open requests as its events say";
  if (is_terminal(after.state) && all > 0) return after.job + " has ended, and a request of it is open";
  return {};
}

}  // namespace luzia::test
