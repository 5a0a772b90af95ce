#include "tests/simulation/told_rules.h"

namespace luzia::test {

std::string ToldRules::told(const schema::JobTold& fact, Position position, const JobState& job) {
  const std::string id(text(fact.message()));
  return messages_.emplace(id, Message{job.job, position, false}).second ? std::string()
                                                                         : id + " is told twice";
}

std::string ToldRules::read(const schema::JobToldRead& fact, const JobState& job) {
  const Attempt& attempt = attempts_[job.job];
  if (fact.attempt() != job.attempt) return job.job + " reads as an attempt that is not its present one";
  const bool by_prompt = fact.how() == schema::ToldHow::prompt;
  for (const auto* id : *fact.messages()) {
    const auto found = messages_.find(id->string_view());
    if (found == messages_.end()) return id->str() + " is read and was never told";
    Message& message = found->second;
    if (message.job != job.job) return id->str() + " is read by " + job.job + " and told to " + message.job;
    if (message.read) return id->str() + " is read twice";
    if (by_prompt != (message.told < attempt.starting)) return id->str() + " is read in the wrong way";
    message.read = true;
    ++(by_prompt ? by_prompt_ : by_calls_);
  }
  return {};
}

std::string ToldRules::unheard(const JobState& job) const {
  const auto attempt = attempts_.find(job.job);
  if (attempt == attempts_.end() || !attempt->second.started) return {};
  for (const auto& [id, message] : messages_) {
    const bool was_in_prompt = message.job == job.job && message.told < attempt->second.starting;
    if (was_in_prompt && !message.read) return id + " was told before the attempt, which did not read it";
  }
  return {};
}

std::string ToldRules::take(const schema::Event& event, const JobState& before) {
  const auto* life = event.payload_as_JobEvent();
  if (life == nullptr) return {};
  if (const auto* fact = life->fact_as_JobTold()) return told(*fact, event.position(), before);
  if (const auto* fact = life->fact_as_JobToldRead()) return read(*fact, before);
  if (life->fact_as_AttemptStarting() != nullptr) {
    attempts_[before.job] = {event.position(), false};
  } else if (life->fact_as_AttemptStarted() != nullptr) {
    attempts_[before.job].started = true;
  } else if (life->fact_as_JobEnded() != nullptr || life->fact_as_JobRetried() != nullptr ||
             life->fact_as_JobParked() != nullptr) {
    return unheard(before);
  }
  return {};
}

JobCommand random_told_command(Dice& dice, const JobState& job, std::size_t serial, std::string& words) {
  ReadTold read;
  read.attempt = job.attempt;
  read.how = dice.one_in(2) ? schema::ToldHow::hook : schema::ToldHow::tool;
  for (const auto& told : job.told) {
    if (!told->read || dice.one_in(4)) read.messages.push_back(told->id);
  }
  if (!read.messages.empty() && dice.one_in(2)) {
    words = "read what was told to";
    return read;
  }
  TellJob tell;
  tell.id = "m" + std::to_string(serial);
  tell.text = {0, std::string(16, 's'), "mind the gap"};
  tell.resume = dice.one_in(3);
  words = "tell " + tell.id + " to";
  return tell;
}

}  // namespace luzia::test
