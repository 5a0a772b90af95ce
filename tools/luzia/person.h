// Asks a person and waits for the answer: for `ask`, `gate`, `mcp` and `hook`. A request is made exactly
// once, even if the daemon is restarted meanwhile: it is sent again with the same command id, and the wait
// continues. Requests are never withdrawn implicitly: callers that no longer want the answer must cancel
// them. One thread per DaemonLink; any number of links.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/socket/client.h"
#include "tools/cli/invocation.h"
#include "view.fb.h"

namespace luzia {

/// A caller's link to the daemon. Reconnects as often as necessary.
class DaemonLink {
 public:
  /// Opens a connection. After `no_daemon` it is called again, because a daemon may still start.
  using Connect = std::function<Result<Client>()>;
  explicit DaemonLink(Connect connect) : connect_(std::move(connect)) {}
  /// A link that connects like commands do: it starts a daemon, except inside a job. `invocation` must
  /// outlive it.
  static DaemonLink of(Invocation& invocation);

  /// Sends a command with a command id; it is carried out once, even if it takes several daemons. Errors as
  /// send_command() in asking.h; `no_daemon` (trouble): no daemon for 30 s. `stop_fd`: see Patience.
  Result<wire::AcceptedT> send(const wire::RequestUnion& request, int stop_fd = -1);
  /// The full id of a job by id, beginning or @last: `no_such_job` (not found).
  Result<std::string> full_id(const std::string& job);

 private:
  friend class PromptWait;
  /// The connection; opens one if there is none.
  Result<Client*> client();
  void drop() { client_.reset(); }
  Result<std::unique_ptr<wire::ServerFrameT>> ask(const wire::RequestUnion& request, int stop_fd);

  Connect connect_;
  std::optional<Client> client_;
};

/// How long to wait for an answer.
struct Patience {
  std::chrono::milliseconds timeout{0};  // then the row is returned although it is open; 0: no limit
  int stop_fd = -1;                      // when readable, the wait stops at once (`interrupted`, refused)
  std::chrono::milliseconds tick{0};     // how often on_tick is called while waiting
  std::function<void()> on_tick = {};
};

/// The job that this program runs in, from LUZIA_JOB_ID and LUZIA_ATTEMPT. Empty and 0: outside a job.
struct OwnJob {
  std::string job;
  Result<std::uint32_t> attempt = 0;  // `bad_value` (usage): LUZIA_ATTEMPT is not a number
};
OwnJob own_job();
/// Parses the value of LUZIA_ATTEMPT as for OwnJob; empty: 0.
Result<std::uint32_t> attempt_in(const std::string& variable);

/// A request that the daemon has accepted.
struct PutPrompt {
  std::string job;
  std::string id;  // of the question or approval
};

/// Sends the request. `job` must be a full id; empty: the own job and attempt (`no_job`, usage: outside a
/// job). Adds a command id if there is none.
Result<PutPrompt> put_question(DaemonLink& link, wire::AskQuestionT request, int stop_fd = -1);
Result<PutPrompt> put_approval(DaemonLink& link, wire::RequestApprovalT request, int stop_fd = -1);

/// Waits until the request is closed, or until `patience` is over. May be called any number of times, by any
/// program. Errors: `no_such_question`, `no_such_approval` (not_found), `interrupted` (refused).
Result<view::QuestionT> await_question(DaemonLink& link, const PutPrompt& put, const Patience& patience = {});
Result<view::ApprovalT> await_approval(DaemonLink& link, const PutPrompt& put, const Patience& patience = {});

/// Records that the agent has received the answer or decision. Repeating it has no further effect.
Status confirm_delivery(DaemonLink& link, const PutPrompt& put);
/// Cancels a request that nobody waits for any more. Refused: `already_answered`, `already_decided`.
Status cancel_question(DaemonLink& link, const PutPrompt& put, const std::string& reason);
Status cancel_approval(DaemonLink& link, const PutPrompt& put, const std::string& reason);

}  // namespace luzia
