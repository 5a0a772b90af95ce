// Alerts of the machine that scripts publish: a system_alert without a job. There is one per alert_type,
// which also names it: publishing it again replaces its message, severity and end. It ends at its time, or
// when a person clears it. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/view/view_store.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/base/store.h"

namespace luzia {

class PublishedAlerts final : public Follower {
 public:
  PublishedAlerts(uv_loop_t* loop, const Store& store, const Desk& desk)
      : views_(store.views), desk_(desk), timer_(std::make_unique<Timer>(loop)) {}

  /// At the start: the alerts that are open in the log. Those whose time is over end at once.
  void load(const ViewReader& rows);
  /// `request` has no job. Errors: `no_job` (usage) for other reports than alerts, `not_allowed` (refused)
  /// for all but root and the daemon's user, `bad_field` (usage).
  Status publish(const RequestId& to, const Caller& caller, const wire::Publish& request);
  /// `no_such_alert` (not found), `alert_measured` (refused), `not_allowed`.
  Status clear(const RequestId& to, const Caller& caller, const wire::ClearAlerts& request);
  void committed(const std::shared_ptr<const Group>& group) override;
  void clock_stepped(TimeUs step) override;
  void close() override { timer_.reset(); }

 private:
  void arm();
  void end_due();

  const ViewStore& views_;
  Desk desk_;
  std::map<std::string, TimeUs> open_;  // by name: when it ends
  std::unique_ptr<Timer> timer_;        // null once closed
};

}  // namespace luzia
