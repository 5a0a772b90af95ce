// Follows the daemon's events on a thread of its own, across restarts of the daemon, and delivers them as
// blocks of a stream of server-sent events, written once for all readers.
//
// After a rest, an event is delivered at once. Then what comes within 10 ms is delivered together, so that
// thousands of events a second wake the readers a hundred times, not thousands of times.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/descriptor.h"
#include "tools/luzia-web/daemon_door.h"

namespace luzia::web {

using Position = std::uint64_t;

/// "id: POSITION\ndata: {...}\n\n".
struct Block {
  Position position = 0;
  std::shared_ptr<const std::string> text;
};
std::string block_of(Position position, std::string_view json);

struct Batch {
  Position after = 0;     // the blocks are all events after this position that the device may see ...
  Position position = 0;  // ... up to this one
  std::vector<Block> blocks = {};
  std::vector<std::string> revoked = {};  // ids of devices
  std::size_t bytes = 0;                  // of the blocks
};

class Feed {
 public:
  /// Follows with the rights of the device; empty: as the daemon's user. Calls `deliver` on the feed's
  /// thread.
  Feed(const DaemonDoor& door, std::string device, std::function<void(Batch)> deliver);
  /// Ends the thread; nothing is delivered afterwards.
  ~Feed();

 private:
  void run();
  Status follow();
  /// Adds what is new after the batch.
  static void add_to(Batch& batch, const wire::Events& events);

  const DaemonDoor& door_;
  std::string device_;
  std::function<void(Batch)> deliver_;
  Descriptor stop_;
  std::atomic<bool> stopping_ = false;
  Position position_ = 0;
  bool begun_ = false;
  std::thread thread_;
};

/// The newest blocks of a feed, bounded. Loop thread.
class Ring {
 public:
  static constexpr std::size_t kMostBytes = 16 << 20;

  void add(const Batch& batch);
  /// Whether it has begun, and has every event after `position`.
  bool covers(Position position) const { return begun_ && position >= base_; }
  bool has_begun() const { return begun_; }
  Position position() const { return position_; }
  /// Appends blocks after `position`, at least one, at most about `most` bytes; returns the position reached.
  Position read(Position position, std::size_t most, std::string& out) const;

 private:
  bool begun_ = false;
  Position base_ = 0, position_ = 0;
  std::size_t bytes_ = 0;
  std::deque<Block> blocks_;
};

}  // namespace luzia::web
