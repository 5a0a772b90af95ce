#include "tools/luziad/base/command_meta.h"

#include "tools/luziad/base/loop.h"

namespace luzia {

CommandMeta meta_of(const Caller& caller, schema::ActorKind actor) {
  CommandMeta meta;
  meta.actor = actor;
  meta.uid = caller.uid;
  meta.actor_name = caller.person.empty() ? caller.name : caller.person;
  if (caller.device) meta.actor_device = caller.device->name;
  meta.now = wall_now();
  return meta;
}

std::string recorded_id(const Caller& caller, const std::string& given) {
  return caller.admitted || given.empty() ? given : "job/" + caller.job + "/" + given;
}

}  // namespace luzia
