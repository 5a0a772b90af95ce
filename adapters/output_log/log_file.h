// Opens a job's output.log without trusting the directory's owner: relative to the directory's descriptor,
// never through a symbolic link, never blocking, and only a regular file of the job's user. Makes system
// calls that block: worker threads.
#pragma once

#include <cstdint>
#include <string>

#include "adapters/output_log/checkpoint.h"
#include "engine/base/result.h"

namespace luzia {

/// Owns the descriptor.
class LogFile {
 public:
  enum class State {
    readable,
    missing,     // no such file or directory
    refused,     // not a regular file, or another user's: not read
    unreadable,  // a system call failed; may work later
  };

  LogFile(const std::string& job_dir, std::uint32_t owner_uid);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  State state() const { return state_; }
  /// Why the file is refused or unreadable.
  const Error& error() const { return error_; }
  /// Unreadable for lack of descriptors or memory, which says nothing about the file.
  bool may_open_later() const { return may_open_later_; }
  /// From fstat when the file was opened.
  const FileIdentity& identity() const { return identity_; }
  std::int64_t modified_ns() const { return modified_ns_; }
  int descriptor() const { return descriptor_; }

 private:
  void open_file(const std::string& job_dir);
  void inspect(std::uint32_t owner_uid);
  void set_state(State state, tl::unexpected<Error> why);
  void refuse_kind();
  void failed(int errno_value, const std::string& what);

  std::string path_;
  int descriptor_ = -1;
  State state_ = State::readable;
  bool may_open_later_ = false;
  Error error_;
  FileIdentity identity_;
  std::int64_t modified_ns_ = 0;
};

}  // namespace luzia
