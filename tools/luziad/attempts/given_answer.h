// People's answers to a job's questions and gates, read from the log, and the text in which the agent
// receives them: a file in the job directory, or the prompt of an attempt that begins with answers. Reads the
// log: worker threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/job/job.h"
#include "engine/log/event_log.h"

namespace luzia {

struct GivenAnswer {
  view::InputKind kind = view::InputKind::question;
  std::string id;
  std::string asked;  // the question; the gate's description
  std::string gate;
  schema::QuestionType type = schema::QuestionType::text;
  std::vector<std::string> options;
  std::string answer;
  schema::Decision decision = schema::Decision::none;
  std::string by;  // account, policy, or "the default"
  bool by_default = false;
  TimeUs at = 0;
  std::string note;
};

/// For an answered request. An erased text reads "(erased)". `no_answer`: the log lacks the answer.
Result<GivenAnswer> read_answer(const EventLog& log, const view::InputRequestT& input);

/// The content of response.json or approved.json. `own_id`: the id in the request's file.
std::string answer_file_text(const GivenAnswer& given, const std::string& own_id);

/// The prompt of an attempt that begins with answers. `original`: the job's prompt, for a session that does
/// not know it. nullopt: the agent's own session continues and gets only the answers.
std::string answer_prompt(const std::vector<GivenAnswer>& answers,
                          const std::optional<std::string>& original);

}  // namespace luzia
