#include "tools/luziad/upkeep/store_watch.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace luzia {

struct StoreWatch::State {
  uv_fs_event_t event{};
  StoreWatch* owner = nullptr;
  std::string lock;
  dev_t device = 0;
  ino_t inode = 0;
  std::function<void()> gone;  // empty once called
};

StoreWatch::StoreWatch(uv_loop_t* loop, const std::string& store, std::function<void()> gone)
    : state_(new State) {
  state_->owner = this;
  state_->lock = store + "/lock";
  struct stat info {};
  if (stat(state_->lock.c_str(), &info) == 0) {
    state_->device = info.st_dev;
    state_->inode = info.st_ino;
    state_->gone = std::move(gone);
  }
  uv_fs_event_init(loop, &state_->event);
  state_->event.data = state_;
  // Without inotify (its watches may be used up), loop turns check.
  (void)uv_fs_event_start(
      &state_->event,
      [](uv_fs_event_t* event, const char*, int, int) {
        if (auto* const owner = static_cast<State*>(event->data)->owner) owner->look();
      },
      state_->lock.c_str(), 0);
}

void StoreWatch::turn(TimeUs monotonic) {
  if (state_ == nullptr || monotonic - looked_at_ < kSecondUs) return;
  looked_at_ = monotonic;
  look();
}

void StoreWatch::look() {
  if (!state_->gone) return;
  struct stat info {};
  const bool there = stat(state_->lock.c_str(), &info) == 0;
  if (there && info.st_dev == state_->device && info.st_ino == state_->inode) return;
  if (!there && errno != ENOENT && errno != ENOTDIR) return;  // cannot be determined right now
  std::exchange(state_->gone, nullptr)();
}

void StoreWatch::close() {
  if (state_ == nullptr) return;
  State* const state = std::exchange(state_, nullptr);
  state->owner = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&state->event),
           [](uv_handle_t* handle) { delete static_cast<State*>(handle->data); });
}

}  // namespace luzia
