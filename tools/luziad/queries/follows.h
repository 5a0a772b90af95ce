// Subscriptions to events: first the past from a cursor, read from the log on a worker, then each group as it
// becomes durable. A slow reader is not sent to; it goes on from its cursor when it has caught up. Loop
// thread.
#pragma once

#include <map>
#include <memory>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

class Follows final : public Follower {
 public:
  Follows(Parts& parts, Queries& queries) : parts_(parts), queries_(queries) {}

  void add(const RequestId& to, const Caller& caller, const wire::Follow& request);
  void committed(const std::shared_ptr<const Group>& group) override;
  /// Whoever may see other projects now sees their events; ends those of jobs and projects that were taken
  /// from who named them.
  void config_changed() override;
  /// Somebody follows this very job, or looks at all jobs of its project.
  bool watches(const std::string& job) const;
  void drained(ConnectionId connection);
  void forget(const RequestId& request) { follows_.erase(request); }
  void connection_closed(ConnectionId connection) { erase_connection(follows_, connection); }
  void clear() { follows_.clear(); }

 private:
  /// What a subscriber may see and wants to; projects of jobs are looked up once.
  struct Choice {
    std::vector<std::string> jobs, projects;
    std::function<bool(std::string_view)> may_see;
    std::int64_t since_us = 0, until_us = 0;
    std::map<std::string, std::string, std::less<>> project_of;
    /// Rows say which project an event is of.
    bool by_project() const { return !projects.empty() || may_see; }
    bool wants(const schema::Event& event, const ViewReader* rows);
  };
  struct Following {
    Position cursor = 0;    // last position sent or passed over
    bool live = false;      // goes on after the past
    bool watching = false;  // a person looks on, at whatever comes
    bool caught_up = false;
    bool reading = false;
    Caller caller;
    std::shared_ptr<Choice> choice;
  };
  /// The same, its jobs by their full ids.
  void begin(const RequestId& to, const Caller& caller, const wire::FollowT& request,
             std::vector<std::string> job_ids);
  /// A project that it names, or has a named job of, and may not see any more; empty: none.
  std::string lost_project(const Choice& before, const Choice& now) const;
  std::string project_of(const std::string& job) const;
  bool watches_all_of(const Following& following, const std::string& job) const;
  void read_past(const RequestId& to);
  void read_log(const RequestId& to, Position until);
  void send(const RequestId& to, const Group& group, Following& following);
  Following* find(const RequestId& to);

  Parts& parts_;
  Queries& queries_;
  std::map<RequestId, Following> follows_;
};

}  // namespace luzia
