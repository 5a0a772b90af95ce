// Sessions: one per connection. Takes requests apart, checks who may do what, and hands each to its handler.
// Loop thread.
#pragma once

#include <functional>
#include <unordered_map>

#include "tools/luziad/attempts/attempt_credentials.h"
#include "tools/luziad/attempts/prompts.h"
#include "tools/luziad/hooks/hooks.h"
#include "tools/luziad/inputs/inputs.h"
#include "tools/luziad/intake/doorkeeper.h"
#include "tools/luziad/intake/flows.h"
#include "tools/luziad/intake/imports.h"
#include "tools/luziad/intake/lessons.h"
#include "tools/luziad/intake/removals.h"
#include "tools/luziad/queries/follows.h"
#include "tools/luziad/queries/tails.h"
#include "tools/luziad/queries/waits.h"
#include "tools/luziad/upkeep/upkeep.h"

namespace luzia {

class Sessions {
 public:
  /// `open_files`: as many as the daemon may have.
  Sessions(Parts& parts, Intake& intake, IdSource& ids, Upkeep& upkeep, Hooks& hooks,
           const AttemptCredentials& credentials, std::size_t open_files);

  void opened(ConnectionId connection, const Peer& peer);
  void received(ConnectionId connection, const wire::ClientFrame& frame);
  void drained(ConnectionId connection);
  void closed(ConnectionId connection);
  void job_changed(const JobState& job);
  void step_ready(const Flow& flow, const view::FlowStepT& step) { flows_.step_ready(flow, step); }
  void prepare_prompt(const JobState& job, std::function<void(PromptBuild)> then) const {
    prompts_.prepare(job, std::move(then));
  }
  /// Start of the daemon: reads are answered once what happened without a daemon is in the log, and commands
  /// that name a job are decided then (Queries::hold).
  void hold_reads() { queries_.hold(); }
  void release_reads() { queries_.release(); }
  /// Somebody looks at the job now, or (where `waiting_counts`) waits for what becomes of it.
  bool watched(const std::string& job, bool waiting_counts) const;
  void output_grew(const std::string& job);
  void committed(const std::shared_ptr<const Group>& group);
  /// It was read again: who follows what they may not see any more is told, and follows it no longer.
  void config_changed();
  /// Ends every subscription; nothing is called afterwards.
  void clear();

 private:
  struct Session {
    Caller caller;
    bool greeted = false;
    std::unique_ptr<Timer> until_known;  // of a stranger: then the connection is closed
    std::optional<Error>
        version_gap;  // the client speaks another protocol: all but the daemon's end is refused
  };
  void handle(const RequestId& to, const Caller& caller, const wire::ClientFrame& frame);
  void recognize(Session& session, const wire::Hello& hello) const;
  /// Whether the stranger has shown what lets it in; the connection is closed where not.
  bool introduce(const RequestId& to, Session& session);
  void receive_input(const RequestId& to, const Caller& caller, const wire::ClientFrame& frame);
  void greet(const RequestId& to, Session& session, const wire::Hello& hello);
  void dispatch(const RequestId& to, const Caller& caller, const wire::Dispatch& request);
  void act(const RequestId& to, const Caller& caller, const wire::ActOnJobs& request);
  void act_on_queue(const RequestId& to, const Caller& caller, const wire::ActOnQueue& request);
  void publish(const RequestId& to, const Caller& caller, const wire::Publish& request);
  void preview_prompt(const RequestId& to, const Caller& caller, const wire::PreviewPrompt& request);
  void list_hooks(const RequestId& to, const Caller& caller);
  void follow(const RequestId& to, const Caller& caller, const wire::Follow& request);
  void submit(const RequestId& to, const CommandMeta& meta, Command command);

  Parts& parts_;
  Intake& intake_;
  Upkeep& upkeep_;
  Hooks& hooks_;
  const AttemptCredentials& credentials_;
  Doorkeeper doorkeeper_;
  Rights rights_;
  Queries queries_;
  Waits waits_;
  Inputs inputs_;
  Flows flows_;
  Lessons lessons_;
  Prompts prompts_;
  Imports imports_;
  Removals removals_;
  Follows follows_;
  Tails tails_;
  std::unordered_map<ConnectionId, Session> sessions_;
};

}  // namespace luzia
