// What hooks were notified of before, in a log whose clock went back.
#include "tools/luziad/hooks/hook_recall.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/registry.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {
namespace {

constexpr std::uint64_t kTenMinutesMs = 600'000;

class HookRecallTest : public testing::Test {
 protected:
  template <class Fact>
  Position note(Fact fact) {
    return writer_.write(kSecondUs, new_event("system", std::move(fact)));
  }
  /// Records a job that failed and whose failure was delivered to the hook.
  Position told_failure(const std::string& job) {
    const Position failed = writer_.write(kSecondUs, ended(job, schema::JobState::failed));
    schema::HookDeliveredT told;
    told.hook = "desk";
    told.position = failed;
    told.outcome = schema::HookOutcome::delivered;
    note(told);
    return failed;
  }
  void step(TimeUs by) {
    writer_.now += by;
    schema::ClockSteppedT fact;
    fact.step_us = by;
    note(fact);
  }
  std::map<Position, TimeUs> recalled(Position position, std::shared_ptr<const ViewReader> rows) {
    const auto told = delivered_before(log_, rows, {{"desk", position, kTenMinutesMs}}, log_.tip().position);
    EXPECT_TRUE(told);
    std::map<Position, TimeUs> times;
    for (const Delivered& each : told ? *told : std::vector<Delivered>())
      times[each.event.position] = each.event.time;
    return times;
  }
  std::shared_ptr<const ViewReader> rows() {
    EXPECT_TRUE(catch_up(log_, all_projections(), store_));
    return store_.snapshot();
  }

  MemoryEventLog log_;
  LogWriter writer_{log_};
  MemoryViewStore store_;
};

TEST_F(HookRecallTest, DeliveriesBeforeAClockStepAreRemembered) {
  for (int i = 0; i < 100; ++i) writer_.write(kMinuteUs, queued("k" + std::to_string(i), "p"));
  writer_.now += kDayUs;
  const Position failed = told_failure("k1");
  const TimeUs told_at = writer_.now - kSecondUs;
  step(-kDayUs);
  EXPECT_EQ(recalled(failed, rows()), (std::map<Position, TimeUs>{{failed, told_at - kDayUs}}));
}

TEST_F(HookRecallTest, WithoutRowsTheLogIsRead) {
  class Unreadable : public OverlayReader {
   public:
    Unreadable() : OverlayReader(nullptr, &none_, {}) {}
    Status status() const override { return fail(ErrorKind::trouble, "views_rebuilding", "not there yet"); }

   private:
    RowOverlay none_;
  };
  for (int i = 0; i < 100; ++i) writer_.write(kMinuteUs, queued("k" + std::to_string(i), "p"));
  told_failure("k1");
  writer_.now += kHourUs;
  const Position failed = told_failure("k2");
  EXPECT_EQ(recalled(failed, std::make_shared<Unreadable>()), recalled(failed, rows()));
  EXPECT_EQ(recalled(failed, rows()).size(), 1U) << "the other one is older than the cooldown";
}

}  // namespace
}  // namespace luzia::test
