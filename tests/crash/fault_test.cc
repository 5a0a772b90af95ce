// Lets every disk operation of a fixed script fail once. A failed write is never acknowledged; writing stops;
// reading continues. After a repair and a restart, with or without a power loss, commands repeated under
// their ids take effect once. LUZIA_EVERY_PLACE=1 tries all operations instead of a sample.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "engine/log/verify_chain.h"
#include "tests/crash/faulty_life.h"
#include "tests/crash/known_history.h"
#include "tests/engine/log/log_events.h"
#include "tests/engine/log/temp_store.h"

namespace luzia::test {
namespace {

constexpr int kAll = FaultyLife::kCommands;

/// The script: commands with upkeep between them. It ends early only if the engine has stopped.
void run_script(FaultyLife& life) {
  for (int i = 0; i < kAll; ++i) {
    life.send(i);
    if (i % 3 == 2) life.upkeep();
  }
}

/// How often each command queued a job, counted from the events.
std::map<std::string, int> effects_in(const EventLog& log) {
  std::map<std::string, int> effects;
  const auto cursor = log.read_from(1);
  for (auto group = cursor->next(); group && *group; group = cursor->next()) {
    for (const auto* event : (*group)->events()) {
      if (event->command_id() != nullptr && event->command_id()->size() > 0)
        ++effects[event->command_id()->str()];
    }
  }
  return effects;
}

class FaultAtEveryPlace : public testing::TestWithParam<DiskFault> {
 protected:
  std::string name() const {
    const DiskFault& fault = GetParam();
    return std::string(fault.no_space ? "ENOSPC" : "EIO") + " at " + name_of(fault.op) + " number " +
           std::to_string(place_);
  }

  /// One round with a fault at the `nth` operation of its kind; false if the script has fewer.
  bool run_round(std::uint64_t nth, bool power_goes_too) {
    place_ = nth;
    const TempStore place;
    FragileEnv fragile(place.path());
    std::filesystem::create_directories(place.path());
    DiskFault fault = GetParam();
    fault.nth = nth;
    fragile.disk().fail(fault);
    {
      auto life = FaultyLife::start(place.path(), fragile.env());
      if (life) {
        run_script(**life);
        check_answers(**life);
      } else {
        EXPECT_FALSE(life.error().message.empty()) << name();
        acknowledged_.clear();
      }
    }
    const bool met = fragile.disk().fault_was_met();
    fragile.disk().fix();
    if (power_goes_too) {
      Dice dice(nth);
      fragile.disk().come_back(dice);
    }
    check_retries(place.path(), fragile.env());
    return met;
  }

  /// Checks that the log has what was acknowledged, and that nothing was acknowledged after a failure.
  void check_answers(const FaultyLife& life) {
    acknowledged_.clear();
    const auto effects = effects_in(life.log());
    bool failed = false;
    for (int i = 0; i < kAll; ++i) {
      const Heard& heard = life.heard(i);
      if (heard.acknowledged) {
        EXPECT_FALSE(failed) << name() << ": an acknowledgement after a failed write";
        EXPECT_EQ(effects.count(FaultyLife::command_id(i)), 1U) << name() << ": a false acknowledgement";
        acknowledged_.insert(i);
      } else {
        EXPECT_EQ(heard.error, "commit_failed") << name();
        failed = true;
      }
    }
    EXPECT_EQ(life.stopped(), failed) << name();
    check_reads(life);
  }

  /// Checks that everything acknowledged can still be read: events, texts, rows.
  void check_reads(const FaultyLife& life) {
    EXPECT_TRUE(verify_chain(life.log())) << name();
    const auto cursor = life.log().read_from(1);
    for (auto group = cursor->next(); group && *group; group = cursor->next()) {
      for (const auto* event : (*group)->events()) {
        const auto* queued = event->payload_as_JobEvent()->fact_as_JobQueued();
        if (queued == nullptr) continue;
        const int i = std::stoi(queued->job()->str().substr(3));
        EXPECT_EQ(life.log().blob(event->position(), 0), FaultyLife::prompt_of(i)) << name();
      }
    }
    EXPECT_EQ(differences_from_replay(life.log(), life.views().snapshot()->cursor().position,
                                      *life.views().snapshot()),
              "")
        << name();
  }

  /// After the repair: sends every command twice again. Each takes effect once, even if it was acknowledged
  /// before.
  void check_retries(const std::string& store, rocksdb::Env* env) {
    auto life = FaultyLife::start(store, env);
    ASSERT_TRUE(life) << name() << ": " << life.error().message;
    const auto before = effects_in((*life)->log());
    for (const int i : acknowledged_)
      EXPECT_EQ(before.count(FaultyLife::command_id(i)), 1U) << name() << ": command " << i << " is lost";
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < kAll; ++i) {
        (*life)->send(i);
        EXPECT_TRUE((*life)->heard(i).acknowledged) << name();
        const bool known = round > 0 || before.contains(FaultyLife::command_id(i));
        EXPECT_EQ((*life)->heard(i).repeated, known) << name();
      }
      (*life)->upkeep();
    }
    std::map<std::string, int> once;
    for (int i = 0; i < kAll; ++i) once[FaultyLife::command_id(i)] = 1;
    EXPECT_EQ(effects_in((*life)->log()), once) << name();
    check_reads(**life);
  }

  std::uint64_t place_ = 0;
  std::set<int> acknowledged_;
};

TEST_P(FaultAtEveryPlace, CausesNoFalseAcknowledgement) {
  const std::uint64_t stride = std::getenv("LUZIA_EVERY_PLACE") != nullptr ? 1 : 7;
  std::uint64_t rounds = 0;
  for (std::uint64_t nth = 1; run_round(nth, rounds % 2 == 1) && !HasFailure(); nth += stride) ++rounds;
  EXPECT_GT(rounds, 0U) << "the script has no " << name_of(GetParam().op);
  RecordProperty("rounds", std::to_string(rounds));
}

TEST(LogAfterAFailedFsync, AcceptsNothingUntilReopened) {
  const TempStore place;
  std::filesystem::create_directories(place.path());
  FragileEnv fragile(place.path());
  {
    const auto log = std::move(open_rocks_event_log(place.path(), {.env = fragile.env()}).value());
    ASSERT_TRUE(append_groups(*log, 2, 1));
    fragile.disk().fail({.op = DiskOp::sync});
    EXPECT_FALSE(append_groups(*log, 1, 1));
    fragile.disk().fix();
    const std::uint64_t before = fragile.disk().operations();
    EXPECT_EQ(append_groups(*log, 1, 1).error().code, "log_broken");
    EXPECT_EQ(log->sync_watermark().error().code, "log_broken");
    EXPECT_EQ(log->erase_blob(1, 0).error().code, "log_broken");
    EXPECT_EQ(fragile.disk().operations(), before) << "nothing reached the disk";
    EXPECT_EQ(log->tip().position, 2U);
  }
  const auto log = std::move(open_rocks_event_log(place.path(), {.env = fragile.env()}).value());
  EXPECT_TRUE(append_groups(*log, 1, 1));
}

std::string words_of(const testing::TestParamInfo<DiskFault>& info) {
  std::string name = std::string(info.param.no_space ? "NoSpace" : "InputOutputError") + "On_" +
                     name_of(info.param.op) + (info.param.lasting ? "_AndLater" : "") +
                     (info.param.half_written ? "_HalfWritten" : "");
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Disk, FaultAtEveryPlace,
    testing::Values(DiskFault{.op = DiskOp::sync}, DiskFault{.op = DiskOp::sync, .lasting = true},
                    DiskFault{.op = DiskOp::append, .lasting = true, .no_space = true},
                    DiskFault{.op = DiskOp::append, .no_space = true, .half_written = true},
                    DiskFault{.op = DiskOp::append}, DiskFault{.op = DiskOp::write_in_place},
                    DiskFault{.op = DiskOp::write_in_place, .no_space = true},
                    DiskFault{.op = DiskOp::create, .no_space = true}, DiskFault{.op = DiskOp::rename},
                    DiskFault{.op = DiskOp::remove}, DiskFault{.op = DiskOp::sync_folder}),
    words_of);

}  // namespace
}  // namespace luzia::test
