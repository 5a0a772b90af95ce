// Reads answers that people write by hand into a job directory: response.json and approved.json, in the form
// in which Luzia writes them (answer_file.h), or a part of it. The job's user owns the directory: nothing in
// it is trusted, and reading never blocks. Reading takes a few system calls (worker threads); the parsers are
// pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/time.h"

namespace luzia {

/// What somebody wrote.
struct HandAnswer {
  std::string value;        // of response.json: as a person would type it (AnswerQuestion)
  bool approve = false;     // of approved.json
  std::string note;         // of approved.json
  std::string id;           // question_id or approval_id; empty: not named
  std::string gate;         // of approved.json; empty: not named
  bool unfinished = false;  // no JSON (yet): only `uid` and `written_us` are set
  std::uint32_t uid = 0;    // owner of the file
  TimeUs written_us = 0;    // when the file was last written
};

/// The error of a look that failed for lack of descriptors or memory: look again.
constexpr auto kUnreadableAnswer = "answer_unreadable";

/// The answer in `choice`, `answer`, `text`, `response`, `confirmed` or `choices`, the first that is there.
/// nullopt: not JSON, perhaps unfinished. `bad_answer_file` (usage).
Result<std::optional<HandAnswer>> parse_response_file(std::string_view bytes);
/// `approved` or `decision`; without them, a file that names who or when (`approved_by`, `approved_at`)
/// approves. Else as parse_response_file().
Result<std::optional<HandAnswer>> parse_decision_file(std::string_view bytes);

/// Reads one of the two files, kResponseFile or kDecisionFile. nullopt: there is none, or no regular file.
/// `bad_answer_file`; kUnreadableAnswer (trouble); `answer_not_owned` (refused): it belongs neither to
/// `owner_uid` nor to root; `answer_is_linked` (refused): it is root's, and has several names.
Result<std::optional<HandAnswer>> read_hand_answer(const std::string& job_dir, const char* name,
                                                   std::uint32_t owner_uid);

}  // namespace luzia
