#include "engine/log/read_ahead.h"

#include <pthread.h>

#include <functional>
#include <system_error>
#include <thread>

#include "adapters/memory/memory_event_log.h"
#include "tests/engine/log/log_events.h"
#include "tests/matchers.h"

namespace luzia::test {
namespace {

using GroupPointer = std::shared_ptr<const Group>;
/// A null result leaves the group out.
using Change = std::function<Result<GroupPointer>(const GroupPointer&)>;

/// A log that shows another log's groups with changes.
class ChangedLog : public MemoryEventLog {
 public:
  ChangedLog(const EventLog& under, Change change) : under_(under), change_(std::move(change)) {}
  Tip tip() const override { return under_.tip(); }
  std::unique_ptr<GroupCursor> read_from(Position first) const override {
    return std::make_unique<Cursor>(under_.read_from(first), change_);
  }

 private:
  class Cursor : public GroupCursor {
   public:
    Cursor(std::unique_ptr<GroupCursor> under, const Change& change)
        : under_(std::move(under)), change_(change) {}
    Result<GroupPointer> next() override {
      for (;;) {
        auto group = under_->next();
        if (!group || !*group) return group;
        auto changed = change_(*group);
        if (!changed || *changed) return changed;
      }
    }

   private:
    std::unique_ptr<GroupCursor> under_;
    const Change& change_;
  };

  const EventLog& under_;
  Change change_;
};

bool holds(const Group& group, Position position) {
  return group.first_position() <= position && position <= group.last_position();
}

/// While it exists, no thread can be started, because no stack can be allocated. A limit on the number of
/// threads would not apply to root.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    EXPECT_EQ(pthread_getattr_default_np(&before_), 0);
    pthread_attr_t huge;
    EXPECT_EQ(pthread_getattr_default_np(&huge), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&huge, kMoreThanThereAreAddresses), 0);
    EXPECT_EQ(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
  }
  ~NoMoreThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&before_), 0);
    pthread_attr_destroy(&before_);
  }
  NoMoreThreads(const NoMoreThreads&) = delete;
  NoMoreThreads& operator=(const NoMoreThreads&) = delete;

 private:
  static constexpr std::size_t kMoreThanThereAreAddresses = std::size_t{1} << 60;
  pthread_attr_t before_{};
};

class ReadAhead : public testing::Test {
 protected:
  static constexpr Position kLeast = 2 * kWorthReadingAhead;

  ReadAhead() {
    for (std::uint32_t count = 1; log_.tip().position < kLeast; count = count % 200 + 7) {
      EXPECT_TRUE(log_.append(group_of(log_.tip().position + 1, count)));
    }
  }
  /// The positions up to the error, and the error.
  static std::pair<Position, Error> read_to_error(const EventLog& log) {
    const auto cursor = read_ahead(log, 1, ~Position{0});
    Position last = 0;
    for (;;) {
      auto group = cursor->next();
      if (!group) return {last, group.error()};
      if (!*group) return {last, {}};
      EXPECT_EQ((*group)->first_position(), last + 1);
      last = (*group)->last_position();
    }
  }
  MemoryEventLog log_;
};

TEST_F(ReadAhead, GivesEveryGroupOnceAndInOrder) {
  const auto cursor = read_ahead(log_, 1, ~Position{0});
  EXPECT_EQ(read_positions(*cursor), positions_from_to(1, log_.tip().position));
  EXPECT_EQ(cursor->next().value(), nullptr);
}

TEST_F(ReadAhead, BeginsWithTheGroupThatHoldsTheFirstPosition) {
  for (const Position first : {Position{777}, Position{5'000}, Position{9'999}}) {
    EXPECT_EQ(read_positions(*read_ahead(log_, first, ~Position{0})).value(),
              read_positions(*log_.read_from(first)).value());
  }
}

TEST_F(ReadAhead, CoversTheGroupOfTheLastPosition) {
  const Position until = kWorthReadingAhead + 1'234;
  const auto read = read_positions(*read_ahead(log_, 1, until));
  ASSERT_TRUE(read);
  EXPECT_GE(read->size(), until);
  EXPECT_EQ(*read, positions_from_to(1, read->size()));
}

TEST_F(ReadAhead, WithoutThreadsTheCallerReads) {
  std::unique_ptr<GroupCursor> cursor;
  {
    const NoMoreThreads here;
    ASSERT_THROW(std::jthread([] {}), std::system_error);
    cursor = read_ahead(log_, 1, ~Position{0});
  }
  EXPECT_EQ(read_positions(*cursor), positions_from_to(1, log_.tip().position));
  EXPECT_EQ(cursor->next().value(), nullptr);
}

TEST_F(ReadAhead, MayBeAbandonedEarly) {
  const auto cursor = read_ahead(log_, 1, ~Position{0});
  EXPECT_EQ(cursor->next().value()->first_position(), 1U);
}

TEST_F(ReadAhead, ErrorFollowsEarlierGroupsAndIsFinal) {
  const Position broken = kWorthReadingAhead - 1'234;
  const ChangedLog log(log_, [&](const GroupPointer& group) -> Result<GroupPointer> {
    if (holds(*group, broken)) return fail(ErrorKind::trouble, "log_unreadable", "as the test wants it");
    return group;
  });
  const auto [last, error] = read_to_error(log);
  EXPECT_EQ(error.code, "log_unreadable");
  EXPECT_EQ(last + 1, log_.read_from(broken)->next().value()->first_position());

  const auto cursor = read_ahead(log, broken, ~Position{0});
  EXPECT_FALSE(cursor->next());
  EXPECT_FALSE(cursor->next());
}

TEST_F(ReadAhead, MissingGroupIsNamed) {
  for (Position missing = 1'000; missing < kLeast; missing += 3'001) {
    const ChangedLog log(log_, [&](const GroupPointer& group) -> Result<GroupPointer> {
      return holds(*group, missing) ? nullptr : group;
    });
    const auto [last, error] = read_to_error(log);
    EXPECT_EQ(error.code, "log_corrupt") << missing;
    EXPECT_THAT(error.message, HasSubstr("no group for position " + std::to_string(last + 1)));
    EXPECT_EQ(last + 1, log_.read_from(missing)->next().value()->first_position());
  }
}

}  // namespace
}  // namespace luzia::test
