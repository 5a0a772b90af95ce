// Whether the store is still where it was. One that was deleted or moved away while we run is nobody's any
// more: the next `luzia` makes another one there, with a daemon of its own. Told once; loop thread. It wakes
// up when the lock file is deleted (inotify), and looks when the daemon does something anyway, once a second
// at most.
#pragma once

#include <sys/types.h>
#include <uv.h>

#include <functional>
#include <string>

#include "engine/base/time.h"
#include "tools/luziad/base/follower.h"

namespace luzia {

class StoreWatch final : public Follower {
 public:
  /// `store`: whose lock this process holds.
  StoreWatch(uv_loop_t* loop, const std::string& store, std::function<void()> gone);
  ~StoreWatch() { close(); }
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;

  /// In each turn of the loop.
  void turn(TimeUs monotonic);
  void close() override;

 private:
  struct State;
  void look();

  State* state_;  // freed by libuv's close callback; null once closed
  TimeUs looked_at_ = 0;
};

}  // namespace luzia
