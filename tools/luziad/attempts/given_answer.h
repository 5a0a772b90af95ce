// What people said to a question or gate of a job, as the log has it, and how its agent hears it: by a file
// of the job directory, or by the prompt of an attempt that begins with answers. Reads the log: worker
// threads.
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

/// Of a request that is answered. A text that was erased reads "(erased)". `no_answer` when the log has none
/// where it should.
Result<GivenAnswer> read_answer(const EventLog& log, const view::InputRequestT& input);

/// The content of response.json or approved.json. `own_id`: what the request's file calls itself.
std::string answer_file_text(const GivenAnswer& given, const std::string& own_id);

/// What an attempt that begins with answers is told. `original`: the job's prompt, for a session that does
/// not know it; nullopt: the agent's own session goes on, and gets the answers alone.
std::string answer_prompt(const std::vector<GivenAnswer>& answers,
                          const std::optional<std::string>& original);

}  // namespace luzia
