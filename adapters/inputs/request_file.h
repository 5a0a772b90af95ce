// Reads the prompts that an agent writes as files in its job directory (contract: Human in the loop):
// clarification.json is a question, approval.json a gate. The job's user owns the directory: nothing in it is
// trusted, and reading never blocks. Reading takes a few system calls (worker threads); the parsers are pure,
// any thread.
//
// A file may be read while it is being written. Content that is not JSON therefore counts as unfinished. JSON
// that is not a valid prompt is refused with one line for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/redactor.h"
#include "engine/base/result.h"
#include "engine/base/time.h"
#include "question.fb.h"

namespace luzia {

constexpr const char* kQuestionFile = "clarification.json";
constexpr const char* kGateFile = "approval.json";
constexpr std::size_t kMaxRequestFile = 64 * 1024;
constexpr std::size_t kMaxOwnId = 200;  // bytes
/// Upper bound of timeout_minutes and auto_approve_after_minutes.
constexpr TimeUs kMaxInputWait = 366 * kDayUs;

struct QuestionFile {
  schema::QuestionType type = schema::QuestionType::text;
  std::string question;
  std::vector<std::string> options;
  TimeUs timeout = 0;          // 0: none
  std::string default_answer;  // empty: none
  std::string own_id;          // the agent's own id; empty: none
  bool ends_attempt = false;   // "status": "awaiting_clarification": its agent ends and waits for the answer
};

struct GateFile {
  std::string gate;
  std::string description;
  TimeUs auto_approve_after = 0;  // 0: never
  std::string own_id;             // see QuestionFile
};

/// nullopt: not JSON, perhaps unfinished. Error: `bad_question_file`. Unknown members are ignored. Without a
/// type, the question is a choice if there are options, else a text. 0 minutes means no limit. With the
/// status awaiting_clarification, `message` may stand for the question.
Result<std::optional<QuestionFile>> parse_question_file(std::string_view bytes);
/// The same for gates; `bad_gate_file`. Ignores the agent's `awaiting_since`: the wait starts when the file
/// is seen.
Result<std::optional<GateFile>> parse_gate_file(std::string_view bytes);

/// The result of reading one of the two files.
struct RequestFile {
  enum class State {
    missing,     // no such file
    unfinished,  // not JSON: it may still be being written
    refused,     // not a regular file of the job's user, too large, or JSON but not a prompt
    unreadable,  // a system call failed; may work later
    whole,
  };
  State state = State::missing;
  /// BLAKE2b-256 of the content, 32 bytes; empty if it was not read.
  std::string hash;
  /// Distinguishes two writes of the same content: inode and modification time.
  std::string written;
  TimeUs modified_us = 0;
  /// The problem, for people. Set in all states but `missing` and `whole`.
  Error error;
  std::variant<std::monostate, QuestionFile, GateFile> content;
};

/// The agent's own id of the request; empty: none.
std::string own_id_of(const RequestFile& asked);

/// Whether a call on a file failed for lack of descriptors or memory or by its disk, which says nothing about
/// the file.
bool is_of_the_machine(int errno_value);

/// `name`: kQuestionFile or kGateFile. Opens it relative to the directory's descriptor, follows no links, and
/// reads only a regular file of `owner_uid` of at most kMaxRequestFile bytes. `redactor`: of the job's
/// secrets, or null; the hash is that of the file as it is.
RequestFile read_request_file(const std::string& job_dir, const char* name, std::uint32_t owner_uid,
                              const Redactor* redactor = nullptr);

}  // namespace luzia
