// A file that appears whole or not at all: written under another name beside its place, made durable, then
// renamed; one that was there keeps its mode. What is no regular file (a pipe, /dev/stdout) is written to as
// it is, and so is a file in a folder that takes no new ones. One thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

/// What helps when a file or folder (`kind`) cannot be written: room where it is missing, else another name.
std::string write_hint(int errno_value, std::string_view kind);

class OutFile {
 public:
  /// `output_failed` (trouble) when it cannot be made.
  static Result<OutFile> create(const std::string& path);
  /// Without finish() nothing is left behind.
  ~OutFile();
  OutFile(OutFile&& other) noexcept;
  OutFile& operator=(OutFile&&) = delete;

  Status write(std::string_view text);
  /// Durable and in its place when it returns without error.
  Status finish();

 private:
  OutFile() = default;
  tl::unexpected<Error> failed(int errno_value) const;

  FILE* file_ = nullptr;
  std::string path_;
  std::string temporary_;  // empty: written in place
};

}  // namespace luzia
