// Sessions, one per connection. Knows the client of each, and passes each request to its row of the table
// (request_table.h). Loop thread.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "tools/luziad/intake/intake.h"
#include "tools/luziad/intake/request_table.h"
#include "tools/luziad/rights/attempt_credentials.h"
#include "tools/luziad/rights/doorkeeper.h"
#include "tools/luziad/secrets/secret_book.h"

namespace luzia {

class Sessions {
 public:
  /// `open_files`: the number of files that the daemon may open.
  Sessions(const Threads& threads, const Store& store, const Desk& desk, const OutputWatcher& watcher,
           Intake& intake, IdSource& ids, Upkeep& upkeep, Hooks& hooks, PublishedAlerts& alerts,
           TrackedJobs& tracked, Schedules& schedules, const AttemptCredentials& credentials,
           SecretBook& secrets, std::size_t open_files);

  void opened(ConnectionId connection, const Peer& peer);
  void received(ConnectionId connection, const wire::ClientFrame& frame);
  /// The secrets of the attempt that speaks, or of the job whose agent speaks without its credential.
  std::shared_ptr<const Redactor> redactor_of(ConnectionId connection, const wire::ClientFrame& frame) const;
  void drained(ConnectionId connection);
  void closed(ConnectionId connection);
  /// Its parts that follow jobs and events.
  std::vector<Follower*> followers() { return {&waits_, &inputs_, &follows_, &tails_, &devices_, &groups_}; }
  void step_ready(const Flow& flow, const view::FlowStepT& step) { flows_.step_ready(flow, step); }
  void prepare_prompt(const JobState& job, std::function<void(PromptBuild)> then) const {
    prompts_.prepare(job, std::move(then));
  }
  /// At the daemon's start: holds reads until the log has what happened while no daemon ran. Commands that
  /// name a job are decided then too (Queries::hold).
  void hold_reads() { queries_.hold(); }
  void release_reads() { queries_.release(); }
  /// Whether a person watches the job now, or (if `waiting_counts`) waits for its result.
  bool watched(const std::string& job, bool waiting_counts) const;
  void output_grew(const std::string& job) { tails_.look(job); }
  /// Ends every subscription; no callback runs afterwards.
  void clear();

 private:
  struct Session {
    Caller caller;
    bool greeted = false;
    std::unique_ptr<Timer> until_known;  // for an unidentified client: closes the connection
    std::optional<Error>
        version_gap;  // the client speaks another protocol: only stopping the daemon is allowed
    std::optional<Error> no_device;  // its Hello names a device for which it may not speak: it may do nothing
  };
  Status answer(const RequestId& to, const Caller& caller, const wire::ClientFrame& frame);
  bool has_secrets(const std::string& job) const;
  std::shared_ptr<const Redactor> known_secrets(ConnectionId connection,
                                                const wire::ClientFrame& frame) const;
  void recognize(Session& session, const wire::Hello& hello) const;
  /// Takes the person and the device that the Hello names.
  Status speak_for(Caller& caller, const wire::Hello& hello) const;
  /// Whether the caller's device is still paired, and its role allows the request.
  Status check_device(const Caller& caller, const RequestRow& row) const;
  void close_of_device(const std::string& device);
  /// Whether an unidentified client has proved that it may connect; if not, closes the connection.
  bool introduce(const RequestId& to, Session& session);
  void greet(const RequestId& to, Session& session, const wire::Hello& hello);

  uv_loop_t* loop_;
  Desk desk_;
  const AttemptCredentials& credentials_;
  const SecretBook& secrets_;
  Doorkeeper doorkeeper_;
  Rights rights_;
  Queries queries_;
  Waits waits_;
  Inputs inputs_;
  Flows flows_;
  LearningRequests learning_;
  Prompts prompts_;
  Imports imports_;
  Removals removals_;
  Follows follows_;
  Tails tails_;
  JobRequests jobs_;
  QueueRequests queue_;
  Tracking tracking_;
  DeviceRequests devices_;
  GroupReads groups_;
  RequestFamilies families_;
  std::unordered_map<ConnectionId, Session> sessions_;
};

}  // namespace luzia
