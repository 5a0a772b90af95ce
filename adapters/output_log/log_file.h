// Opens a job's output.log without trusting the directory's owner: relative to the directory's descriptor,
// never through a symbolic link, never blocking, and only a regular file of the job's user. A foreign log,
// which no program of Luzia made, is opened with somebody's own rights instead; then links and owners prove
// nothing, and are not asked for. Makes system calls that block: worker threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "adapters/output_log/checkpoint.h"
#include "engine/base/result.h"

namespace luzia {

/// A log file that somebody else writes, at any path.
struct ForeignLog {
  std::string path;
  /// Opens this or another path of the log's folder for reading, never blocking, with the rights of the
  /// account that watches the log: a descriptor, or a negative errno. Worker threads.
  std::function<int(const std::string& path)> open;
};

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
  /// The file at the log's path. After a rotation: the file of `checkpoint`, under its new name in the same
  /// folder, while it has bytes that were not read, or no new file has the log's name yet.
  LogFile(const ForeignLog& log, const schema::CheckpointT& checkpoint);
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
  /// It has been renamed: once it is read, the file that has the log's name now comes next.
  bool was_rotated() const { return was_rotated_; }
  const std::string& path() const { return path_; }
  std::int64_t modified_ns() const { return modified_ns_; }
  int descriptor() const { return descriptor_; }

 private:
  void open_file(const std::string& job_dir);
  /// False: it is not readable, or no regular file.
  bool inspect();
  void check_owner(std::uint32_t owner_uid);
  void take_foreign(int opened);
  void take_rotated(const ForeignLog& log, const schema::CheckpointT& checkpoint);
  void set_state(State state, tl::unexpected<Error> why);
  void refuse_kind();
  void failed(int errno_value, const std::string& what);

  std::string path_;
  int descriptor_ = -1;
  State state_ = State::readable;
  bool may_open_later_ = false;
  bool was_rotated_ = false;
  Error error_;
  FileIdentity identity_;
  std::int64_t modified_ns_ = 0;
  std::uint32_t owner_ = 0;
};

/// Where reading begins that leaves out what the log holds already. Errors: `log_unreadable` (refused),
/// `no_log` (not_found).
Result<schema::CheckpointT> checkpoint_at_end(const ForeignLog& log);

}  // namespace luzia
