// One inotify watch (uv_fs_event) on a job directory that tells when to look at its output.log, and when at
// the files by which its agent asks. It only hints; nothing is concluded from an event. Loop thread.
//
// On the directory, not on output.log: one watch serves them all, and it stays right when the file is moved,
// replaced or removed. (Rejected: one on the file and one on the directory, which hears of the file's writes
// as well: every line would wake the loop twice, and each silent job would cost two watches.) What is written
// through a hard link in another folder it does not hear; the timer finds that.
#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace luzia {

class FileHint {
 public:
  enum class About {
    output,     // output.log
    requests,   // a file of kRequestFiles (request_marks.h)
    directory,  // itself: it moved or went, so the watch may be on one that nobody writes to any more
  };
  using Hint = std::function<void(std::uint64_t watch, About about)>;

  /// `hint` must outlive it.
  FileHint(uv_loop_t* loop, std::uint64_t watch, std::string job_dir, const Hint* hint);
  FileHint(const FileHint&) = delete;
  FileHint& operator=(const FileHint&) = delete;

  /// Watches the directory that has its name now, instead of what it watched. A negative libuv error when
  /// that failed: nothing is watched then.
  int arm();

  /// Stops, closes the handle and deletes the object when libuv lets go of it; `closed` runs after that.
  static void close(std::unique_ptr<FileHint> hint, std::function<void()> closed);

 private:
  bool is_directory_itself(std::string_view name) const;
  static void on_event(uv_fs_event_t* handle, const char* name, int events, int status);

  uv_fs_event_t handle_{};
  std::uint64_t watch_;
  std::string job_dir_;
  const Hint* hint_;
  std::function<void()> closed_;
};

}  // namespace luzia
