// Events of questions, approvals and the workspace, with only their required fields.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/projections/log_writer.h"

namespace luzia::test {

inline NewEvent with_text(NewEvent event, Blob blob) {
  event.blobs.push_back(std::move(blob));
  return event;
}
inline Blob text_blob(const std::string& content, std::uint32_t index = 0) {
  return Blob{index, "0123456789abcdef", content};
}

inline NewEvent asked(const std::string& job, const std::string& id, const std::string& question,
                      std::vector<std::string> options = {}, const std::string& otherwise = {},
                      TimeUs deadline = 0) {
  schema::QuestionAskedT fact;
  fact.question = id;
  fact.job = job;
  fact.attempt = 1;
  fact.type = options.empty() ? schema::QuestionType::text : schema::QuestionType::choice;
  fact.options = std::move(options);
  fact.default_answer = otherwise;
  fact.deadline_us = deadline;
  fact.source = "cli";
  fact.text = std::make_unique<schema::BlobRefT>(blob_ref(text_blob(question)));
  return with_text(job_event(job, std::move(fact)), text_blob(question));
}
inline NewEvent answered(const std::string& job, const std::string& id, const std::string& answer) {
  schema::QuestionAnsweredT fact;
  fact.question = id;
  fact.answer = std::make_unique<schema::BlobRefT>(blob_ref(text_blob(answer)));
  return with_text(job_event(job, std::move(fact)), text_blob(answer));
}
inline NewEvent answered_by_default(const std::string& job, const std::string& id) {
  schema::QuestionAnsweredT fact;
  fact.question = id;
  fact.by_default = true;
  return job_event(job, std::move(fact));
}
inline NewEvent question_cancelled(const std::string& job, const std::string& id, const std::string& reason) {
  schema::QuestionCancelledT fact;
  fact.question = id;
  fact.reason = reason;
  return job_event(job, std::move(fact));
}
inline NewEvent answer_delivered(const std::string& job, const std::string& id, const std::string& channel) {
  schema::AnswerDeliveredT fact;
  fact.question = id;
  fact.channel = channel;
  return job_event(job, std::move(fact));
}
inline NewEvent requested(const std::string& job, const std::string& id, const std::string& gate,
                          const std::string& description, const std::string& tool = {},
                          const std::string& input = {}, TimeUs deadline = 0, TimeUs auto_after = 0) {
  schema::ApprovalRequestedT fact;
  fact.approval = id;
  fact.job = job;
  fact.attempt = 1;
  fact.gate = gate;
  fact.tool = tool;
  fact.rule = tool.empty() ? gate : tool + "(*)";
  fact.deadline_us = deadline;
  fact.auto_after_us = auto_after;
  fact.source = tool.empty() ? "cli" : "mcp";
  fact.description = std::make_unique<schema::BlobRefT>(blob_ref(text_blob(description)));
  if (!input.empty()) fact.tool_input = std::make_unique<schema::BlobRefT>(blob_ref(text_blob(input, 1)));
  NewEvent event = with_text(job_event(job, std::move(fact)), text_blob(description));
  return input.empty() ? std::move(event) : with_text(std::move(event), text_blob(input, 1));
}
inline NewEvent decided(const std::string& job, const std::string& id, schema::Decision decision,
                        const std::string& policy = {}, const std::string& note = {}, bool remember = false) {
  schema::ApprovalDecidedT fact;
  fact.approval = id;
  fact.decision = decision;
  fact.policy = policy;
  fact.note = note;
  fact.remember = remember;
  return job_event(job, std::move(fact));
}
inline NewEvent waiting(const std::string& job, std::uint32_t open) {
  schema::JobWaitingT fact;
  fact.open = open;
  return job_event(job, fact);
}
inline NewEvent continued(const std::string& job, std::uint32_t open = 0) {
  schema::JobContinuedT fact;
  fact.open = open;
  return job_event(job, fact);
}

}  // namespace luzia::test
