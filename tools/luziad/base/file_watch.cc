#include "tools/luziad/base/file_watch.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace luzia {

struct FileWatch::Event {
  uv_fs_event_t handle{};
  std::function<void()> changed;  // empty once the watch is gone
};

FileWatch::FileWatch(uv_loop_t* loop, std::string path, std::function<void()> changed)
    : path_(std::move(path)), event_(new Event) {
  struct stat info {};
  if (lstat(path_.c_str(), &info) == 0) {
    device_ = info.st_dev;
    inode_ = info.st_ino;
  }
  event_->changed = std::move(changed);
  uv_fs_event_init(loop, &event_->handle);
  event_->handle.data = event_;
  (void)uv_fs_event_start(
      &event_->handle,
      [](uv_fs_event_t* handle, const char*, int, int) {
        // It may end this watch.
        const auto called = static_cast<Event*>(handle->data)->changed;
        if (called) called();
      },
      path_.c_str(), 0);
}

FileWatch::~FileWatch() {
  event_->changed = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&event_->handle),
           [](uv_handle_t* handle) { delete static_cast<Event*>(handle->data); });
}

FileWatch::Found FileWatch::look() const {
  struct stat info {};
  if (inode_ == 0) return Found::unknown;
  if (lstat(path_.c_str(), &info) == 0)
    return info.st_dev == device_ && info.st_ino == inode_ ? Found::same : Found::other;
  return errno == ENOENT || errno == ENOTDIR ? Found::nothing : Found::unknown;
}

}  // namespace luzia
