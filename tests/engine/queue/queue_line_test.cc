// Compares the queue with a sorted set while jobs enter and leave in any order.
#include "engine/queue/queue_line.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace luzia {
namespace {

using Order = std::map<std::pair<Position, std::string>, const QueuePlace*>;

std::unique_ptr<QueuePlace> place_at(Position queued, const std::string& job) {
  auto place = std::make_unique<QueuePlace>();
  place->queued = queued;
  place->since = static_cast<TimeUs>(queued) * 10;
  place->estimate_ms = queued + 1;
  place->job = job;
  return place;
}

void expect_same(const QueueLine& line, const Order& order) {
  EXPECT_EQ(line.empty(), order.empty());
  auto expected = order.begin();
  for (const QueueLine::Entry& entry : line) {
    ASSERT_NE(expected, order.end());
    ASSERT_EQ(entry.place, expected->second);
    EXPECT_EQ(entry.queued, expected->first.first);
    EXPECT_EQ(entry.since, static_cast<TimeUs>(entry.queued) * 10);
    EXPECT_EQ(entry.estimate_ms, entry.queued + 1);
    ++expected;
  }
  EXPECT_EQ(expected, order.end());
}

TEST(QueueLine, KeepsTheOrderUnderAnyChanges) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    std::map<std::pair<Position, std::string>, std::unique_ptr<QueuePlace>> places;
    QueueLine line;
    Order order;
    const Position far = seed % 2 == 0 ? 100'000 : 300;  // a small range makes many equal positions
    for (int step = 0; step < 4'000; ++step) {
      const bool grows = step < 2'500 ? random() % 4 != 0 : random() % 4 == 0;
      if (grows || order.empty()) {
        const Position at = random() % 3 == 0 ? random() % far : static_cast<Position>(step);
        const auto key = std::pair(at, "j" + std::to_string(random() % 50));
        auto& place = places[key];
        if (place) continue;
        place = place_at(key.first, key.second);
        line.insert(*place);
        order.emplace(key, place.get());
      } else {
        auto gone = order.begin();
        if (random() % 2 == 0) std::advance(gone, random() % order.size());
        line.erase(*gone->second);
        places.erase(gone->first);
        order.erase(gone);
      }
    }
    expect_same(line, order);
    for (const Position at : {Position{0}, Position{7}, far / 2, far, far * 100}) {
      std::size_t ahead = 0;
      for (const auto& each : order) ahead += each.first.first < at ? 1 : 0;
      EXPECT_EQ(line.count_front([&](const QueueLine::Entry& entry) { return entry.queued < at; }), ahead);
    }
  }
}

TEST(QueueLine, ErasingAMissingEntryDoesNothing) {
  QueueLine line;
  const auto one = place_at(1, "a"), two = place_at(2, "b"), other = place_at(1, "a");
  line.erase(*one);
  EXPECT_TRUE(line.empty());
  line.insert(*one);
  line.erase(*two);
  line.erase(*other);
  expect_same(line, {{{1, "a"}, one.get()}});
  line.erase(*one);
  EXPECT_TRUE(line.empty());
  EXPECT_EQ(line.begin(), line.end());
}

}  // namespace
}  // namespace luzia
