// Prompts for a person from a job's agent: questions and approvals. These are commands of the job's decider,
// which holds the rules: a request has one deadline, one decision and one delivery, and a second answer is
// told who was first. Pure, like all of engine/job: ids, salts and configured policies come in the command.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Maximum number of open requests of one job; a further one is refused (`too_many_requests`).
constexpr std::size_t kMaxOpenInputs = 32;
/// Maximum bytes of a question, description or tool input; maximum bytes of one option or the default;
/// maximum number of options.
constexpr std::size_t kMaxInputText = 64 * 1024, kMaxOptionText = 1024, kMaxOptions = 64;

/// A question. A question from a file replaces the open one from the same file. Refused with:
/// - `too_many_requests`
/// - `no_question`: the text is empty.
/// - `bad_options`: a choice needs two or more options, all different and not empty.
/// - `bad_default`: it is not one of the options.
/// - `question_too_long`
/// - `stale_attempt`, `not_running`: nobody could receive the answer.
struct AskQuestion {
  std::string id;
  std::uint32_t attempt = 0;  // 0: the current one
  schema::QuestionType type = schema::QuestionType::text;
  Blob text;
  std::vector<std::string> options;
  std::string default_answer;  // empty: the job fails at the deadline
  TimeUs deadline = 0;         // 0: none
  TimeUs answer_by = 0;        // when people mean to have answered; nothing ends then; 0: no such moment
  std::vector<TimeUs> remind = {};
  std::string source;     // file, cli, mcp, monitor
  std::string file_hash;  // 32 bytes; source file only
  std::string call_id = {};
  bool anew = false;        // source file only: written again after an answer to the same bytes was delivered
  bool unattended = false;  // the attempt works on: it does not wait, and its time limits run
  bool ends_attempt = false;  // source file only: exit code 1 then means that the agent waits for the answer
  bool free_text = false;     // beside its options, any other text is an answer
};

/// Options of the daemon's question about an attempt that has printed nothing for long (source monitor): to
/// go on, or to stop the attempt.
inline constexpr const char *kKeepWaiting = "keep waiting", *kStopIt = "stop it";

/// An answer as a person typed it:
/// - Text: as it is.
/// - Choice: the option's number from 1, its name, or an unambiguous prefix. A number that is also the
///   beginning of an option is not read as a number.
/// - Confirmation: yes or no.
/// - Multiple choice: several options, separated by commas.
///
/// Stored as the option's own text, as "yes" or "no", or as options joined by ", ". Refused with
/// `no_such_question`, `which_question` (several are open), `already_answered` (says by whom and when) or
/// `bad_answer`.
struct AnswerQuestion {
  std::string question;  // id or its unambiguous prefix; empty: the only open one
  Blob answer;
};

/// The answer is not needed any more. Refused with `no_such_question`, `which_question` or
/// `already_answered`.
struct CancelQuestion {
  std::string question;
  std::string reason;
};

/// A request that a person opens a gate. If `policy_decision` is not none, the project's policy decides at
/// once and nobody is asked. The same applies if a person decided earlier for this job with `remember`.
/// Refused like AskQuestion.
struct RequestApproval {
  std::string id;
  std::uint32_t attempt = 0;
  std::string gate;
  Blob description;
  std::string tool;
  Blob tool_input;  // empty content: none
  std::string rule;
  std::string wider_rule;  // a remembered refusal of this rule counts too; empty: `rule`
  TimeUs auto_after = 0;   // moment of automatic approval unless somebody decides before; 0: never
  TimeUs deadline = 0;     // moment at which it expires, which denies; 0: none
  TimeUs answer_by = 0;    // as in AskQuestion
  std::vector<TimeUs> remind = {};
  std::string source;
  std::string file_hash;
  bool anew = false;  // as in AskQuestion
  std::string call_id = {};
  schema::Decision policy_decision = schema::Decision::none;
  std::string policy;  // name of the policy, also of the one behind auto_after
};

/// Refused with `no_such_approval`, `which_approval` or `already_decided`.
struct DecideApproval {
  std::string approval;  // id or gate, or an unambiguous prefix; empty: the only open one
  bool approve = false;
  std::string note;
  bool remember = false;  // applies to every later request of the same rule in this job
};

/// Notifies one more channel of an open request. No effect if the request is over.
struct RemindOfInput {
  std::string id;
  std::string channel;  // name of a channel in the configuration
};

/// Nobody waits at the gate any more. Refused like DecideApproval.
struct CancelApproval {
  std::string approval;
  std::string reason;
};

/// The agent has received the answer or decision. No effect if that is known already.
struct ConfirmDelivery {
  std::string id;
  std::string channel;  // file, client
};

}  // namespace luzia
