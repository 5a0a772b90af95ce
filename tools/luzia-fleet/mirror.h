// Mirrors the daemon's log and rows to the database, step by step. It keeps no state of its own: the
// database's position, committed together with the groups and rows up to it, is where the next step goes on.
// So whatever ends at any point, the database holds a prefix of the log. One thread.
//
// No row shows anything later than the mirrored log: rows may be read as of a later position than the groups
// before them, and the transaction then takes more groups, which are durable already, up to that position.
// What these groups touch is read again by the next step.
#pragma once

#include <chrono>
#include <memory>

#include "tools/luzia-fleet/mirror_store.h"

namespace luzia {

/// With more jobs touched than this, reading all rows page by page costs less than one query for each few.
constexpr std::size_t kMostTouchedJobs = 2'000;

struct MirrorState {
  Position position = 0, rows_position = 0;  // in the database
  Hash chain{};
  Position tip = 0;  // of the log, when it was last read
  bool connected = false;
};

/// Rows that groups have touched and that are not written yet.
struct PendingRows {
  Touched touched;
  bool all = false;  // instead, every row

  bool empty() const { return touched.empty() && !all; }
  void add(const GroupsRead& read);
};

class Mirror {
 public:
  using Connect = std::function<Result<std::unique_ptr<MirrorStore>>()>;
  using Clock = std::chrono::steady_clock;
  /// `daemon` must outlive it. `now`: the clock that it goes by.
  Mirror(FleetSession& daemon, Connect connect, SiteName name,
         std::function<Clock::time_point()> now = &Clock::now)
      : daemon_(daemon), connect_(std::move(connect)), name_(std::move(name)), now_(std::move(now)) {}

  /// Connects and compares if necessary, waits up to `wait_ms` for groups, and commits them. After an error
  /// the next step begins by reading the position from the database. Errors: those of MirrorStore,
  /// FleetSession and check_continues(); a log that is refused is noted in the database.
  Status step(std::uint32_t wait_ms);
  /// The next steps also replace all rows, once the groups have caught up.
  void rebuild() { pending_.all = true; }
  bool rebuilds() const { return pending_.all; }
  /// Whether the next step has something to do already.
  bool is_behind() const { return state_.position < state_.tip || !pending_.empty(); }
  const MirrorState& state() const { return state_; }

 private:
  Status try_step(std::uint32_t wait_ms);
  Status be_ready();
  Status find_pending();
  Status write(const GroupsRead& read, MirrorState& made, PendingRows& later);
  Result<Position> write_pending(Position end);
  Status copy(const GroupsRead& read, MirrorState& made);
  Status show_life();
  void fit_most_bytes(bool done);
  Position end_of(const GroupsRead& read) const;

  FleetSession& daemon_;
  Connect connect_;
  SiteName name_;
  std::function<Clock::time_point()> now_;
  std::unique_ptr<MirrorStore> database_;
  bool is_known_ = false;  // the members below follow from the database
  MirrorState state_;
  std::uint32_t most_bytes_ = 0;  // of groups in one transaction; 0: as the daemon chooses
  Position after_ = 0;   // where the log is read on: state_.position, or where a log begins that is new here
  PendingRows pending_;  // by the groups after state_.rows_position
  Clock::time_point seen_{};
};

}  // namespace luzia
