// notifications.log in the jobs root: one line per job end, for `tail -f` and old scripts.
//
//   [14:05:09] Agent 1qfar2zr00c6x finished (exit 0)     (exit -9)     (start_failed)
//
// Local time of the end. The exit code is the agent process's, for a signal its negative number; without a
// process, the reason of the end takes its place. The file is opened with O_APPEND for each write, so it may
// be renamed for rotation at any time.
//
// A line is written after its end is durable, at least once, even across kill -9 of the daemon.
// STORE/notified holds how far the log was written out; it is updated after the lines. At its start the
// daemon writes the lines for the rest of the log. A kill between the two writes repeats a few lines. If
// STORE/notified is missing or unreadable (a new store, a power loss), everything so far counts as written.
// Rejected: finding the last line's job in the log. A rotated file has no last line, and a retried job ends
// more than once.
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

/// The position in STORE/notified; nullopt: there is none.
std::optional<Position> read_notified(const std::string& store);

/// The lines for the ends in this group, each with its newline.
std::string end_lines(const Group& group);

class Notifications final : public Follower {
 public:
  /// `jobs_root` is called before each write, because a reload may change it.
  Notifications(std::string store, std::function<std::string()> jobs_root, const EventLog& log,
                Workers& workers);
  ~Notifications() { *closed_ = true; }
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  /// At the start, before the first committed(): writes the lines up to `tip` that are missing.
  void catch_up(Position tip);
  void committed(const std::shared_ptr<const Group>& group) override;

 private:
  void write_waiting();
  void write(std::function<Status()> work);

  std::string store_;
  std::function<std::string()> jobs_root_;
  const EventLog& log_;
  Workers& workers_;
  std::string lines_;     // to be written
  Position reached_ = 0;  // position once these lines are written
  Position noted_ = 0;    // position in STORE/notified
  bool writing_ = false;
  bool behind_ = false;  // the last write failed: continue from STORE/notified
  /// Shared with the write in progress, which may outlive this object.
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
};

}  // namespace luzia
