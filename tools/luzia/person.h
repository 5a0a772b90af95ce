// Asking a person from a program that waits for the answer: `ask`, `gate`, `mcp`, `hook`. A request is made
// once, however often the daemon is restarted meanwhile: it goes out again under the same command id, and the
// wait goes on. Nothing here gives a request up: who no longer wants the answer says so. One thread per
// DaemonLink, any number of them.
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

/// One caller's way to the daemon, over as many connections as that takes.
class DaemonLink {
 public:
  /// A new connection, or why there is none. `no_daemon` means that one may come yet: it is tried again.
  using Connect = std::function<Result<Client>()>;
  explicit DaemonLink(Connect connect) : connect_(std::move(connect)) {}
  /// As the commands connect: a daemon is started, but not from within a job. `invocation` must outlive it.
  static DaemonLink of(Invocation& invocation);

  /// Carries out a command that has a command id, once, whichever daemon takes it. Errors as
  /// asking.h order(): after some time without a daemon `no_daemon` (trouble). `stop_fd`: see Patience.
  Result<wire::AcceptedT> order(const wire::RequestUnion& request, int stop_fd = -1);
  /// The full id of a job by id, beginning or @last: `no_such_job` (not found).
  Result<std::string> full_id(const std::string& job);

 private:
  friend class InputWait;
  /// The connection; a new one where there is none.
  Result<Client*> client();
  void drop() { client_.reset(); }
  Result<std::unique_ptr<wire::ServerFrameT>> ask(const wire::RequestUnion& request, int stop_fd);

  Connect connect_;
  std::optional<Client> client_;
};

/// How long somebody stays for an answer.
struct Patience {
  std::chrono::milliseconds timeout{0};  // 0: until the request is over. Then the row comes as it is: open
  int stop_fd = -1;                      // readable: stop at once (`interrupted`, refused)
  std::chrono::milliseconds tick{0};     // with on_tick: called that often meanwhile
  std::function<void()> on_tick = {};
};

/// The job that this program runs in, of LUZIA_JOB_ID and LUZIA_ATTEMPT. Empty and 0: in none.
struct OwnJob {
  std::string job;
  Result<std::uint32_t> attempt = 0;  // `bad_value` (usage): LUZIA_ATTEMPT is no number
};
OwnJob own_job();
/// What LUZIA_ATTEMPT says, read as OwnJob has it.
Result<std::uint32_t> attempt_in(const std::string& variable);

/// A request as it was taken.
struct PutInput {
  std::string job;
  std::string id;  // of the question or approval
};

/// Puts the request; without `job` it is of the own job (`no_job`, usage, outside of any), which also says
/// the attempt. `job` in full. A command id is given where there is none.
Result<PutInput> put_question(DaemonLink& link, wire::AskQuestionT request, int stop_fd = -1);
Result<PutInput> put_approval(DaemonLink& link, wire::RequestApprovalT request, int stop_fd = -1);

/// Stays until the request is over, or patience. Any number of times, by any program. Refused:
/// `no_such_question`, `no_such_approval` (not found), `interrupted`.
Result<view::QuestionT> await_question(DaemonLink& link, const PutInput& put, const Patience& patience = {});
Result<view::ApprovalT> await_approval(DaemonLink& link, const PutInput& put, const Patience& patience = {});

/// Both of these: put, then await.
Result<view::QuestionT> ask_person(DaemonLink& link, wire::AskQuestionT request,
                                   const Patience& patience = {});
Result<view::ApprovalT> request_approval(DaemonLink& link, wire::RequestApprovalT request,
                                         const Patience& patience = {});

/// After the answer or decision was used: the agent has it. Said twice, it is recorded once.
Status confirm_delivery(DaemonLink& link, const PutInput& put);
/// Nobody wants the answer any more, or waits at the gate. Refused: `already_answered`, `already_decided`.
Status cancel_question(DaemonLink& link, const PutInput& put, const std::string& reason);
Status cancel_approval(DaemonLink& link, const PutInput& put, const std::string& reason);

}  // namespace luzia
