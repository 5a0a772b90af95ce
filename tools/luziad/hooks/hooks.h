// Hooks: notifies channels of events, at least once each, in order. Deliveries are recorded in the log, so
// the next daemon continues where this one ended. If a daemon dies between a delivery and its record, the
// event is delivered again with the same position and id. Loop thread. Deliveries block on their own threads,
// and workers read past events, so nothing here delays a job.
//
// A hook with a backlog keeps HookProgress::kMaxWaiting events in memory and reads more when those are done.
// If nothing concerned a hook for a long time, its position is recorded anyway (every kRecordAfter events,
// and at a clean stop after kRecordAtStopAfter). Otherwise the next daemon would read all that again.
// Rejected: recording the position of every group, which would add an event per event.
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

  /// Whether a person is watching the job now: its output or its terminal, or (for a job that `ended`)
  /// waiting for its end.
  using Watched = std::function<bool(const std::string& job, bool ended)>;

  Hooks(const Threads& threads, const Store& store, const Desk& desk, HookSurroundings surroundings,
        std::string site, Watched watched)
      : threads_(threads),
        store_(store),
        desk_(desk),
        surroundings_(std::move(surroundings)),
        site_(std::move(site)),
        watched_(std::move(watched)) {}

  /// Call once, when the engine has loaded everything durable. `socket`: the daemon's, for hook commands.
  void start(std::string socket);
  /// Loads the configuration's hooks, at the start and after each reload. A hook that the log does not know
  /// is registered at the log's current end.
  void config_changed() override;
  /// Call before any follower is notified of the group: notes who is watching at this moment.
  void about_to_notify(const Group& group);
  void committed(const std::shared_ptr<const Group>& group) override;
  void clock_stepped(TimeUs step) override;
  /// Starts no more deliveries. Call before this daemon's last event.
  void stop();
  /// Cancels deliveries in progress and waits for them. No callback runs afterwards.
  void close() override;

  /// Replies with the configured hooks and their state, once the rows are current. For trusted callers.
  Status list(const RequestId& to, const Caller& caller, Queries& queries);
  /// Notes on which devices somebody looks at the page: no push goes to these people meanwhile. Only root and
  /// the daemon's user.
  Status note_pages(const RequestId& to, const Caller& caller, const wire::NotePages& request);
  /// Delivers a sample now and replies with the result; the log does not record it.
  Status try_out(const RequestId& to, const std::string& name);

 private:
  Status send_rows(const RequestId& to);
  /// Whether the person looks at a page that shows the project.
  bool looks(const std::string& person, const std::string& project) const;
  /// `too_many_samples` (refused).
  Status begin_sample(const std::string& name);
  DeliveryThreads& threads_for(const HookPlan& plan);
  void end_push(const HookPlan& plan, const Delivery& delivery, Position cause);
  struct Hook {
    Hook(std::shared_ptr<const HookPlan> its_plan, Position recorded, uv_loop_t* loop)
        : plan(std::move(its_plan)),
          current(std::make_shared<const bool>(true)),
          progress(plan->rule, recorded),
          timer(loop) {}
    std::shared_ptr<const HookPlan> plan;
    std::shared_ptr<const bool> current;  // gone: the plan is another one
    HookProgress progress;
    Timer timer;
    TimeUs armed_for = 0;  // when the timer fires; 0: not running
    Position told = 0;     // the last event that this daemon delivered to it
    bool caught_up = false;
    bool awaits_rows = false;
    bool recalled = true;  // false: its earlier deliveries are still being read
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
  /// With the plan of now.
  void begin_again(const std::string& name, Position position);
  void ended(const std::string& name, Position position, const Delivery& delivery);

  Threads threads_;
  Store store_;
  Desk desk_;
  HookSurroundings surroundings_;
  std::string site_;
  std::map<std::string, Hook> hooks_;
  Watched watched_;
  std::set<Position> watched_at_;  // events of the group about to be reported
  bool reading_ = false;
  bool stopping_ = false;
  struct Page {
    std::string person;
    std::vector<std::string> projects;  // that it shows; empty: all
  };
  std::vector<Page> looking_;  // at which people look
  TimeUs looking_until_ = 0;   // monotonic
  struct Samples {
    TimeUs since = 0;
    unsigned number = 0;
    bool under_way = false;
  };
  std::map<std::string, Samples> samples_;  // of pushes, by hook
  // Created at the first delivery. A service that a device chose delays only pushes.
  std::unique_ptr<DeliveryThreads> deliveries_, pushes_;
};

}  // namespace luzia
