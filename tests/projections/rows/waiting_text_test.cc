#include "projections/rows/waiting_text.h"

#include "projections/rows/row_bytes.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using view::WaitsFor;

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

struct Told {
  std::string code, words;
};

Told told(const view::WaitingT& waiting) {
  const std::string bytes = row_bytes(waiting);
  const auto& row = *flatbuffers::GetRoot<view::Waiting>(bytes.data());
  return {blocked_by(row), waiting_text(row, kNow)};
}

view::WaitingT waits(WaitsFor what, std::vector<std::string> subjects = {}, std::uint32_t limit = 0) {
  view::WaitingT row;
  row.what = what;
  row.subjects = std::move(subjects);
  row.limit = limit;
  row.until_us = what == WaitsFor::turn ? 0 : kNow + 10 * kMinuteUs;
  return row;
}

TEST(WaitingText, EachReasonNamesAFix) {
  const std::pair<view::WaitingT, const char*> reasons[] = {
      {waits(WaitsFor::release), "luzia resume"},
      {waits(WaitsFor::dependencies, {"k1", "k2"}), "for k1, k2 to complete"},
      {waits(WaitsFor::time), ", in 10m00s"},
      {waits(WaitsFor::disk_room, {"the disk of /store was full"}), "now: no room: the disk of /store"},
      {waits(WaitsFor::open_queue, {"the load average is 9.0, over 8.0"}), "the load average is 9.0"},
      {waits(WaitsFor::resume), "luzia resume --all"},
      {waits(WaitsFor::project_resume, {"web"}), "luzia resume --project web"},
      {waits(WaitsFor::breaker, {"web"}),
       "in 10m00s: web is stopped after quick failures in a row; start jobs "
       "again now: luzia resume --project web"},
      {waits(WaitsFor::usage_limit, {"claude"}), "luzia resume --agent claude"},
      {waits(WaitsFor::login, {"claude"}), "that of agent claude is refused; log in"},
      {waits(WaitsFor::spacing, {"claude"}), "[agents.claude] start_spacing"},
      {waits(WaitsFor::project_budget, {"web"}), "luzia resume --project web --budget"},
      {waits(WaitsFor::project_budget), "luzia resume --all --budget"},
      {waits(WaitsFor::drain), "luzia daemon drain --off"}};
  for (const auto& [waiting, words] : reasons) {
    EXPECT_THAT(told(waiting).words, HasSubstr(words));
    EXPECT_EQ(told(waiting).code, view::EnumNameWaitsFor(waiting.what));
    EXPECT_THAT(told(waiting).words, Not(testing::ContainsRegex("[0-9]T[0-9]")))
        << "no formatted times for programs";
  }
}

TEST(WaitingText, SlotsWaitingForPeopleAreNamed) {
  EXPECT_EQ(told(waits(WaitsFor::turn, {}, 4)).words, "waits for its turn: 4 of 4 slots are taken");
  EXPECT_EQ(told(waits(WaitsFor::turn, {"k1", "k2"}, 4)).words,
            "waits for its turn: 4 of 4 slots are taken, 2 by jobs that wait for a person (luzia inbox)");
  EXPECT_EQ(told(waits(WaitsFor::project_limit, {"web", "k1"}, 1)).words,
            "waits for a slot: 1 of 1 slots of project web are taken, all by a job that waits for a person "
            "(luzia inbox; [queue] waiting_holds_slot = false lets others start meanwhile)");
  EXPECT_EQ(told(waits(WaitsFor::tag_limit, {"gpu"}, 1)).words,
            "waits for a slot: 1 of 1 slots for tag gpu are taken");
}

TEST(WaitingText, NextJobIsNotBlocked) {
  EXPECT_EQ(told(waits(WaitsFor::turn)).code, "");
  EXPECT_EQ(told(waits(WaitsFor::turn)).words, "waits for nothing: it starts next");
  view::WaitingT second = waits(WaitsFor::turn);
  second.ahead = 1;
  second.first_ahead = {"k1"};
  EXPECT_EQ(told(second).code, "turn");
  EXPECT_EQ(told(second).words, "waits for its turn; 1 comes first: k1");
  second.first_ahead.clear();
  EXPECT_EQ(told(second).words, "waits for its turn; 1 comes first") << "of a project that is not shown";
}

}  // namespace
}  // namespace luzia
