#include "tools/luzia/agents/hook/tool_gate.h"

#include "engine/base/try.h"
#include "tools/luzia/agents/hook/message_calls.h"
#include "tools/luzia/agents/mcp/shown_call.h"
#include "tools/luzia/asking.h"

namespace luzia::hook {
namespace {

using std::chrono::milliseconds;

/// Sends the request. Returns the approval; nothing if no gate of the project matches the call.
Result<std::optional<PutPrompt>> put(DaemonLink& link, wire::RequestApprovalT request) {
  const std::string job = request.job;
  const auto accepted = LUZIA_TRY(link.send(request_of(std::move(request))));
  if (accepted.ids.empty()) return std::optional<PutPrompt>();
  return PutPrompt{job, accepted.ids.front()};
}

GateAnswer answer_of(const view::ApprovalT& row, const PutPrompt& put) {
  const bool approved = row.decision == schema::Decision::approved;
  const bool cancelled = row.state == view::QuestionState::cancelled;
  const bool undecided =
      !cancelled && (row.decision == schema::Decision::expired || row.decision == schema::Decision::none);
  return {approved ? "allow" : "deny", mcp::decision_words(row), put, undecided};
}

wire::RequestApprovalT request_about(const OwnJob& own, const ToolCall& call) {
  wire::RequestApprovalT request = mcp::approval_of_call(call.tool, call.input, call.call_id);
  request.job = own.job;
  request.attempt = *own.attempt;
  request.source = "hook";
  request.cwd = call.cwd;
  request.command_id = fresh_command_id();
  return request;
}

Result<GateAnswer> wait_for_decision(DaemonLink& link, const PutPrompt& asked, milliseconds patience) {
  const auto row = LUZIA_TRY(await_approval(link, asked, {.timeout = patience}));
  if (row.state == view::QuestionState::open) {
    // If this fails because somebody just decided, or the job ended: the call is denied nevertheless.
    [[maybe_unused]] const Status withdrawn =
        cancel_approval(link, asked, "nobody decided while the agent waited");
    return GateAnswer{"deny", "denied: nobody decided in time", {}, true};
  }
  return answer_of(row, asked);
}

Result<GateAnswer> pass_waiting(DaemonLink& link, wire::RequestApprovalT request, milliseconds patience) {
  const auto taken = put(link, std::move(request));
  if (!taken || !*taken) return taken ? Result<GateAnswer>(GateAnswer{}) : tl::unexpected(taken.error());
  return wait_for_decision(link, **taken, patience);
}

/// Decides a call with WhenAsked::defer. When the session is resumed, in another attempt, the call comes
/// again with the same id, so the same command id finds the decision made meanwhile. A request that was
/// cancelled by the end of its attempt is sent again with a new command id. A call that is not `alone` in its
/// message waits here, because only one call of a message can be deferred.
Result<GateAnswer> pass_deferring(DaemonLink& link, const OwnJob& own, wire::RequestApprovalT request,
                                  bool alone, milliseconds patience) {
  request.attempt = 0;
  const std::string id = "defer-" + own.job + "-" + request.call_id;
  for (const std::string& command_id : {id, id + "-" + std::to_string(*own.attempt)}) {
    auto again = request;
    again.command_id = command_id;
    const auto taken = put(link, std::move(again));
    if (!taken || !*taken) return taken ? Result<GateAnswer>(GateAnswer{}) : tl::unexpected(taken.error());
    const PutPrompt& asked = **taken;
    const auto row = LUZIA_TRY(await_approval(link, asked, {.timeout = milliseconds(1)}));
    if (row.state == view::QuestionState::open && !alone) return wait_for_decision(link, asked, patience);
    if (row.state == view::QuestionState::open) {
      return GateAnswer{"defer", "waiting for a person: luzia approve " + own.job + " " + asked.id};
    }
    if (row.state != view::QuestionState::cancelled) return answer_of(row, asked);
  }
  return GateAnswer{"deny", "denied: the request was cancelled"};
}

}  // namespace

Result<GateAnswer> pass_gate(DaemonLink& link, const OwnJob& own, const ToolCall& call, WhenAsked when,
                             milliseconds patience) {
  auto request = request_about(own, call);
  switch (when) {
    case WhenAsked::wait:
      return pass_waiting(link, std::move(request), patience);
    case WhenAsked::defer:
      return pass_deferring(link, own, std::move(request), is_alone_in_message(call.transcript, call.call_id),
                            patience);
    case WhenAsked::deny:
      break;
  }
  // The shortest timeout: only the project's policy can decide in time.
  request.timeout_ms = 1;
  auto answer = pass_waiting(link, std::move(request), patience);
  if (answer && answer->undecided) {
    answer->reason = "denied: this needs a person's approval, and this job asks nobody";
  }
  return answer;
}

}  // namespace luzia::hook
