// What the clients of a server may make it keep in memory: for each user, and for all users together. Loop
// thread. The rejected design, a limit for each connection, bounds nothing: connections cost a client
// nothing.
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
  /// `of_all` does not bind `owner` and root: others cannot use up what these need.
  BufferBudget(Limits limits, uid_t owner) : limits_(limits), owner_(owner) {}

  /// A buffer of the user's has grown or shrunk. False: that is too much. It counts all the same, until the
  /// buffer is gone.
  bool change(uid_t user, std::size_t from, std::size_t to);

 private:
  Limits limits_;
  uid_t owner_;
  std::unordered_map<uid_t, std::size_t> used_;  // users without bytes are not in it
  std::size_t used_by_all_ = 0;
};

/// One connection's part of it.
class BufferShare {
 public:
  explicit BufferShare(BufferBudget& budget) : budget_(budget) {}
  ~BufferShare() { hold(0); }
  BufferShare(const BufferShare&) = delete;
  BufferShare& operator=(const BufferShare&) = delete;

  /// Before the first hold().
  void belongs_to(uid_t user) { user_ = user; }
  /// It is so many bytes now. False: too much.
  bool hold(std::size_t bytes);

 private:
  BufferBudget& budget_;
  uid_t user_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace luzia
