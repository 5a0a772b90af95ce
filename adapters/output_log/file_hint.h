// One inotify watch (uv_fs_event) that tells when to look at a job's output.log: on the file itself while
// there is one, else on the job directory, where it may appear. It only hints; nothing is concluded from an
// event. Loop thread.
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
  enum class Target { file, directory };
  /// `renamed`: the file moved or went, so the watch may be on one that nobody writes any more.
  using Hint = std::function<void(std::uint64_t watch, bool renamed)>;

  /// `hint` must outlive it.
  FileHint(uv_loop_t* loop, std::uint64_t watch, std::string job_dir, const Hint* hint);
  FileHint(const FileHint&) = delete;
  FileHint& operator=(const FileHint&) = delete;

  /// Watches `target` from now on, instead of what it watched. A negative libuv error when that failed:
  /// nothing is watched then.
  int arm(Target target);
  bool armed() const { return armed_; }
  Target target() const { return target_; }

  /// Stops, closes the handle and deletes the object when libuv lets go of it; `closed` runs after that.
  static void close(std::unique_ptr<FileHint> hint, std::function<void()> closed);

 private:
  bool concerns_output(std::string_view name) const;
  static void on_event(uv_fs_event_t* handle, const char* name, int events, int status);

  uv_fs_event_t handle_{};
  std::uint64_t watch_;
  std::string job_dir_;
  const Hint* hint_;
  Target target_ = Target::file;
  bool armed_ = false;
  std::function<void()> closed_;
};

}  // namespace luzia
