// Port: what the engine needs to know of the past beyond its own memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/flow/flow.h"
#include "engine/job/job.h"
#include "engine/learning/learning.h"

namespace luzia {

/// Reads of the past. Loop thread. If a read fails, the engine refuses the command and changes nothing:
/// treating an unreadable command id as new could execute a command twice.
class History {
 public:
  virtual ~History() = default;
  struct Command {
    Hash digest;
    Position position;
    std::vector<std::string> ids;
  };
  virtual Result<std::optional<Command>> find_command(std::uint32_t uid, const std::string& command_id) = 0;
  /// A job that has left memory, folded from its stream. nullopt: there never was one.
  virtual Result<std::optional<JobState>> load_job(const std::string& job) = 0;
  /// A flow that is not in memory, in its present state. nullopt: there never was one.
  virtual Result<std::optional<Flow>> load_flow(const std::string& flow) = 0;
  /// A solution or fact that is not in memory, in its present state. Version 0: there never was one.
  virtual Result<Lesson> load_lesson(const std::string& stream) = 0;
  /// Version of the last event of any other stream ("system", "project/NAME").
  virtual Result<std::uint64_t> stream_version(const std::string& stream) = 0;
};

}  // namespace luzia
