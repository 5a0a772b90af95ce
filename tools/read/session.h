// One run of a read command: its options, its console, and its source, which is opened at the first use. One
// thread.
#pragma once

#include <memory>
#include <optional>

#include "tools/cli/invocation.h"
#include "tools/read/options.h"
#include "tools/read/source.h"

namespace luzia {

class MachinesSource;

class Session {
 public:
  /// `invocation` must outlive it.
  Session(Invocation& invocation, Options options, SourceOptions place)
      : invocation_(invocation), options_(std::move(options)), place_(std::move(place)) {}

  Invocation& invocation() const { return invocation_; }
  const Options& options() const { return options_; }
  const std::string& store() const { return place_.store; }
  Console& console() const { return invocation_.console(); }
  /// The program's name, for messages.
  std::string name() const { return std::string(invocation_.program().name); }
  /// Whether --offline was given: read the store even if a daemon runs.
  bool reads_offline() const { return place_.offline; }

  Result<Source*> source();
  /// The source if --machines or --fleet was given and it is open; else null.
  MachinesSource* machines() const { return machines_; }
  /// A source whose answers all show the same moment, for readers of many pages: the store itself, even if a
  /// daemon runs. If the store cannot be read: the daemon, whose rows change meanwhile.
  Result<Source*> still_source();
  ProgressSink progress() const;
  /// Leaves the sources open until the process exits. No command may run after this.
  void leave_open();

  /// A query of the view with the filter, moment and cursor of the options.
  wire::QueryT query(wire::View view) const;
  /// As query(), but including ended rows and flows that lists no longer show: for exports and SQL.
  wire::QueryT history_query(wire::View view) const;
  /// The moment of the answer: now, or that of --at.
  Result<TimeUs> as_of();
  /// The time up to which running durations count: as_of(), but without a daemon the time of the last event,
  /// because nobody has observed the jobs since. Call it after querying rows: that may open the store
  /// differently.
  Result<TimeUs> seen_until();
  /// The time of the last event; set if seen_until() returned it.
  const std::optional<TimeUs>& last_event() const { return last_event_; }
  /// Whether nobody updates the rows: the store itself was read and no daemon listens.
  bool is_unwatched() const;
  /// The moment of an export: the position of still_source()'s rows, and the time of that position, up to
  /// which running durations count. So the same position gives the same bytes at any time.
  Result<Moment> exported_moment();

 private:
  Result<TimeUs> time_of(Source& source, Position position);
  Result<std::unique_ptr<Source>> open(const SourceOptions& place);

  Result<std::unique_ptr<Source>> find(const SourceOptions& place);
  Result<std::unique_ptr<Source>> find_machines(const SourceOptions& place);
  Result<std::unique_ptr<Source>> find_fleet();

  Invocation& invocation_;
  Options options_;
  SourceOptions place_;
  std::unique_ptr<Source> source_, still_;
  MachinesSource* machines_ = nullptr;  // within source_
  std::optional<TimeUs> last_event_;
};

/// Runs a read command: opens the session, checks project names, calls `run` and flushes the console.
Result<int> run_reading(Invocation& invocation, const std::function<Result<int>(Session&)>& run);
template <Result<int> (*run)(Session&)>
Result<int> reading(Invocation& invocation) {
  return run_reading(invocation, run);
}

}  // namespace luzia
