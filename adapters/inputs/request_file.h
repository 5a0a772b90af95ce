// What an agent asks by a file of its job directory (contract: Human in the loop): clarification.json is a
// question, approval.json a gate. The directory is its user's: nothing found there is trusted, and nothing
// blocks. Reading takes a few system calls (worker threads); the parsers are pure, any thread.
//
// A file may be seen while it is being written. What is not JSON is therefore not there yet; what is JSON,
// but no question, is refused with one line for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "question.fb.h"

namespace luzia {

constexpr const char* kQuestionFile = "clarification.json";
constexpr const char* kGateFile = "approval.json";
constexpr std::size_t kMaxRequestFile = 64 * 1024;
constexpr std::size_t kMaxOwnId = 200;  // bytes
/// Of timeout_minutes and auto_approve_after_minutes.
constexpr TimeUs kMaxInputWait = 366 * kDayUs;

struct QuestionFile {
  schema::QuestionType type = schema::QuestionType::text;
  std::string question;
  std::vector<std::string> options;
  TimeUs timeout = 0;          // 0: none
  std::string default_answer;  // empty: none
  std::string own_id;          // what the agent calls it; empty: nothing
};

struct GateFile {
  std::string gate;
  std::string description;
  TimeUs auto_approve_after = 0;  // 0: never
  std::string own_id;             // as in QuestionFile
};

/// nullopt: not JSON, perhaps only not yet. `bad_question_file` otherwise. Members that are not known are
/// left alone; without a type it is a choice where there are options, else a text. Minutes of 0 are none.
Result<std::optional<QuestionFile>> parse_question_file(std::string_view bytes);
/// The same; `bad_gate_file`. `awaiting_since` is the agent's own note: the wait counts from when it is seen.
Result<std::optional<GateFile>> parse_gate_file(std::string_view bytes);

/// One look at one of the two files.
struct RequestFile {
  enum class State {
    missing,     // no such file
    unfinished,  // not JSON: it may still be being written
    refused,     // not a regular file of the job's user, too large, or JSON that is no question
    unreadable,  // a system call failed; may work later
    whole,
  };
  State state = State::missing;
  /// BLAKE2b-256 of the content, 32 bytes; empty where it was not read.
  std::string hash;
  /// Tells two writings of the same content apart: inode and time of modification.
  std::string written;
  TimeUs modified_us = 0;
  /// Of everything but `missing` and `whole`: what is wrong, for people.
  Error error;
  std::variant<std::monostate, QuestionFile, GateFile> content;
};

/// `name`: kQuestionFile or kGateFile. By directory descriptor, without following links, only a regular file
/// of `owner_uid` of at most kMaxRequestFile bytes.
RequestFile read_request_file(const std::string& job_dir, const char* name, std::uint32_t owner_uid);

}  // namespace luzia
