// The files by which an agent that asked by file hears the answer (contract: Human in the loop):
// response.json and approved.json. Pure, any thread. The same answer gives the same bytes, so that one that
// may have been written before a crash can be written again.
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
  std::string own_id = {};  // the request's own (QuestionFile); empty: not written
};

struct DecisionText {
  std::string approval;  // id
  std::string gate;
  schema::Decision decision = schema::Decision::none;
  std::string by;
  TimeUs at = 0;
  std::string note;
  std::string own_id = {};  // as in AnswerText
};

/// `choice` always has the answer; beside it `text` of a text, `confirmed` of a confirmation, `choices` of a
/// multiple choice.
std::string response_json(const AnswerText& answer);
std::string decision_json(const DecisionText& decision);

/// The options in an answer of several, "a, b". An option may itself have ", " in it.
std::vector<std::string> chosen_options(std::string_view answer, const std::vector<std::string>& options);

/// Whether anything stands under the name.
bool answer_file_stands(const std::string& job_dir, const char* name);

/// Takes away what an agent could take for the answer: whether something was there. A link goes, not what it
/// leads to; a folder is no answer and stays. `answer_not_removed` otherwise, also when the job directory is
/// neither the owner's nor ours.
Result<bool> remove_answer_file(const std::string& job_dir, const char* name, std::uint32_t owner_uid);

}  // namespace luzia
