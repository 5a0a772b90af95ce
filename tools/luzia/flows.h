// The subcommands of `luzia flow`. One thread.
#pragma once

#include "engine/flow/flow.h"
#include "tools/luzia/asking.h"

namespace luzia {

/// A subcommand: its name, how it is called (after "luzia flow NAME"), how many words it takes after its
/// name.
struct FlowVerb {
  std::string_view name, usage;
  int least = 0, most = 0;  // most -1: any number
  Result<int> (*run)(Invocation&, const std::vector<std::string>& words) = nullptr;
  std::string_view options = {};  // long names that it takes, blanks between
};

/// create, start, complete, fail, skip, reset, add, tag, untag, note, approve, deny, pause, resume, end,
/// reopen.
std::span<const FlowVerb> flow_order_verbs();
/// status, list, context, suggest, history, statistics.
std::span<const FlowVerb> flow_look_verbs();
/// run.
std::span<const FlowVerb> flow_run_verbs();

/// One flow by id, beginning or @last, its outputs joined. `no_such_flow`, `ambiguous_flow`.
Result<Flow> ask_flow(Invocation& invocation, Client& client, const std::string& name);
/// Prints which flow a command was about, and returns its id.
std::string print_flow_id(const Invocation& invocation, const wire::AcceptedT& accepted);
/// Sends a command about flows and prints the id of the flow; `done` says it to the person.
Result<int> send_flow_order(Invocation& invocation, Client& client, const wire::RequestUnion& request,
                            const std::string& done);
/// --command-id, else a fresh one.
std::string flow_command_id(const Invocation& invocation);

}  // namespace luzia
