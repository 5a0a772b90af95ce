// Builds the engine's metadata of a command: who sent it, and its command id.
#pragma once

#include "engine/core/command.h"
#include "protocol.fb.h"
#include "tools/luziad/base/caller.h"

namespace luzia {

/// Digest of a command's content, to compare repeated commands with the same id.
template <class Native>
Hash digest_of(const Native& request) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(Native::TableType::Pack(builder, &request));
  return blake2b({Bytes(builder.GetBufferPointer(), builder.GetSize())});
}

/// Metadata with the caller, an agent or a person, and the current time, without an id.
CommandMeta meta_of(const Caller& caller, schema::ActorKind actor);

/// The command id as it is recorded. That of an attempt whose account grants no rights, as in a sandbox, is
/// its job's own: otherwise it could use up the id that the daemon is about to use for a schedule or a step
/// of that account, which would then never run.
std::string recorded_id(const Caller& caller, const std::string& given);

/// The same with the request's id.
template <class Native>
CommandMeta meta_of(const Caller& caller, const Native& request, schema::ActorKind actor) {
  CommandMeta meta = meta_of(caller, actor);
  meta.command_id = recorded_id(caller, request.command_id);
  if (!meta.command_id.empty()) meta.digest = digest_of(request);
  return meta;
}

}  // namespace luzia
