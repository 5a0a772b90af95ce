// Bounds the memory that a server's clients can make it use: per user, and for all users together. Loop
// thread. Rejected: a limit per connection. It bounds nothing, because opening more connections costs a
// client nothing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <unordered_map>

namespace luzia {

class BufferBudget {
 public:
  struct Limits {
    std::size_t of_user, of_all;
  };
  /// `of_all` does not apply to `owner` and root, so others cannot use up the memory that these need.
  BufferBudget(Limits limits, uid_t owner) : limits_(limits), owner_(owner) {}

  /// Records that a buffer of the user's has grown or shrunk. False: the limit is exceeded. The bytes count
  /// all the same until the buffer is gone.
  bool change(uid_t user, std::size_t from, std::size_t to);

 private:
  Limits limits_;
  uid_t owner_;
  std::unordered_map<uid_t, std::size_t> used_;  // only users with bytes in use
  std::size_t used_by_all_ = 0;
};

/// One connection's share of the budget.
class BufferShare {
 public:
  explicit BufferShare(BufferBudget& budget) : budget_(budget) {}
  ~BufferShare() { hold(0); }
  BufferShare(const BufferShare&) = delete;
  BufferShare& operator=(const BufferShare&) = delete;

  /// Call before the first hold().
  void belongs_to(uid_t user) { user_ = user; }
  /// Sets the buffer's current size. False: the limit is exceeded.
  bool hold(std::size_t bytes);

 private:
  BufferBudget& budget_;
  uid_t user_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace luzia
