// Requests about the daemon and the store itself: ping, stop, drain, reload, verify, rebuild, backup, scrub.
// Loop thread; long ones run on workers and report progress.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "engine/view/older_rows.h"
#include "tools/luziad/base/parts.h"
#include "tools/luziad/upkeep/scrub.h"

namespace luzia {

class Upkeep {
 public:
  struct Doors {
    /// Ends the daemon in good order; agents go on.
    std::function<void()> stop;
    std::function<Status()> reload;
    /// Whether the files say something else than what was read last, in a line.
    std::function<std::string()> describe_config;
    /// Starts over with the rows of make_new_views().
    std::function<void()> restart_with_new_views;
    /// Fires a sample and answers how it went.
    std::function<void(const RequestId&, const std::string& hook)> try_hook;
    /// Why nothing new starts for want of room on a disk; empty: there is room.
    std::function<std::string()> lack_of_room;
    std::function<Status(Scrub::Listener)> scrub;
    std::function<std::string()> describe_scrub;
    /// What is left of removals that people ordered, and why; empty: nothing.
    std::function<std::string()> removals_left;
  };
  /// `making`: where the daemon shows rows of an older program, else null.
  Upkeep(Parts& parts, Doors doors, std::shared_ptr<RowsInTheMaking> making)
      : parts_(parts), doors_(std::move(doors)), making_(std::move(making)) {}
  ~Upkeep();

  /// Once the daemon serves rows of an older program: makes new ones on a thread of its own that gives way to
  /// all others, then starts over with them.
  void replace_rows();
  static Status check(const Caller& caller, const wire::Control& request);
  void control(const RequestId& to, const Caller& caller, const wire::Control& request);
  /// The rows are being made anew: what they are now is not to be copied.
  bool rebuilding() const { return rebuilding_; }
  /// Tells who waits for the end of a drain how much still runs. After each turn of the loop.
  void turn();

 private:
  void drain(const RequestId& to, const Caller& caller, const std::string& argument);
  void rows_made(const Result<Position>& reached);
  void verify(const RequestId& to);
  void rebuild(const RequestId& to);
  void backup(const RequestId& to, const std::string& target);
  void scrub(const RequestId& to);
  void verify_durable(const RequestId& to);
  /// Runs `work` on a worker and reports its words as the last progress, after `over`.
  void run(const RequestId& to, std::function<Result<std::string>()> work, std::function<void()> over = {});
  std::function<void(Position)> progress_to(const RequestId& to, std::string what, Position total);
  std::string describe() const;

  Parts& parts_;
  Doors doors_;
  bool rebuilding_ = false;
  bool verifying_ = false;
  std::shared_ptr<RowsInTheMaking> making_;
  std::thread maker_;
  std::map<RequestId, std::size_t> drains_;  // with how many run as was told last
};

}  // namespace luzia
