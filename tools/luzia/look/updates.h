// Which events are told to a person who watches: [status_updates] of the configuration. It decides about what
// is shown, never about what is recorded. One thread.
#pragma once

#include <map>
#include <string>

#include "engine/event/event.h"

namespace luzia {

class Invocation;

struct UpdateSettings {
  /// quiet: ends, what people are asked, warnings, errors, alerts. normal: all that explains a job's state,
  /// and progress. verbose: every event but how far output has been read.
  enum class Verbosity { quiet, normal, verbose };
  Verbosity verbosity = Verbosity::normal;
  bool task_started = true;    // starts of attempts and tasks
  bool progress = true;        // not when quiet
  int threshold_percent = 25;  // progress is told in steps of that; 0: each
};

/// Of the configuration; for --json, and where it cannot be read, as they are without one.
UpdateSettings update_settings(Invocation& invocation);

class UpdateFilter {
 public:
  explicit UpdateFilter(const UpdateSettings& settings) : settings_(settings) {}
  /// Whether it is told. Progress is when it comes into another step than its job was told to be in.
  bool takes(const schema::Event& event);

 private:
  bool takes_progress(const schema::Event& event, const schema::ProgressReported& progress);

  UpdateSettings settings_;
  std::map<std::string, int, std::less<>> steps_;  // by stream
};

}  // namespace luzia
