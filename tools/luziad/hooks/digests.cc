#include "tools/luziad/hooks/digests.h"

#include <algorithm>

#include "adapters/notify/quiet_time.h"
#include "tools/luziad/hooks/digest_notice.h"
#include "tools/luziad/hooks/hook_plans.h"

namespace luzia {

Digests::Queue Digests::queue_of(const std::string& hook, const DailyTime& daily, TimeUs now) const {
  const view::HookCursorT row = digest_cursor(*store_.views.snapshot(), hook);
  const TimeUs last = std::max(row.digest_us, row.registered_us);
  // Who is configured while the daemon runs did not ask for what is over. A time far ahead is that of a clock
  // that was wrong.
  const bool counts = !started_ && last != 0 && last < now + kDayUs;
  return {daily, counts ? last : now};
}

void Digests::config_changed() {
  const auto daily = digest_times(desk_.config);
  const TimeUs now = wall_now();
  std::erase_if(queues_, [&daily](const auto& each) { return !daily.contains(each.first); });
  for (const auto& [hook, time] : daily) {
    const auto [queue, is_new] = queues_.try_emplace(hook);
    if (is_new) queue->second = queue_of(hook, time, now);
    if (queue->second.daily == time) continue;
    // Today's moment of the new time may be over: it was not asked for then.
    queue->second.daily = time;
    queue->second.base = std::max(queue->second.base, now);
  }
  started_ = true;
  look();
}

void Digests::clock_stepped(TimeUs /*step*/) {
  const TimeUs now = wall_now();
  for (auto& [hook, queue] : queues_) {
    if (queue.base > now + kDayUs) queue.base = now;
  }
  if (started_) look();
}

void Digests::look() {
  if (!timer_) return;
  const TimeUs now = wall_now();
  TimeUs wait = kLongestWait;
  for (auto& [hook, queue] : queues_) {
    if (last_moment(queue.daily, now) > queue.base) {
      queue.base = now;
      note_due(hook, now);
    }
    if (const TimeUs next = next_moment(queue.daily, now); next != 0) wait = std::min(wait, next - now);
  }
  if (queues_.empty()) return timer_->stop();
  timer_->start(static_cast<std::uint64_t>(wait / kMillisecondUs) + 1, [this] { look(); });
}

void Digests::note_due(const std::string& hook, TimeUs now) {
  schema::DigestDueT due;
  due.hook = hook;
  desk_.engine.submit(by_daemon(now), SystemNote{domain_fact(std::move(due))}, {});
}

}  // namespace luzia
