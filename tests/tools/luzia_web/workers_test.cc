#include "tools/luzia-web/workers.h"

#include <gtest/gtest.h>

#include <future>

namespace luzia::web {
namespace {

constexpr std::chrono::minutes kPatience{2};

/// Tasks that wait until the gate opens.
struct Gate {
  std::promise<void> opens;
  std::shared_future<void> open = opens.get_future().share();
  std::function<void()> task() {
    return [open = open] { open.wait(); };
  }
};

TEST(Workers, OneAskerLeavesThreadsToOthers) {
  Workers workers(4, 64);
  Gate gate;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(workers.add("slow", gate.task()));
  std::promise<void> done;
  ASSERT_TRUE(workers.add("quick", [&done] { done.set_value(); }));
  EXPECT_EQ(done.get_future().wait_for(kPatience), std::future_status::ready);
  gate.opens.set_value();
}

TEST(Workers, TheServerItselfIsNoAsker) {
  Workers workers(2, 64);
  Gate gate;
  std::promise<void> both;
  ASSERT_TRUE(workers.add("", gate.task()));
  ASSERT_TRUE(workers.add("", [&both] { both.set_value(); }));
  EXPECT_EQ(both.get_future().wait_for(kPatience), std::future_status::ready);
  gate.opens.set_value();
}

TEST(Workers, WhatWaitedForItsAskerIsDone) {
  constexpr int kTasks = 10;
  Workers workers(4, 64);
  Gate gate;
  std::atomic<int> done = 0;
  std::promise<void> all;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_TRUE(workers.add("slow", [&, open = gate.open] {
      open.wait();
      if (++done == kTasks) all.set_value();
    }));
  }
  gate.opens.set_value();
  EXPECT_EQ(all.get_future().wait_for(kPatience), std::future_status::ready);
}

TEST(Workers, OneAskerDoesNotFillTheQueue) {
  Workers workers(2, 8);
  Gate gate;
  int taken = 0;
  while (taken < 100 && workers.add("slow", gate.task())) ++taken;
  EXPECT_LE(taken, 3);  // one runs, two wait
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(workers.add("other" + std::to_string(i), gate.task())) << i;
  gate.opens.set_value();
}

}  // namespace
}  // namespace luzia::web
