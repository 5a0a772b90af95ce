#include "tools/luziad/base/command_meta.h"

#include "tools/luziad/base/loop.h"

namespace luzia {

CommandMeta meta_of(const Caller& caller, schema::ActorKind actor) {
  CommandMeta meta;
  meta.actor = actor;
  meta.uid = caller.uid;
  meta.actor_name = caller.name;
  meta.now = wall_now();
  return meta;
}

}  // namespace luzia
