// Requests about questions and approvals: asking, answering, and waiting for the answer. Loop thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/inputs/lent_messages.h"
#include "tools/luziad/queries/queries.h"
#include "tools/luziad/rights/rights.h"

namespace luzia {

class Inputs final : public Follower {
 public:
  Inputs(const Threads& threads, const Store& store, const Desk& desk, Rights& rights, Queries& queries,
         IdSource& ids)
      : threads_(threads), store_(store), desk_(desk), rights_(rights), queries_(queries), ids_(ids) {}

  Status ask(const RequestId& to, const Caller& caller, const wire::AskQuestion& request);
  Status answer(const RequestId& to, const Caller& caller, const wire::AnswerQuestion& request);
  Status cancel(const RequestId& to, const Caller& caller, const wire::CancelQuestion& request);
  Status request_approval(const RequestId& to, const Caller& caller, const wire::RequestApproval& request);
  Status decide(const RequestId& to, const Caller& caller, const wire::DecideApproval& request);
  Status withdraw(const RequestId& to, const Caller& caller, const wire::CancelApproval& request);
  Status confirm(const RequestId& to, const Caller& caller, const wire::ConfirmDelivery& request);
  /// `bad_message`, `bad_channel` (usage).
  static Status check_tell(const Caller& caller, const wire::TellJob& request);
  Status tell(const RequestId& to, const Caller& caller, const wire::TellJob& request);
  Status take_told(const RequestId& to, const Caller& caller, const wire::TakeTold& request);
  Status note_workspace(const RequestId& to, const Caller& caller, const wire::NoteWorkspace& request);
  /// Replies with the row when the request is over, or at the timeout with the row as it is then. Also works
  /// if the request ended before the client asked.
  Status await(const RequestId& to, const Caller& caller, const wire::AwaitInput& request);

  void job_changed(const JobState& job) override;
  void forget(const RequestId& request) { waits_.erase(request); }
  void connection_closed(ConnectionId connection) {
    erase_connection(waits_, connection);
    lent_.connection_closed(connection);
  }
  void clear() { waits_.clear(); }

 private:
  struct Waiting {
    std::string job, id;
    std::unique_ptr<Timer> timer;
  };
  using OfJob = std::function<Status(const std::string& job)>;
  /// Calls `then` with the full id of a job that the caller may see; else refuses.
  Status with_job(const RequestId& to, const Caller& caller, const std::string& name, OfJob then);
  /// The same for a job that the caller may let continue. `what`: "answer", for the error message.
  Status with_own_job(const RequestId& to, const Caller& caller, const std::string& name,
                      const std::string& what, OfJob then);
  /// The same, but refuses the job's own agent: who asks does not decide.
  Status with_others_job(const RequestId& to, const Caller& caller, const std::string& name,
                         const std::string& what, OfJob then);
  /// `then` for a command of an order, which lets no job go on that it could not have started.
  OfJob if_ordered(const std::string& order, OfJob then);
  /// Accepted names `input`; if the command was carried out before, the one in its event.
  Status submit(const RequestId& to, const CommandMeta& meta, const std::string& job, JobCommand command,
                std::string input);
  /// Submits the command about the open request that `name` abbreviates, for with_own_job() and its like.
  OfJob about_input(const RequestId& to, CommandMeta meta, view::InputKind kind, std::string name,
                    std::function<Result<JobCommand>()> command);
  /// The full id of the open request that `name` abbreviates. If that is ambiguous, `name` itself: then the
  /// decision explains.
  std::string full_name(const std::string& job, view::InputKind kind, const std::string& name) const;
  Status register_waiting(const RequestId& to, Waiting waiting, std::uint64_t timeout_ms);
  void finish_wait(const RequestId& to);
  /// In a word how a message to the job is expected to be read, as in TellJob.
  const char* expected_way(const std::string& job, bool resume) const;
  /// The job that TakeTold is about. Null: this event reaches no model, or of another attempt.
  const JobState* taking_job(const std::string& job, const wire::TakeToldT& request);
  /// Answers with the words and ids of messages that the client confirms once its agent has them.
  Status lend(const RequestId& to, const JobState& job, const std::vector<std::string>& messages);
  /// Records that the messages are read, and answers with their words.
  Status hand_out(const RequestId& to, const CommandMeta& meta, const JobState& job, ReadTold read);
  void send_row(const RequestId& to, const std::string& job, const std::string& id);

  Threads threads_;
  Store store_;
  Desk desk_;
  Rights& rights_;
  Queries& queries_;
  IdSource& ids_;
  std::map<RequestId, Waiting> waits_;
  LentMessages lent_;
  std::map<std::string, std::uint32_t> hooked_;  // attempt of a live job whose hook has asked for messages
};

}  // namespace luzia
