// Requests about the daemon and the store itself: ping, stop, drain, reload, verify, rebuild, backup, scrub.
// Loop thread; long ones run on workers and report progress.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "adapters/output_log/output_watcher.h"
#include "engine/view/older_rows.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"
#include "tools/luziad/upkeep/scrub.h"

namespace luzia {

class Upkeep {
 public:
  struct Doors {
    /// Stops the daemon in an orderly way; agents continue.
    std::function<void()> stop;
    std::function<Status()> reload;
    /// Restarts with the rows of make_new_views().
    std::function<void()> restart_with_new_views;
    /// Delivers a sample notice and replies with the result.
    std::function<Status(const RequestId&, const std::string& hook)> try_hook;
    /// Why nothing new starts for lack of disk space; empty: there is enough.
    std::function<std::string()> lack_of_room;
    std::function<Status(Scrub::Listener)> scrub;
    /// What the parts of the daemon say of themselves; without a text they say nothing.
    std::function<std::vector<wire::DaemonFactT>()> facts;
    std::function<Status()> keep_now;
    /// Work for a worker: what [keep] would let go of now, as JSON.
    std::function<std::function<Result<std::string>()>()> preview_keep;
  };
  /// `making`: set if the daemon serves rows of an older program, else null.
  Upkeep(const Threads& threads, const Store& store, const Desk& desk, const OutputWatcher& watcher,
         Doors doors, std::shared_ptr<RowsInTheMaking> making)
      : threads_(threads),
        store_(store),
        desk_(desk),
        watcher_(watcher),
        doors_(std::move(doors)),
        making_(std::move(making)) {}
  ~Upkeep();

  /// Call it once the daemon serves rows of an older program: builds new ones on a separate low-priority
  /// thread, then restarts with them.
  void replace_rows();
  static Status check(const Caller& caller, const wire::Control& request);
  Status control(const RequestId& to, const Caller& caller, const wire::Control& request);
  /// The rows are being rebuilt, so they must not be copied now.
  bool rebuilding() const { return rebuilding_; }
  /// Reports to clients that wait for a drain how many jobs still run. Call it after each turn of the loop.
  void turn();

 private:
  Status drain(const RequestId& to, const Caller& caller, const std::string& argument);
  void rows_made(const Result<Position>& reached);
  Status verify(const RequestId& to);
  Status rebuild(const RequestId& to);
  Status backup(const RequestId& to, const std::string& target);
  Status scrub(const RequestId& to);
  Status keep(const RequestId& to, bool now);
  void verify_durable(const RequestId& to);
  /// Runs `work` on a worker. Reports its text as the last progress, after calling `over`.
  Status run(const RequestId& to, std::function<Result<std::string>()> work, std::function<void()> over = {});
  std::function<void(Position)> progress_to(const RequestId& to, std::string what, Position total);
  wire::ProgressedT describe() const;

  Threads threads_;
  Store store_;
  Desk desk_;
  const OutputWatcher& watcher_;
  Doors doors_;
  bool rebuilding_ = false;
  bool verifying_ = false;
  std::shared_ptr<RowsInTheMaking> making_;
  std::thread maker_;
  std::map<RequestId, std::size_t> drains_;  // with the number last reported as running
};

}  // namespace luzia
