// Implements the engine's History with the view store and the log. Loop thread.
#pragma once

#include "engine/core/engine.h"
#include "engine/view/view_store.h"

namespace luzia {

/// Once rows could not be read, every function returns an error (`views_damaged`).
class StoreHistory : public History {
 public:
  /// Both must outlive it. The store's core views must have caught up once.
  StoreHistory(const ViewStore& views, const EventLog& log) : views_(views), log_(log) {}

  Result<std::optional<Command>> find_command(std::uint32_t uid, const std::string& command_id) override;
  Result<std::optional<JobState>> load_job(const std::string& job) override;
  Result<std::optional<Flow>> load_flow(const std::string& flow) override;
  Result<Lesson> load_lesson(const std::string& stream) override;
  Result<std::uint64_t> stream_version(const std::string& stream) override;

 private:
  const ViewStore& views_;
  const EventLog& log_;
};

/// The state of a job after the events of its stream up to `until`; nullopt: there are none.
Result<std::optional<JobState>> fold_job(const ViewReader& rows, const EventLog& log, std::string_view job,
                                         Position until = ~Position{0});

}  // namespace luzia
