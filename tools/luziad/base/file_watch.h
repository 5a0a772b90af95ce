// Watches whether a file is still the one that was at its path: it may be deleted, moved away or replaced.
// Loop thread.
#pragma once

#include <uv.h>

#include <functional>
#include <string>

namespace luzia {

class FileWatch {
 public:
  /// What is at the path. `unknown`: the system does not say at the moment.
  enum class Found { same, other, nothing, unknown };

  /// `changed` is called when something happened to the file, and perhaps for nothing. Never, where inotify's
  /// watches are used up: then look() from time to time.
  FileWatch(uv_loop_t* loop, std::string path, std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// `unknown` too if there was no file at the beginning.
  Found look() const;

 private:
  struct Event;
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;  // 0: there was none
  Event* event_;     // freed by libuv's close callback
};

}  // namespace luzia
