// The subcommands of `luzia flow`. One thread.
#pragma once

#include "engine/flow/flow.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/verbs.h"

namespace luzia {

using FlowVerb = Verb;

/// create, start, complete, fail, skip, reset, add, tag, untag, note, approve, deny, pause, resume, end,
/// reopen, rm.
std::span<const FlowVerb> flow_change_verbs();
/// status, list, context, suggest, history, statistics.
std::span<const FlowVerb> flow_look_verbs();
/// run.
std::span<const FlowVerb> flow_run_verbs();

/// The flow by id, beginning or @last, with its outputs. Errors: `no_such_flow`, `ambiguous_flow`.
Result<Flow> ask_flow(Invocation& invocation, Client& client, const std::string& name);
/// Prints the id of the flow that a command was about, and returns it.
std::string print_flow_id(const Invocation& invocation, const wire::AcceptedT& accepted);
/// Sends a command about a flow and prints the flow's id; `done` is the message for people.
Result<int> send_flow_command(Invocation& invocation, Client& client, const wire::RequestUnion& request,
                              const std::string& done);

}  // namespace luzia
