// One run of a command: its options, its console, and the source, opened at its first use. One thread.
#pragma once

#include <memory>
#include <optional>

#include "tools/cli/invocation.h"
#include "tools/read/options.h"
#include "tools/read/source.h"

namespace luzia {

class Session {
 public:
  /// The invocation outlives it.
  Session(Invocation& invocation, Options options, SourceOptions place)
      : invocation_(invocation), options_(std::move(options)), place_(std::move(place)) {}

  Invocation& invocation() const { return invocation_; }
  const Options& options() const { return options_; }
  const std::string& store() const { return place_.store; }
  Console& console() const { return invocation_.console(); }
  /// Of the program, for people.
  std::string name() const { return std::string(invocation_.program().name); }
  /// Whether the store is read even if a daemon runs.
  bool reads_offline() const { return place_.offline; }

  Result<Source*> source();
  /// A source whose answers are all of one moment, for those that read page after page: the store itself,
  /// also beside a daemon. Where it cannot be read the daemon, whose rows go on meanwhile.
  Result<Source*> still_source();
  ProgressSink progress() const;
  /// Leaves the sources to the end of the process. No command may follow.
  void leave_open();

  /// What the options ask of a view: filter, moment, cursor.
  wire::QueryT query(wire::View view) const;
  /// The same of all that ever was, which no list of the present leaves out: for exports and SQL.
  wire::QueryT history_query(wire::View view) const;
  /// The moment that an answer is of: now, or that of --at.
  Result<TimeUs> as_of();
  /// The time that durations of what goes on count up to: as_of(), but without a daemon the time of the last
  /// event. What has become of a job since then nobody has seen. Best asked after the rows, which open the
  /// store in their own way.
  Result<TimeUs> seen_until();
  /// The time of the last event, once seen_until() has counted up to it.
  const std::optional<TimeUs>& last_event() const { return last_event_; }
  /// Whether nobody tells the store what becomes of its jobs: it was read itself, and no daemon listens.
  bool is_unwatched() const;
  /// What an export tells of: where the rows of still_source stand, and the time of that position, up to
  /// which its durations count. So the same position gives the same bytes, whatever the clock says.
  Result<Moment> exported_moment();

 private:
  Result<TimeUs> time_of(Source& source, Position position);
  Result<std::unique_ptr<Source>> open(const SourceOptions& place);

  Result<std::unique_ptr<Source>> find(const SourceOptions& place);

  Invocation& invocation_;
  Options options_;
  SourceOptions place_;
  std::unique_ptr<Source> source_, still_;
  std::optional<TimeUs> last_event_;
};

/// Runs a command that reads, as its table has it.
Result<int> run_reading(Invocation& invocation, const std::function<Result<int>(Session&)>& run);
template <Result<int> (*run)(Session&)>
Result<int> reading(Invocation& invocation) {
  return run_reading(invocation, run);
}

}  // namespace luzia
