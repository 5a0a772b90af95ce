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

/// The same with the request's id.
template <class Native>
CommandMeta meta_of(const Caller& caller, const Native& request, schema::ActorKind actor) {
  CommandMeta meta = meta_of(caller, actor);
  meta.command_id = request.command_id;
  if (!meta.command_id.empty()) meta.digest = digest_of(request);
  return meta;
}

}  // namespace luzia
