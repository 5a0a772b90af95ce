// Subscriptions to events: first the past from a cursor, which a worker reads from the log, then each group
// as it becomes durable. Nothing is sent to a slow reader; it continues from its cursor once it has caught
// up. Loop thread.
#pragma once

#include <map>
#include <memory>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

class Follows final : public Follower {
 public:
  Follows(Workers& workers, const Store& store, const Desk& desk, Queries& queries)
      : workers_(workers), store_(store), desk_(desk), queries_(queries) {}

  Status add(const RequestId& to, const Caller& caller, const wire::Follow& request);
  void committed(const std::shared_ptr<const Group>& group) override;
  /// Applies changed permissions: subscribers see events of newly permitted projects. Ends subscriptions that
  /// named jobs or projects which the subscriber may no longer see.
  void config_changed() override;
  /// Whether a client follows exactly this job, or all jobs of its project.
  bool watches(const std::string& job) const;
  void drained(ConnectionId connection);
  void forget(const RequestId& request) { follows_.erase(request); }
  void connection_closed(ConnectionId connection) { erase_connection(follows_, connection); }
  void clear() { follows_.clear(); }

 private:
  struct Filter {
    std::vector<std::string> jobs, projects, agents, tags;
    std::vector<schema::JobState> states;
    std::int64_t since_us = 0, until_us = 0;
  };
  /// What a subscriber wants and may see; projects of jobs are looked up once.
  struct Choice : Filter {
    std::function<bool(std::string_view)> may_see;
    std::map<std::string, std::string, std::less<>> project_of;
    /// Whether rows are needed to find an event's project or job.
    bool by_rows() const { return !projects.empty() || may_see || by_job(); }
    /// Whether the job's row decides: its agent and tags, and the state that it is in now.
    bool by_job() const { return !agents.empty() || !tags.empty() || !states.empty(); }
    bool takes_job(std::string_view job, const ViewReader* rows) const;
    bool wants(const schema::Event& event, const ViewReader* rows);
  };
  struct Following {
    Position cursor = 0;    // last position sent or skipped
    bool live = false;      // continues after the past
    bool watching = false;  // a person is watching
    bool caught_up = false;
    bool reading = false;
    Caller caller;
    std::shared_ptr<Choice> choice;
  };
  /// The same with the jobs' full ids.
  Status begin(const RequestId& to, const Caller& caller, const wire::FollowT& request,
               std::vector<std::string> job_ids);
  /// A project that `before` names, or has a named job in, and that `now` may not see; empty: none.
  std::string lost_project(const Choice& before, const Choice& now) const;
  std::string project_of(const std::string& job) const;
  bool watches_all_of(const Following& following, const std::string& job) const;
  void read_past(const RequestId& to);
  void read_log(const RequestId& to, Position until);
  struct Reading;
  void was_read(const RequestId& to, Reading& reading);
  void send(const RequestId& to, const Group& group, Following& following);
  Following* find(const RequestId& to);

  Workers& workers_;
  Store store_;
  Desk desk_;
  Queries& queries_;
  std::map<RequestId, Following> follows_;
};

}  // namespace luzia
