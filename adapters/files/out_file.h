// Writes a file that appears complete or not at all: OutFile writes a temporary file beside it, makes that
// durable, then renames it. A file that existed keeps its mode. OutFile writes in place if the target is not
// a regular file (a pipe, /dev/stdout) or if its folder accepts no new files. One thread.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace luzia {

/// Suggests a fix if a file or folder (`kind`) cannot be written: free space if the disk is full, else
/// another name.
std::string write_hint(int errno_value, std::string_view kind);

class OutFile {
 public:
  /// `output_failed` (trouble): the file cannot be created.
  static Result<OutFile> create(const std::string& path);
  /// Without finish(), removes the temporary file.
  ~OutFile();
  OutFile(OutFile&& other) noexcept;
  OutFile& operator=(OutFile&&) = delete;

  Status write(std::string_view text);
  /// On success the file is durable and in its place.
  Status finish();

 private:
  OutFile() = default;
  tl::unexpected<Error> failed(int errno_value) const;

  FILE* file_ = nullptr;
  std::string path_;
  std::string temporary_;  // empty: written in place
};

}  // namespace luzia
