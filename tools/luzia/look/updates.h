// Selects the events that are shown to a person who watches, by [status_updates] of the configuration. It
// affects what is shown, never what is recorded. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/event/event.h"

namespace luzia {

class Invocation;

struct UpdateSettings {
  /// quiet: ends, questions, approvals, warnings, errors, alerts. normal: everything that explains a job's
  /// state, and progress. verbose: all events except those that record how far output was read.
  enum class Verbosity { quiet, normal, verbose };
  Verbosity verbosity = Verbosity::normal;
  bool task_started = true;    // starts of attempts and tasks
  bool progress = true;        // ignored if quiet
  int threshold_percent = 25;  // show progress in steps of this size; 0: every report
};

/// The settings of the configuration; the defaults with --json or if it cannot be read.
UpdateSettings update_settings(Invocation& invocation);

class UpdateFilter {
 public:
  explicit UpdateFilter(const UpdateSettings& settings) : settings_(settings) {}
  /// Whether to show the event. Progress is shown if it is in another step than the last shown one of its
  /// job.
  bool takes(const schema::Event& event);

 private:
  bool takes_progress(const schema::Event& event, std::optional<double> percent);

  UpdateSettings settings_;
  std::map<std::string, int, std::less<>> steps_;  // last shown step, by stream
};

}  // namespace luzia
