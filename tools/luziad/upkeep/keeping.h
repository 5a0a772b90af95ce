// Carries out [keep]: lets go of what ended jobs left behind, by age and size.
//
// Every hour, and after a change of the configuration, a low-priority thread looks through the rows of ended
// jobs. What is due becomes commands: the engine decides again, so a job that was retried meanwhile stays.
// Only when their events are durable, the files go, on that thread. A kill in between leaves files whose
// event is in the log; the next look finds them, and records nothing twice. Removed jobs and their texts are
// RemovalWork's.
//
// Rejected: a cursor in a file. Whether something is left shows in the directories themselves.
//
// Loop thread.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/engine.h"
#include "tools/luziad/base/daemon_fact.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"
#include "tools/luziad/upkeep/keep_rules.h"

namespace luzia {

class Keeping final : public Follower {
 public:
  Keeping(const Threads& threads, const Store& store, const Config& config, Engine& engine)
      : threads_(threads),
        store_(store),
        config_(config),
        engine_(engine),
        timer_(std::make_unique<Timer>(threads.loop)) {}
  ~Keeping() { close(); }
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;

  /// At the start: the first look comes after a minute.
  void begin();
  void config_changed() override;
  /// After a jump ahead of more than an hour it waits a day: a wrong clock must not make jobs old.
  void clock_stepped(TimeUs step) override;
  /// Looks at once. `nothing_to_keep` (refused): no rule is set.
  Status look_now();
  /// preview_of_keep() of the present rows, for a worker.
  std::function<Result<std::string>()> preview() const;
  /// The rules in force, what they let go of since the daemon started, and what they could not.
  wire::DaemonFactT describe() const;
  void close() override;

 private:
  struct Batch;
  void look();
  void aside(std::function<void(const std::stop_token&)> work, std::function<void()> then);
  void looked(const std::shared_ptr<Batch>& batch);
  void submit(const std::shared_ptr<Batch>& batch, std::size_t at);
  void recorded(const std::shared_ptr<Batch>& batch);
  void taken(const std::shared_ptr<Batch>& batch);
  void phase_over();
  void pass_over();

  Threads threads_;
  Store store_;
  const Config& config_;
  Engine& engine_;
  std::unique_ptr<Timer> timer_;  // null once closed
  std::jthread thread_;
  bool working_ = false;
  bool again_ = false;    // the configuration changed, or somebody asked, during a pass
  bool jumped_ = false;   // the clock jumped ahead during a pass
  std::string from_;      // where the pass goes on
  bool by_size_ = false;  // the pass is done with ages
  TimeUs pass_began_ = 0;
  std::set<std::string> tried_;  // jobs of this pass
  KeptUntil kept_until_{};
  bool left_ = false;    // something of this pass is left
  std::string trouble_;  // why something of the last passes is left; empty: nothing, or not ours to say
  std::uint64_t jobs_ = 0, bytes_ = 0;                            // let go since the daemon started
  std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);  // shared with work in progress
};

}  // namespace luzia
