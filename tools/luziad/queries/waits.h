// Clients that wait for jobs to reach a state. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

class Waits final : public Follower {
 public:
  Waits(uv_loop_t* loop, const Desk& desk, Queries& queries) : loop_(loop), desk_(desk), queries_(queries) {}

  static Status check(const Caller& caller, const wire::Wait& request);
  Status add(const RequestId& to, const Caller& caller, const wire::Wait& request);
  void job_changed(const JobState& job) override;
  bool waits_for(const std::string& job) const;
  void forget(const RequestId& request) { waits_.erase(request); }
  void connection_closed(ConnectionId connection) { erase_connection(waits_, connection); }
  void clear() { waits_.clear(); }

 private:
  struct Waiting {
    Caller caller;
    std::vector<std::string> jobs;
    std::set<std::string> open;
    std::set<schema::JobState> until;  // empty: any terminal state
    bool any = false;
    std::unique_ptr<Timer> timer;
  };
  bool satisfied(const Waiting& waiting, schema::JobState state) const;
  Status register_waiting(const RequestId& to, Waiting waiting, std::uint64_t timeout_ms);
  void answer(const RequestId& to);

  uv_loop_t* loop_;
  Desk desk_;
  Queries& queries_;
  std::map<RequestId, Waiting> waits_;
};

}  // namespace luzia
