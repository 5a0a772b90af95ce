// When digests are due. Each channel with a time of the day has a queue of digests, and an event of that
// queue says that one is due. The queue then notifies its channel as any other hook does: deliveries are
// recorded and repeated as others are, and quiet hours do not hold them back.
//
// The moments that have passed since the last digest make one digest together: of a machine that slept or was
// off for days, at the first moment after. A clock that is set back does not repeat a moment. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/hook/daily_time.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/store.h"

namespace luzia {

class Digests final : public Follower {
 public:
  /// A sleeping machine stops the timer's clock, so the wall clock is looked at this often.
  static constexpr TimeUs kLongestWait = kMinuteUs;

  Digests(uv_loop_t* loop, const Store& store, const Desk& desk)
      : store_(store), desk_(desk), timer_(std::make_unique<Timer>(loop)) {}

  /// Loads the configuration's channels. Call it at the start, too, once the hooks are loaded, and what ended
  /// while no daemon ran is recorded.
  void config_changed() override;
  void clock_stepped(TimeUs step) override;
  void close() override { timer_.reset(); }

 private:
  struct Queue {
    DailyTime daily;
    TimeUs base = 0;  // moments up to here are over
  };
  Queue queue_of(const std::string& hook, const DailyTime& daily, TimeUs now) const;
  void look();
  void note_due(const std::string& hook, TimeUs now);

  Store store_;
  Desk desk_;
  std::unique_ptr<Timer> timer_;  // null once closed
  std::map<std::string, Queue> queues_;
  bool started_ = false;
};

}  // namespace luzia
