// Clients that wait for jobs to come to a state. Loop thread.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "tools/luziad/queries/queries.h"

namespace luzia {

class Waits {
 public:
  Waits(Parts& parts, Queries& queries) : parts_(parts), queries_(queries) {}

  void add(const RequestId& to, const Caller& caller, const wire::Wait& request);
  /// The job's durable state changed.
  void job_changed(const JobState& job);
  bool waits_for(const std::string& job) const;
  void forget(const RequestId& request);
  void connection_closed(ConnectionId connection);
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
  void register_waiting(const RequestId& to, Waiting waiting, std::uint64_t timeout_ms);
  void answer(const RequestId& to);

  Parts& parts_;
  Queries& queries_;
  std::map<RequestId, Waiting> waits_;
};

}  // namespace luzia
