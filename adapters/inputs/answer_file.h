// The files in which an agent that asked by file receives the answer (contract: Human in the loop):
// response.json and approved.json. Pure, any thread. The same answer always gives the same bytes, so a file
// that may have been written before a crash can be written again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "approval.fb.h"
#include "engine/base/result.h"
#include "engine/base/time.h"
#include "question.fb.h"

namespace luzia {

constexpr const char* kResponseFile = "response.json";
constexpr const char* kDecisionFile = "approved.json";

struct AnswerText {
  std::string question;  // id
  schema::QuestionType type = schema::QuestionType::text;
  std::vector<std::string> options;  // as asked
  std::string answer;                // as the log has it (engine/job/inputs.h)
  std::string by;
  TimeUs at = 0;
  std::string own_id = {};  // the agent's own id of the request (QuestionFile); empty: not written
};

struct DecisionText {
  std::string approval;  // id
  std::string gate;
  schema::Decision decision = schema::Decision::none;
  std::string by;
  TimeUs at = 0;
  std::string note;
  std::string own_id = {};  // see AnswerText
};

/// `choice` always holds the answer. Besides it: `text` for a text, `confirmed` for a confirmation, `choices`
/// for a multiple choice.
std::string response_json(const AnswerText& answer);
std::string decision_json(const DecisionText& decision);

/// Splits the answer to a multiple choice, "a, b", into its options. An option may itself contain ", ".
std::vector<std::string> chosen_options(std::string_view answer, const std::vector<std::string>& options);

/// Whether anything exists under that name.
bool answer_file_stands(const std::string& job_dir, const char* name);

/// Removes a file that an agent could mistake for the answer; returns whether there was one. Removes a link
/// itself, never its target. A folder is not an answer and stays. `answer_not_removed`: removal failed, or
/// the job directory belongs neither to the owner nor to us.
Result<bool> remove_answer_file(const std::string& job_dir, const char* name, std::uint32_t owner_uid);

}  // namespace luzia
