// Which ended jobs are due by [keep], and what of each. Never a job that has not ended, that another needs
// (its flow is active: the engine refuses it), that has the tag `keep`, that Luzia did not run, or whose
// worktree is still there. Any thread; reads rows and directories.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "adapters/job_dir/outputs.h"
#include "engine/job/job.h"
#include "engine/log/event_log.h"
#include "engine/view/view_store.h"

namespace luzia {

/// From the weakest to the strongest: of those that apply to a job, the strongest counts.
enum class KeepRule : std::uint8_t { outputs, job_dirs, size, jobs, texts };
inline constexpr std::size_t kKeepRules = 5;
inline constexpr std::string_view kKeepTag = "keep";

/// "outputs = 30d", "size = 50G"; empty: the rule is off.
std::string rule_words(const KeepConfig& keep, KeepRule rule);

/// Jobs that ended up to then are due by a rule of age; 0: none.
TimeUs due_until(const KeepConfig& keep, KeepRule rule, TimeUs now);

struct Expiring {
  std::string job, dir;
  KeepRule rule = KeepRule::outputs;
  std::uint64_t bytes = 0;  // that it frees, as far as a brief scan can tell
  std::uint32_t uid = 0;
  std::vector<OutputFile> outputs;  // outputs only
  bool recorded = false;            // the event is in the log, only the files are left
  std::vector<TextPlace> texts;     // texts only
  std::uint64_t version = 0;        // of the job's stream when `texts` were looked up
};

/// Jobs that ended up to these times were looked at for a rule, and nothing of them is left.
using KeptUntil = std::array<TimeUs, kKeepRules>;

struct KeepLook {
  std::vector<Expiring> due;
  std::string next;   // continue with jobs after this id; empty: all were looked at
  bool left = false;  // something could not be taken now: look at it again
};

/// Looks for jobs that are due by age, with ids after `from`, until there are `most`, or until all were
/// looked at.
Result<KeepLook> look_for_expired(const ViewReader& rows, const EventLog& log, const KeepConfig& keep,
                                  TimeUs now, const KeptUntil& kept_until, const std::string& from,
                                  std::size_t most, const std::stop_token& stop);

/// The oldest jobs, at most `most`, without whose directories those of the others are below the size. Those
/// that were `tried` stay, so others go instead.
Result<KeepLook> look_over_size(const ViewReader& rows, const EventLog& log, const KeepConfig& keep,
                                std::size_t most, const std::set<std::string>& tried,
                                const std::stop_token& stop);

/// What each rule would take now, as JSON: [{"rule":"outputs = 30d","jobs":3,"bytes":4096}, ...]
Result<std::string> preview_of_keep(const ViewReader& rows, const EventLog& log, const KeepConfig& keep,
                                    TimeUs now, const std::stop_token& stop);

/// Lets go of the files, after the log says so. Can be repeated.
Status take_files(const Expiring& expiring, const std::string& rule, const std::stop_token& stop);

/// The command that records it.
JobCommand command_of(const Expiring& expiring, const std::string& rule);

}  // namespace luzia
