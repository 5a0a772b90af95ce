// Selects the events that are shown to a person who watches, and written to [logging] log_file, by
// [status_updates] of the configuration. It affects what is shown, never what is recorded. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/event/event.h"

namespace luzia {

struct UpdateSettings {
  /// quiet: ends, questions, approvals, warnings, errors, alerts. normal: everything that explains a job's
  /// state, and progress. verbose: all events except those that record how far output was read.
  enum class Verbosity { quiet, normal, verbose };
  Verbosity verbosity = Verbosity::normal;
  bool task_started = true;    // starts of attempts and tasks
  bool progress = true;        // ignored if quiet
  int threshold_percent = 25;  // show progress in steps of this size; 0: every report
};

/// From the configuration's [status_updates] (adapters/config).
template <class StatusUpdates>
UpdateSettings update_settings_of(const StatusUpdates& said) {
  using Verbosity = UpdateSettings::Verbosity;
  UpdateSettings settings;
  settings.verbosity = said.verbosity == "quiet"     ? Verbosity::quiet
                       : said.verbosity == "verbose" ? Verbosity::verbose
                                                     : Verbosity::normal;
  settings.task_started = said.show_task_started;
  settings.progress = said.show_progress_updates;
  settings.threshold_percent = said.progress_update_threshold_percent;
  return settings;
}

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
