// Whether the files with an agent's prompts exist in its job directory, and whether they changed since the
// last look. Used for looks without a hint. Does not read their content. Two system calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// A question and a gate (contract: Human in the loop).
constexpr const char* kRequestFiles[] = {"clarification.json", "approval.json"};

/// The answers to them, in the same order.
constexpr const char* kAnswerFiles[] = {"response.json", "approved.json"};

bool is_request_file(std::string_view name);
bool is_answer_file(std::string_view name);

struct RequestMarks {
  /// Per file: 0 if there is none; otherwise a number that differs for another file, size or modification
  /// time.
  std::uint64_t question = 0, gate = 0;

  bool any() const { return question != 0 || gate != 0; }
  bool operator==(const RequestMarks&) const = default;
};

/// Worker threads. Follows no link at the end of the path. A file that cannot be examined counts as present.
RequestMarks look_at_requests(const std::string& job_dir);

}  // namespace luzia
