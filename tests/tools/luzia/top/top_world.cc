#include "tests/tools/luzia/top/top_world.h"

namespace luzia {

view::JobT top_job(const std::string& id, schema::JobState state) {
  view::JobT job;
  job.id = id;
  job.project = "web";
  job.agent = "claude";
  job.state = state;
  job.task = "Do " + id;
  job.queued_us = kTopNow - 100 * kSecondUs;
  if (state != schema::JobState::queued) job.started_us = kTopNow - 90 * kSecondUs;
  return job;
}

view::QuestionT top_question(const std::string& job, std::vector<std::string> options) {
  view::QuestionT question;
  question.id = "q-" + job;
  question.job = job;
  question.project = "web";
  question.question = "Deploy where?";
  question.type = options.empty() ? schema::QuestionType::text : schema::QuestionType::choice;
  question.options = std::move(options);
  question.asked_us = kTopNow - 30 * kSecondUs;
  question.state = view::QuestionState::open;
  return question;
}

view::ApprovalT top_approval(const std::string& job, const std::string& gate) {
  view::ApprovalT approval;
  approval.id = "a-" + job;
  approval.job = job;
  approval.project = "web";
  approval.gate = gate;
  approval.description = "Drops a column";
  approval.asked_us = kTopNow - 30 * kSecondUs;
  approval.state = view::QuestionState::open;
  return approval;
}

view::ApprovalT top_flow_gate(const std::string& step, const std::string& gate) {
  view::ApprovalT approval = top_approval("", gate);
  approval.id = "f-1/" + step;
  approval.description = "step " + step;
  return approval;
}

TopWorld TopWorld::usual() {
  TopWorld world;
  view::JobT waiting = top_job("aaaa", schema::JobState::waiting);
  waiting.questions_open = 1;
  world.add(waiting);
  view::JobT running = top_job("bbbb", schema::JobState::running);
  running.progress = std::make_unique<view::ProgressT>();
  running.progress->percent = 50;
  running.last_line = "compiling a.cc";
  world.add(running);
  world.add(top_job("cccc", schema::JobState::queued));
  view::JobT failed = top_job("dddd", schema::JobState::failed);
  failed.ended_us = kTopNow - 10 * kSecondUs;
  failed.reason = schema::EndReason::exit_code;
  failed.exit_code = 2;
  world.add(failed);
  world.add(top_question("aaaa", {"production", "staging"}));
  return world;
}

}  // namespace luzia
