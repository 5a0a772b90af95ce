// Reading an attempt's output file for people, safely: by directory fd, no links, regular files of the job's
// user only. Worker threads; one reader per subscription.
#pragma once

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Whose the output of a job of `user` must be: the account's uid, or the number that stands for one that has
/// gone; kNoOwner, which no file has, where it is neither.
std::uint32_t output_owner(const std::string& user);
constexpr std::uint32_t kNoOwner = ~std::uint32_t{0};

class OutputReader {
 public:
  /// `attempt_dir`: the job directory, or its attempt-N for an earlier attempt. An output that does not exist
  /// (yet) reads as empty.
  static Result<OutputReader> open(const std::string& attempt_dir, std::uint32_t owner_uid);
  OutputReader(OutputReader&& other) noexcept;
  OutputReader& operator=(OutputReader&& other) noexcept;
  ~OutputReader();

  bool is_open() const { return fd_ >= 0; }
  std::uint64_t size() const;
  /// Size of an ended attempt's output: without the empty line and `exit:<code>` that luzia-run adds.
  std::uint64_t size_without_exit_line() const;
  /// Up to `max` bytes from `offset`; empty at the end.
  Result<std::string> read(std::uint64_t offset, std::size_t max) const;
  /// Offset of the first of the last `lines` lines before `end`; within a line where these are longer than
  /// kMostLookedBack together.
  static constexpr std::uint64_t kMostLookedBack = 65 << 20;
  Result<std::uint64_t> offset_of_last_lines(std::uint64_t lines, std::uint64_t end) const;

 private:
  explicit OutputReader(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace luzia
