// What a job's agent wants from a person: questions and approvals. Commands of the job's decider, which holds
// the rules: a request has one deadline, one decision and one delivery; the second answer is told who won.
// Pure, as all of engine/job: ids, salts and policies of the configuration are in the command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Of one job at a time; a further one is refused (`too_many_requests`).
constexpr std::size_t kMaxOpenInputs = 32;
/// Of a question's text, a description or a tool's input; of one option or the default; of all options.
constexpr std::size_t kMaxInputText = 64 * 1024, kMaxOptionText = 1024, kMaxOptions = 64;

/// A question. Refused: `too_many_requests`, `no_question` (empty), `bad_options` (a choice needs two or
/// more, each different and not empty), `bad_default` (not one of them), `question_too_long`; `stale_attempt`
/// and `not_running` when nobody could be told the answer. A question from a file takes the place of the open
/// one that came from that file.
struct AskQuestion {
  std::string id;
  std::uint32_t attempt = 0;  // 0: whichever is current
  schema::QuestionType type = schema::QuestionType::text;
  Blob text;
  std::vector<std::string> options;
  std::string default_answer;  // empty: at the deadline the job fails
  TimeUs deadline = 0;         // 0: none
  std::vector<TimeUs> remind = {};
  std::string source;     // file, cli, mcp, monitor
  std::string file_hash;  // 32 bytes, of source file
  std::string call_id = {};
  bool anew = false;        // of source file: written again after the answer to the same bytes was taken
  bool unattended = false;  // the attempt goes on meanwhile: it does not wait, and no time limit stands still
};

/// What the daemon asks about an attempt that has printed nothing for long (source monitor), and what stops
/// it.
inline constexpr const char *kKeepWaiting = "keep waiting", *kStopIt = "stop it";

/// An answer as a person typed it: text as it is; of a choice its number from 1, its name or what it
/// unambiguously begins with (a number that an option begins with is not taken for another's place); of a
/// confirmation yes or no; of a multiple choice several with commas. Stored
/// as the option's own text, "yes" or "no", options joined by ", ". Refused: `no_such_question`,
/// `which_question` (several are open), `already_answered` (by whom and when), `bad_answer`.
struct AnswerQuestion {
  std::string question;  // id or what it unambiguously begins with; empty: the only open one
  Blob answer;
};

/// Nobody needs the answer any more. Refused: `no_such_question`, `which_question`, `already_answered`.
struct CancelQuestion {
  std::string question;
  std::string reason;
};

/// A gate. `policy_decision` other than none: the project's policy decides at once and nobody is asked; the
/// same where a person said so before for this job. Refused as AskQuestion.
struct RequestApproval {
  std::string id;
  std::uint32_t attempt = 0;
  std::string gate;
  Blob description;
  std::string tool;
  Blob tool_input;  // empty content: none
  std::string rule;
  std::string wider_rule;  // a refusal of it counts too; empty: as `rule`
  TimeUs auto_after = 0;   // approved by then unless somebody decides; 0: never
  TimeUs deadline = 0;     // denied by then (expired); 0: none
  std::vector<TimeUs> remind = {};
  std::string source;
  std::string file_hash;
  bool anew = false;  // as in AskQuestion
  std::string call_id = {};
  schema::Decision policy_decision = schema::Decision::none;
  std::string policy;  // what the policy is called, also of auto_after
};

/// Refused: `no_such_approval`, `which_approval`, `already_decided`.
struct DecideApproval {
  std::string approval;  // id, or gate, or what one unambiguously begins with; empty: the only open one
  bool approve = false;
  std::string note;
  bool remember = false;  // for everything of the same rule, for this job
};

/// Somebody else is told of a request that is still open. Nothing follows when it is over.
struct RemindOfInput {
  std::string id;
  std::string channel;  // who: a name of the configuration
};

/// Nobody waits at the gate any more. Refused: as DecideApproval.
struct CancelApproval {
  std::string approval;
  std::string reason;
};

/// The agent has the answer or decision; nothing follows when that is known already.
struct ConfirmDelivery {
  std::string id;
  std::string channel;  // file, client
};

}  // namespace luzia
