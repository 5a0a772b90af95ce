// Hooks: who is told of which events, at least once each, in order. What was told is itself in the log, so
// that a daemon that comes after this one goes on where it ended; one that dies between a delivery and its
// record tells the same event again, with the same position and id. Loop thread; deliveries block on threads
// of their own and past events are read by workers, so nothing here delays a job.
//
// A hook that has much to catch up with keeps HookProgress::kMaxWaiting events in memory and reads on when
// those are done. Where nothing concerned a hook for a long time its position is recorded anyway
// (kRecordAfter, and at a clean stop kRecordAtStopAfter): else the next daemon would read all that again. (To
// record the position of every group was rejected: it would be an event per event.)
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "adapters/notify/delivery_threads.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/hooks/hook_plans.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

class Hooks final : public Follower {
 public:
  static constexpr Position kRecordAfter = 100'000;
  static constexpr Position kRecordAtStopAfter = 1'000;

  /// Whether somebody looks at the job now: at its output or its terminal, or (of a job that `ended`) waits
  /// for its end.
  using Watched = std::function<bool(const std::string& job, bool ended)>;

  Hooks(Parts& parts, HookSurroundings surroundings, std::string site, Watched watched)
      : parts_(parts),
        surroundings_(std::move(surroundings)),
        site_(std::move(site)),
        watched_(std::move(watched)) {}

  /// Once, when the engine has all that is durable. `socket`: the daemon's, for commands.
  void start(std::string socket);
  /// Takes the configuration's hooks; at the start, and when it was read again. One that the log does not
  /// know is registered at its present end.
  void config_changed() override;
  /// Before anybody else hears of the group, and goes: who looks on at this moment.
  void about_to_tell(const Group& group);
  void committed(const std::shared_ptr<const Group>& group) override;
  void clock_stepped(TimeUs step) override;
  /// Nothing is begun any more. Before the last event of this daemon.
  void stop();
  /// Breaks off what is under way and waits for its end. Afterwards nothing is called.
  void close() override;

  /// Answers with the configured hooks as they stand, once the rows are current. For the trusted.
  void list(const RequestId& to, const Caller& caller, Queries& queries);
  /// Fires a sample now and answers how it went; the log does not hear of it.
  void try_out(const RequestId& to, const std::string& name);

 private:
  void send_rows(const RequestId& to);
  struct Hook {
    Hook(std::shared_ptr<const HookPlan> its_plan, Position recorded, uv_loop_t* loop)
        : plan(std::move(its_plan)), progress(plan->rule, recorded), timer(loop) {}
    std::shared_ptr<const HookPlan> plan;
    HookProgress progress;
    Timer timer;
    TimeUs armed_for = 0;  // what the timer waits for, 0: nothing
    bool caught_up = false;
    bool awaits_rows = false;
    bool recalled = true;  // false: what was told before is still being read
  };
  struct Seen {
    HookEvent event;
    std::string project;
  };
  struct Past;

  std::string project_of(const HookEvent& event) const;
  bool needs_project(const HookEvent& event) const;
  void recall();
  void read_past();
  void take_past(const Past& past);
  void note(Position cause, schema::SystemFactUnion fact);
  void record_position(Hook& hook);
  void pump(const std::string& name);
  void wait_until(Hook& hook, TimeUs until, TimeUs now);
  void begin(Hook& hook, Position position);
  void ended(const std::string& name, Position position, const Delivery& delivery);

  Parts& parts_;
  HookSurroundings surroundings_;
  std::string site_;
  std::map<std::string, Hook> hooks_;
  Watched watched_;
  std::set<Position> watched_at_;  // events of the group that is about to be told
  bool reading_ = false;
  bool stopping_ = false;
  std::unique_ptr<DeliveryThreads> threads_;  // from the first delivery on
};

}  // namespace luzia
