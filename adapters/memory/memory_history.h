// Implements the engine's History by reading the whole log on each call, for tests, simulation and small
// logs. One thread.
#pragma once

#include "engine/core/engine.h"
#include "engine/log/event_log.h"

namespace luzia {

class MemoryHistory : public History {
 public:
  explicit MemoryHistory(const EventLog& log) : log_(log) {}  // `log` must outlive this

  Result<std::optional<Command>> find_command(std::uint32_t uid, const std::string& command_id) override;
  Result<std::optional<JobState>> load_job(const std::string& job) override;
  Result<std::optional<Flow>> load_flow(const std::string& flow) override;
  Result<Lesson> load_lesson(const std::string& stream) override;
  Result<std::uint64_t> stream_version(const std::string& stream) override;

  /// Replays every job in the log, including ended ones.
  std::map<std::string, JobState> all_jobs() const;

 private:
  void each_event(const std::function<void(const schema::Event&)>& visit) const;
  const EventLog& log_;
};

}  // namespace luzia
