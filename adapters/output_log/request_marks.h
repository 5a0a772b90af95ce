// Whether the files by which an agent asks stand in its job directory, and whether they changed since
// somebody looked: for the looks that no hint announced. What is in them is read elsewhere. Two system calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace luzia {

/// A question and a gate (contract: Human in the loop).
constexpr const char* kRequestFiles[] = {"clarification.json", "approval.json"};

bool is_request_file(std::string_view name);

struct RequestMarks {
  /// Of each file: 0 when there is none, otherwise another number for another file, size or time of change.
  std::uint64_t question = 0, gate = 0;

  bool any() const { return question != 0 || gate != 0; }
  bool operator==(const RequestMarks&) const = default;
};

/// Worker threads. Follows no link at the end of the path; what cannot be looked at counts as there.
RequestMarks look_at_requests(const std::string& job_dir);

}  // namespace luzia
