// Reads an attempt's output file for people, safely: through the directory's descriptor, no links, only
// regular files of the job's user. Worker threads; one reader per subscription.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "adapters/output_log/log_file.h"
#include "engine/base/descriptor.h"
#include "engine/base/redactor.h"
#include "engine/base/result.h"

namespace luzia {

/// The owner that the output of a job of `user` must have: the account's uid, or the number that stands for a
/// deleted account. If it is neither, kNoOwner, which no file has. May wait for the service that knows
/// accounts.
std::uint32_t output_owner(const std::string& user);
constexpr std::uint32_t kNoOwner = ~std::uint32_t{0};

class OutputReader {
 public:
  /// `attempt_dir`: the job directory, or its attempt-N for an earlier attempt. Output that does not exist
  /// (yet) reads as empty.
  static Result<OutputReader> open(const std::string& attempt_dir, std::uint32_t owner_uid);
  /// The log of a tracked job. If `read` names a file, only that one, even if it was renamed; if it is gone,
  /// it reads as empty.
  static Result<OutputReader> open_foreign(const ForeignLog& log, const schema::CheckpointT& read);

  /// From now on reads black out the attempt's secrets. `goes_on`: the attempt still writes. May be null.
  void black_out(std::shared_ptr<const Redactor> redactor, bool goes_on) {
    redactor_ = std::move(redactor);
    goes_on_ = goes_on;
  }

  bool is_open() const { return static_cast<bool>(fd_); }
  std::uint64_t size() const;
  /// Size of an ended attempt's output (or of a foreign log) without the empty line and `exit:<code>` that
  /// luzia-run adds. `whole`: size().
  std::uint64_t size_without_exit_line(std::uint64_t whole) const;
  /// Up to `max` bytes from `offset`; empty at the end.
  Result<std::string> read(std::uint64_t offset, std::size_t max) const;
  /// As many bytes as fit, fewer only at the end; returns how many.
  Result<std::size_t> read(std::uint64_t offset, std::span<char> into) const;
  /// Offset of the first of the last `lines` lines before `end`. If these are longer than kMostLookedBack
  /// together, an offset within a line.
  static constexpr std::uint64_t kMostLookedBack = 65 << 20;
  Result<std::uint64_t> offset_of_last_lines(std::uint64_t lines, std::uint64_t end) const;

 private:
  explicit OutputReader(Descriptor fd, bool has_exit_line = true)
      : fd_(std::move(fd)), has_exit_line_(has_exit_line) {}
  Descriptor fd_;
  bool has_exit_line_;  // once its attempt is over
  std::shared_ptr<const Redactor> redactor_;
  bool goes_on_ = false;
};

}  // namespace luzia
