// Random events about the queue and the daemon that concern no job: drains, daily budgets, orderly stops.
#pragma once

#include <functional>
#include <string>

#include "engine/event/event.h"
#include "engine/queue/day_budgets.h"
#include "projections/queue.h"

namespace luzia::test {

inline NewEvent random_queue_fact(const std::function<std::uint64_t(std::uint64_t)>& below, TimeUs now) {
  schema::QueueFactUnion queue;
  std::string stream = "system";
  const std::string project = below(2) == 0 ? "" : "alpha";
  switch (below(5)) {
    case 0: {
      schema::DrainStartedT started;
      started.note = "update";
      queue.Set(std::move(started));
      break;
    }
    case 1:
      queue.Set(schema::DrainEndedT{});
      break;
    case 2: {
      schema::ProjectBudgetNotedT noted;
      noted.project = project;
      noted.kind = below(2) == 0 ? "tokens" : "cost";
      noted.day = day_of(now);
      noted.used = static_cast<double>(below(100));
      noted.budget = 100;
      noted.reached = below(2) == 0;
      noted.until_us = end_of_day(noted.day);
      queue.Set(std::move(noted));
      break;
    }
    case 3: {
      schema::ProjectBudgetLiftedT lifted;
      lifted.project = project;
      lifted.until_us = below(2) == 0 ? 0 : end_of_day(day_of(now));
      queue.Set(std::move(lifted));
      break;
    }
    default: {
      schema::DaemonStoppedT stopped;
      stopped.reason = below(2) == 0 ? kAskedToStop : "restarts";
      return new_event(stream, std::move(stopped));
    }
  }
  if (!project.empty()) stream = "project/" + project;
  return new_event(stream, std::move(queue));
}

}  // namespace luzia::test
