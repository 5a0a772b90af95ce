// Commands: requests to change something, who makes them, and the engine's answer. Plain values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "engine/device/device.h"
#include "engine/flow/flow.h"
#include "engine/job/job.h"
#include "engine/learning/learning.h"
#include "engine/schedule/schedule.h"

namespace luzia {

/// Who asks, when, and under which id. `now` is wall time, read once when the command arrives.
struct CommandMeta {
  std::string command_id;  // empty: cannot be repeated, no record is kept
  Hash digest{};           // of the command's content; the same id with another digest is refused
  schema::ActorKind actor = schema::ActorKind::daemon;
  std::uint32_t uid = 0;
  std::string actor_name;
  std::string actor_device = {};  // name of the paired device that they use; empty: none
  Position cause = 0;
  TimeUs now = 0;
};

/// For commands from the daemon itself.
inline CommandMeta by_daemon(TimeUs now, Position cause = 0) {
  CommandMeta meta;
  meta.now = now;
  meta.cause = cause;
  return meta;
}

/// Answer to a command: the ids it concerned, and the last position decided with it.
struct Outcome {
  std::vector<std::string> ids;
  Position position = 0;
  bool repeated = false;
  bool known = false;  // of a solution or fact: it was known already, nothing new was recorded
};
using Reply = std::function<void(Result<Outcome>)>;

struct ToJob {
  std::string job;
  JobCommand command;
};
struct ToQueue {
  std::string project;  // empty: the whole queue
  bool pause;
  std::string note;
  std::string agent = {};  // set: only ends this agent's usage limit early
  bool budget = false;     // true: only lifts the project's budget for this day
};
/// Starts or ends a drain. While it lasts nothing starts, and running jobs go on to their end.
struct ToDrain {
  bool drain;
  std::string note;
};
struct ToFlow {
  std::string flow;
  FlowCommand command;
};
/// Changes to what is learned, by stream: all or nothing.
struct ToLearning {
  std::vector<std::pair<std::string, LearningCommand>> commands;
};
/// The tools that a project offers to agents, as its settings name them.
struct ToCatalogue {
  std::string project;
  std::vector<schema::ToolCataloguedT> tools;
};
struct ToDevices {
  DeviceCommand command;
};
/// A command to a schedule, and the job that it dispatches if the decision says so.
struct ToSchedule {
  std::string schedule;
  ScheduleCommand command;
  std::optional<ToJob> job = {};
};
/// A fact about the daemon or its machine, for the stream "system".
struct SystemNote {
  std::variant<schema::SystemFactUnion, schema::AlertFactUnion> fact;
};
/// A batch of job commands is all or nothing.
using Command = std::variant<std::vector<ToJob>, ToQueue, SystemNote, ToFlow, ToLearning, ToCatalogue,
                             ToDrain, ToDevices, ToSchedule>;

inline std::vector<ToJob> to_one_job(std::string job, JobCommand command) {
  std::vector<ToJob> commands;
  commands.push_back({std::move(job), std::move(command)});
  return commands;
}

}  // namespace luzia
