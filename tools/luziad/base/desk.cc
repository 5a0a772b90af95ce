#include "tools/luziad/base/desk.h"

#include <unistd.h>

namespace luzia {

wire::WelcomeT welcome(const Desk& desk) {
  wire::WelcomeT it;
  it.protocol = kProtocolVersion;
  it.version = LUZIA_VERSION;
  it.pid = static_cast<std::uint32_t>(::getpid());
  it.position = desk.engine.durable();
  return it;
}

Status submit_and_reply(const Desk& desk, const RequestId& to, const CommandMeta& meta, Command command) {
  desk.engine.submit(meta, std::move(command), [desk, to](const Result<Outcome>& outcome) {
    if (!outcome) return refuse(desk, to, outcome.error());
    desk.server.send_built(to.connection, [&](flatbuffers::FlatBufferBuilder& builder) {
      const auto accepted = wire::CreateAccepted(builder, builder.CreateVectorOfStrings(outcome->ids),
                                                 outcome->position, outcome->repeated, outcome->known);
      return wire::CreateServerFrame(builder, to.request, wire::Reply::Accepted, accepted.Union());
    });
  });
  return {};
}

std::function<bool(std::string_view)> project_filter(const Config& config, const Caller& caller) {
  if (caller.trusted) return {};
  if (caller.device) {
    return [projects = caller.device->projects](std::string_view project) {
      return std::find(projects.begin(), projects.end(), project) != projects.end();
    };
  }
  // Compute the set now: a worker may build the answer while the configuration is reloaded.
  std::vector<std::string> allowed;
  for (const auto& [name, project] : config.projects) {
    if (may_use(config, caller, name)) allowed.push_back(name);
  }
  // Its project may have been removed from the configuration since it began.
  if (caller.scope) allowed.push_back(caller.scope->project);
  return [allowed = std::move(allowed)](std::string_view project) {
    return std::find(allowed.begin(), allowed.end(), project) != allowed.end();
  };
}

Error no_longer_allowed(const Caller& caller, const std::string& project) {
  return {ErrorKind::refused, "not_allowed", caller.name + " may not see project '" + project + "' any more",
          "ask who keeps the configuration"};
}

}  // namespace luzia
