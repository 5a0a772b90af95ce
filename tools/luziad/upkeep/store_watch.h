// Detects that this daemon can no longer be reached at its place. The store was deleted or moved: the next
// `luzia` creates another store there, with its own daemon. Or its socket is gone (a cleaner of /run or
// /tmp), or another one is at its path: systemd's, whose unit was enabled while a daemon ran that luzia had
// started. Each is reported once; loop thread. Inotify tells at once; in addition it checks when the loop
// runs anyway, at most once a second.
#pragma once

#include <uv.h>

#include <functional>
#include <optional>
#include <string>

#include "engine/base/time.h"
#include "tools/luziad/base/file_watch.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class StoreWatch final : public Follower {
 public:
  struct Handlers {
    std::function<void()> store_gone;
    std::function<void()> socket_gone;   // nobody listens at its path
    std::function<void()> socket_taken;  // another process does
  };

  /// `store`: this process holds its lock.
  StoreWatch(uv_loop_t* loop, const std::string& store, Handlers handlers);

  /// The daemon has bound `socket` itself, and listens.
  void listens_at(const std::string& socket);
  /// Call it in each turn of the loop.
  void turn(TimeUs monotonic);
  void close() override;

 private:
  void look();
  void look_at_socket();
  bool is_lost() const;
  void report(std::function<void()>& what);

  uv_loop_t* loop_;
  Handlers handlers_;
  std::optional<FileWatch> lock_, socket_;
  std::string path_;            // of the socket
  std::optional<Timer> timer_;  // until the socket is taken for gone
  TimeUs looked_at_ = 0;
};

}  // namespace luzia
