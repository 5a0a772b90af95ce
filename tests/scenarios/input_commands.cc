#include "tests/scenarios/input_commands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/job/input_state.h"
#include "engine/job/told_state.h"

namespace luzia {
namespace {

Blob text_blob(std::uint32_t index, std::string content) {
  return {index, std::string(16, 's'), std::move(content)};
}

TimeUs moment(const Step& step, const std::string& key) {
  return static_cast<TimeUs>(step.duration_ms(key)) * kMillisecondUs;
}

std::vector<TimeUs> moments(const Step& step, const std::string& key) {
  std::vector<TimeUs> list;
  for (const std::string& word : step.list(key)) {
    list.push_back(static_cast<TimeUs>(parse_duration_ms(word).value_or(0)) * kMillisecondUs);
  }
  return list;
}

schema::QuestionType type_of(const std::string& name) {
  for (const schema::QuestionType type : schema::EnumValuesQuestionType()) {
    if (name == schema::EnumNameQuestionType(type)) return type;
  }
  ADD_FAILURE() << "no type " << name;
  return schema::QuestionType::text;
}

AskQuestion ask(const Step& step) {
  AskQuestion question;
  question.id = step.word(4);
  question.attempt = static_cast<std::uint32_t>(step.number("attempt"));
  question.options = step.list("options");
  question.type = type_of(step.value("type", question.options.empty() ? "text" : "choice"));
  question.text = text_blob(0, step.value("text", "Where to?"));
  question.default_answer = step.value("default");
  question.deadline = moment(step, "until");
  question.remind = moments(step, "remind");
  question.source = step.value("source", "cli");
  question.file_hash = step.value("hash");
  question.anew = step.values.contains("anew");
  question.unattended = step.values.contains("unattended");
  question.ends_attempt = step.values.contains("ends_attempt");
  question.free_text = step.values.contains("free");
  return question;
}

RequestApproval gate(const Step& step) {
  RequestApproval request;
  request.id = step.word(4);
  request.attempt = static_cast<std::uint32_t>(step.number("attempt"));
  request.gate = step.value("gate", "deploy");
  request.description = text_blob(0, "May I?");
  request.tool_input = text_blob(1, step.value("input"));
  request.rule = step.value("rule");
  request.wider_rule = step.value("wider");
  request.auto_after = moment(step, "auto");
  request.deadline = moment(step, "until");
  request.remind = moments(step, "remind");
  request.source = step.value("source", "cli");
  request.call_id = step.value("call");
  request.file_hash = step.value("hash");
  request.anew = step.values.contains("anew");
  request.policy = step.value("policy");
  if (step.value("decides") == "always") request.policy_decision = schema::Decision::approved;
  if (step.value("decides") == "never") request.policy_decision = schema::Decision::denied;
  return request;
}

/// Parses: tell JOB MESSAGE [text=TEXT] [bytes=N] [from_job=JOB] [resume=yes]
TellJob tell(const Step& step) {
  TellJob told;
  told.id = step.word(4);
  told.text = text_blob(0, step.values.contains("bytes") ? std::string(step.number("bytes"), 'x')
                                                         : step.value("text", "Use the other one."));
  told.from_job = step.value("from_job");
  told.channel = "cli";
  told.resume = step.values.contains("resume");
  return told;
}

/// Parses: read JOB MESSAGE,... [attempt=N] [how=tool]
ReadTold read(const Step& step, const JobState* job) {
  ReadTold read;
  read.attempt = static_cast<std::uint32_t>(step.number("attempt", job != nullptr ? job->attempt : 1));
  read.messages = words_between_commas(step.word(4));
  if (step.value("how") == "tool") read.how = schema::ToldHow::tool;
  return read;
}

}  // namespace

std::optional<JobCommand> input_command(const Step& step, const JobState* job) {
  const std::string& verb = step.word(2);
  const std::string& request = step.word(4);
  if (verb == "ask") return ask(step);
  if (verb == "answer") return AnswerQuestion{request, text_blob(0, step.value("with"))};
  if (verb == "cancel_question") return CancelQuestion{request, step.value("reason")};
  if (verb == "cancel_approval") return CancelApproval{request, step.value("reason")};
  if (verb == "gate") return gate(step);
  if (verb == "approve" || verb == "deny") {
    return DecideApproval{request, verb == "approve", step.value("note"), step.values.contains("always")};
  }
  if (verb == "delivered") return ConfirmDelivery{request, step.value("channel", "client")};
  if (verb == "tell") return tell(step);
  if (verb == "read") return read(step, job);
  if (verb == "escalate") return RemindOfInput{request, step.value("to")};
  return std::nullopt;
}

void expect_inputs(const Step& step, const JobState& job) {
  if (step.values.contains("open")) {
    EXPECT_EQ(count_open(job), step.number("open"));
    EXPECT_EQ(job.open_requests, step.number("open"));
  }
  if (step.values.contains("fixes")) {
    EXPECT_EQ(job.fixes.size(), step.number("fixes"));
  }
  if (step.values.contains("told")) {
    EXPECT_EQ(job.told.size(), step.number("told"));
  }
  if (step.values.contains("unread")) {
    const auto unread = std::ranges::count_if(job.told, [](const auto& each) { return !each->read; });
    EXPECT_EQ(static_cast<std::uint64_t>(unread), step.number("unread"));
  }
  if (step.values.contains("unsure")) {
    const auto unsure = std::ranges::count_if(
        job.told, [&job](const auto& each) { return each->unsure && is_news_for(job, *each); });
    EXPECT_EQ(static_cast<std::uint64_t>(unsure), step.number("unsure"));
  }
  if (step.values.contains("worked")) {
    EXPECT_EQ(job.spent_us, step.duration_ms("worked") * 1'000);
  }
}

}  // namespace luzia
