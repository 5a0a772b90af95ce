// Commands: turns a checked body into a request of the daemon's protocol, and sends it in the name of the
// device. The command id comes from Idempotency-Key, so a client that lost its answer sends the same again.
// Waits for the daemon: for worker threads.
#pragma once

#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/far_machines.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

/// The command id of a request. `idempotency_key_missing`, `bad_idempotency_key` (usage). Ids are of their
/// device: no device can ask what another one's command has done.
Result<std::string> command_id_of(const std::string& device, const Request& request);

/// One job of a dispatch, from a body with the fields of its route. `bad_field` (usage), `not_from_the_web`
/// (refused): permissions beyond edits.
Result<wire::DispatchJobT> dispatch_of(const nlohmann::json& body, const std::string& command_id);

/// A flow whose steps the daemon dispatches, from a body with the fields of its route. `bad_field`,
/// `empty_task` (usage).
Result<wire::CreateFlowT> flow_of(const nlohmann::json& body, const std::string& command_id);

/// The request of the daemon's protocol that a checked body of a route stands for; not of dispatch and
/// create_flow. Asks the daemon which job a prompt is of, if the body does not say. `bad_field` (usage),
/// `no_such_question`, `no_such_approval` (not_found), and as dispatch_of().
Result<wire::RequestUnion> request_for(const DaemonDoor& door, const std::string& device, const Match& match,
                                       const nlohmann::json& body, const std::string& command_id);

/// Answers the routes that change something: dispatch, batch, create_flow, act_on_*, answer, decide,
/// revoke, push_change.
Answer act(const DaemonDoor& door, const std::string& device, const Match& match, const Request& request);
/// Answers answer and decide whose body names another machine: it gets the request, in the name of the
/// account there. `bad_field` (usage): the body names no job.
Answer act_far(const FarMachines& machines, const DaemonDoor& door, const Device& device, const Match& match,
               const Request& request);
/// Whether the body names another machine.
bool is_for_far(const Route& route, const Request& request);

}  // namespace luzia::web
