// One run of a command: its options, its console, and the source, opened at its first use. One thread.
#pragma once

#include <memory>
#include <optional>

#include "tools/luzia-query/console.h"
#include "tools/luzia-query/options.h"
#include "tools/luzia-query/source.h"

namespace luzia {

class Session {
 public:
  /// All three outlive it. `now`: the wall clock at the start.
  Session(const Options& options, const SourceOptions& place, Console& console, TimeUs now)
      : options_(options), place_(place), console_(console), now_(now) {}

  const Options& options() const { return options_; }
  const std::string& store() const { return place_.store; }
  /// Where the environment says that the daemon listens; empty: it does not say.
  const std::string& socket() const { return place_.socket; }
  Console& console() const { return console_; }

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
  /// Rows that sources have given and that had a text that could not be read.
  std::uint64_t unreadable_rows() const { return unreadable_rows_; }
  /// What an export tells of: where the rows of still_source stand, and the time of that position, up to
  /// which its durations count. So the same position gives the same bytes, whatever the clock says.
  Result<Moment> exported_moment();

 private:
  Result<TimeUs> time_of(Source& source, Position position);
  Result<std::unique_ptr<Source>> open(const SourceOptions& place);

  const Options& options_;
  const SourceOptions& place_;
  Console& console_;
  TimeUs now_;
  std::unique_ptr<Source> source_, still_;
  std::optional<TimeUs> last_event_;
  std::uint64_t unreadable_rows_ = 0;
};

}  // namespace luzia
