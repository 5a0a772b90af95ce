// notifications.log in the jobs root: one line for each end of a job, for `tail -f` and old scripts.
//
//   [14:05:09] Agent 1qfar2zr00c6x finished (exit 0)     (signal 9)     (start_failed)
//
// Local time of the end. The exit code or signal is that of the agent's process; where there was none the
// reason of the end stands for it. The file is opened with O_APPEND for each write, so whoever rotates it may
// rename it at any time.
//
// A line is written after its end is durable, and at least once, also across kill -9 of the daemon: how far
// the log has been told stands in STORE/notified, written after the lines; at its start the daemon tells what
// the log has beyond it. A kill between the two writes tells a few ends again. A missing or unreadable
// STORE/notified (a new store, a power cut) means: everything so far was told. Rejected: finding the last
// line's job in the log; a rotated file has no last line, and a job that is retried ends more than once.
//
// Loop thread; files are written by workers, one write after another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/log/event_log.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// Up to where STORE/notified says that the log was told; nullopt: it says nothing.
std::optional<Position> read_notified(const std::string& store);

/// The lines of the ends in this group, each with its newline.
std::string end_lines(const Group& group);

class Notifications final : public Follower {
 public:
  /// `jobs_root` is asked for before each write: a reload may change it.
  Notifications(std::string store, std::function<std::string()> jobs_root, const EventLog& log,
                Workers& workers);
  ~Notifications() { *closed_ = true; }
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  /// Start, before the first committed(): tells what the log has up to `tip` and was not told.
  void catch_up(Position tip);
  /// In order, each group once.
  void committed(const std::shared_ptr<const Group>& group) override;

 private:
  void write_waiting();
  void write(std::function<Status()> work);

  std::string store_;
  std::function<std::string()> jobs_root_;
  const EventLog& log_;
  Workers& workers_;
  std::string lines_;     // to be written
  Position reached_ = 0;  // with them
  Position noted_ = 0;    // STORE/notified says so
  bool writing_ = false;
  bool behind_ = false;  // the last write failed: STORE/notified says from where
  /// Shared with the write under way, which may end after this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
