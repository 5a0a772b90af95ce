// Detects that the store was deleted or moved while the daemon runs. Such a daemon is orphaned: the next
// `luzia` creates another store there, with its own daemon. Reported once; loop thread. Inotify reports that
// the lock file was deleted. In addition it checks when the loop runs anyway, at most once a second.
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
  /// `store`: this process holds its lock.
  StoreWatch(uv_loop_t* loop, const std::string& store, std::function<void()> gone);
  ~StoreWatch() { close(); }
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;

  /// Call it in each turn of the loop.
  void turn(TimeUs monotonic);
  void close() override;

 private:
  struct State;
  void look();

  State* state_;  // freed by libuv's close callback; null once closed
  TimeUs looked_at_ = 0;
};

}  // namespace luzia
