// Clients that copy the log as it is stored: each request gets the next groups, or waits for the next commit.
// A worker reads from the disk, for one client at a time; who waits gets the group that was just committed,
// from memory. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "engine/log/event_log.h"
#include "protocol.fb.h"
#include "tools/luziad/base/desk.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"
#include "tools/luziad/queries/turns.h"

namespace luzia {

struct GroupBatch {
  wire::GroupsT groups;
  Tip end;  // after the last one; if there is none, after those before, or where the log begins
};

/// The groups after position `after` that begin at or before `until`: up to `most_bytes`, but at least one if
/// there is one. `previous`: the chain hash at `after`, if it is known; otherwise one more group is read. Any
/// thread. Errors: `inside_group`, those of GroupCursor::next().
Result<GroupBatch> read_groups(const EventLog& log, Position after, Position until, std::size_t most_bytes,
                               const std::optional<Hash>& previous);

class GroupReads final : public Follower {
 public:
  GroupReads(const Threads& threads, const EventLog& log, const Desk& desk)
      : threads_(threads), log_(log), desk_(desk) {}

  static Status check(const Caller& caller, const wire::ReadGroups& request);
  Status add(const RequestId& to, const Caller& caller, const wire::ReadGroups& request);
  void committed(const std::shared_ptr<const Group>& group) override;
  void forget(const RequestId& request) { reads_.erase(request); }
  void connection_closed(ConnectionId connection) { erase_connection(reads_, connection); }
  void clear() { reads_.clear(); }

 private:
  struct Reading {
    Position after = 0;
    std::size_t most_bytes = 0;
    std::uint32_t wait_ms = 0;
    std::optional<Hash> waits_behind;  // waits for the next commit: the chain hash at `after`
    std::unique_ptr<Timer> timer;
  };
  void read(const RequestId& to);
  void was_read(const RequestId& to, Result<GroupBatch> batch);
  void wait(const RequestId& to, Reading& reading, const Hash& chain);
  /// Ends the request.
  void answer(const RequestId& to, wire::GroupsT groups);
  std::optional<Hash> known_chain_at(Position position) const;

  Threads threads_;
  const EventLog& log_;
  Desk desk_;
  Turns turns_{1};
  Tip committed_, read_;  // known ends of groups
  std::map<RequestId, Reading> reads_;
};

}  // namespace luzia
