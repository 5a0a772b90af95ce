#include "tools/luziad/upkeep/wall_clock.h"

#include <spdlog/spdlog.h>

#include "tools/luziad/base/loop.h"

namespace luzia {

WallClock::WallClock(const std::string& store, std::string boot_id, const EventLog& log, Engine& engine)
    : record_(store, std::move(boot_id)),
      watch_(record_.offset(log).value_or(wall_now() - monotonic_now())),
      engine_(engine) {}

TimeUs WallClock::look(TimeUs now, TimeUs monotonic) {
  const TimeUs step = watch_.step(now, monotonic);
  if (step == 0) return 0;
  spdlog::warn("the wall clock stepped by {} s", step / kSecondUs);
  engine_.clock_stepped(step, now);
  record();
  return step;
}

/// The next daemon searches for steps from the recorded position on.
void WallClock::committed(const std::shared_ptr<const Group>& /*group*/) {
  constexpr Position kFarBehind = 100'000;
  const bool is_far = !recorded_at_ || engine_.durable() - *recorded_at_ > kFarBehind;
  if (to_record_ == 0 && is_far) record();
}

/// Writes once the decided steps are durable. Of several pending writes only the last happens: the offset
/// includes all steps.
void WallClock::record() {
  ++to_record_;
  engine_.when_durable([this](const Status& durable) {
    if (--to_record_ > 0 || !durable || closed_) return;
    recorded_at_ = engine_.durable();
    if (auto written = record_.write(watch_.offset(), *recorded_at_); !written) {
      spdlog::warn("{}", written.error().message);
    }
  });
}

}  // namespace luzia
