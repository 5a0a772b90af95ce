// Commands: what the engine is asked to do, by whom, and what it answers. Plain values.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "engine/flow/flow.h"
#include "engine/job/job.h"
#include "engine/learning/learning.h"

namespace luzia {

/// Who asks, when, and under which id. `now` is wall time read once at intake.
struct CommandMeta {
  std::string command_id;  // empty: not repeatable, no record kept
  Hash digest{};           // of the command's content; the same id with another digest is refused
  schema::ActorKind actor = schema::ActorKind::daemon;
  std::uint32_t uid = 0;
  std::string actor_name;
  Position cause = 0;
  TimeUs now = 0;
};

/// Of what the daemon orders by itself.
inline CommandMeta by_daemon(TimeUs now, Position cause = 0) {
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  return meta;
}

/// Answer to a command: the ids it concerned and the last position decided with it.
struct Outcome {
  std::vector<std::string> ids;
  Position position = 0;
  bool repeated = false;
  bool known = false;  // of what was learned: nothing new had to be recorded
};
using Reply = std::function<void(Result<Outcome>)>;

struct JobOrder {
  std::string job;
  JobCommand command;
};
struct QueueOrder {
  std::string project;  // empty: everything
  bool pause;
  std::string note;
  std::string agent = {};  // resumes this agent, before its usage limit is over, and nothing else
  bool budget = false;     // lets the project go on over its budget of this day, and nothing else
};
/// No new starts, what runs goes on to its end; or the end of that.
struct DrainOrder {
  bool drain;
  std::string note;
};
struct FlowOrder {
  std::string flow;
  FlowCommand command;
};
/// What is learned or unlearned, by stream: all or nothing.
struct LearningOrder {
  std::vector<std::pair<std::string, LearningCommand>> commands;
};
/// Tools that a project offers to agents, as its settings name them.
struct CatalogueOrder {
  std::string project;
  std::vector<schema::ToolCataloguedT> tools;
};
/// A fact about the daemon or its machine, for stream "system".
struct SystemNote {
  std::variant<schema::SystemFactUnion, schema::AlertFactUnion> fact;
};
/// A batch of job orders is all or nothing.
using Command = std::variant<std::vector<JobOrder>, QueueOrder, SystemNote, FlowOrder, LearningOrder,
                             CatalogueOrder, DrainOrder>;

inline std::vector<JobOrder> one_order(std::string job, JobCommand command) {
  std::vector<JobOrder> orders;
  orders.push_back({std::move(job), std::move(command)});
  return orders;
}

}  // namespace luzia
