// One inotify watch (uv_fs_event) on a job directory. It hints when to look at output.log, and when to look
// at the files with an agent's prompts. It only hints: nothing is concluded from an event. Loop thread.
//
// The watch is on the directory, not on output.log: one watch serves all files, and it stays valid if a file
// is moved, replaced or removed. Rejected: one watch on the file and one on the directory. The directory's
// watch hears the file's writes too, so every line would wake the loop twice, and each silent job would cost
// two watches. Writes through a hard link in another folder raise no event; the timer finds those.
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
    answers,    // a file of kAnswerFiles (request_marks.h)
    directory,  // the directory itself moved or went, so the watch may be on an abandoned one
  };
  using Hint = std::function<void(std::uint64_t watch, About about)>;

  /// `hint` must outlive this object. `foreign_log`: hints only of this file in `job_dir`; empty: of
  /// output.log and the others.
  FileHint(uv_loop_t* loop, std::uint64_t watch, std::string job_dir, const Hint* hint,
           const std::string& foreign_log = {});
  FileHint(const FileHint&) = delete;
  FileHint& operator=(const FileHint&) = delete;

  /// Watches the directory that currently has this path, instead of the one before. Returns a negative libuv
  /// error on failure; then nothing is watched.
  int arm();

  /// Stops, closes the handle and deletes the object once libuv releases it; `closed` runs after that.
  static void close(std::unique_ptr<FileHint> hint, std::function<void()> closed);

 private:
  bool is_directory_itself(std::string_view name) const;
  static void on_event(uv_fs_event_t* handle, const char* name, int events, int status);

  uv_fs_event_t handle_{};
  std::uint64_t watch_;
  std::string job_dir_;
  std::string foreign_name_;  // of the foreign log; empty: output.log
  const Hint* hint_;
  std::function<void()> closed_;
};

}  // namespace luzia
