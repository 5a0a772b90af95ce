#include "engine/core/group_writer.h"

namespace luzia {
namespace {

/// Bytes of an event's frame in a group: header and padding.
constexpr std::size_t kFrameRoom = 16;

}  // namespace

Status GroupWriter::stage(const CommandMeta& meta, NewEvent event, std::uint64_t version, JobState* job,
                          std::vector<StagedEvent>& staged, Flow* flow) {
  schema::EventT envelope;
  envelope.site = site_;
  envelope.position = committer_.next_position() + staged.size();
  envelope.time_us = meta.now;
  envelope.command_id = meta.command_id;
  if (staged.empty() && !meta.command_id.empty()) {
    envelope.command_digest.assign(meta.digest.begin(), meta.digest.begin() + 16);
  }
  envelope.cause = meta.cause;
  envelope.actor = std::make_unique<schema::ActorT>();
  envelope.actor->kind = meta.actor;
  envelope.actor->uid = meta.uid;
  envelope.actor->name = meta.actor_name;
  envelope.actor->device = meta.actor_device;
  envelope.evidence = std::move(event.evidence);
  std::uint64_t* other_version = nullptr;
  if (version == 0) {
    auto [it, inserted] = versions_.try_emplace(event.stream, 0);
    if (inserted) {
      const auto stored = history_.stream_version(event.stream);
      if (!stored) {
        versions_.erase(it);
        return tl::unexpected(stored.error());
      }
      it->second = *stored;
    }
    other_version = &it->second;
    version = *other_version + 1;
  }
  envelope.version = version;
  envelope.stream = std::move(event.stream);
  envelope.payload = std::move(event.payload);
  builder_.Clear();
  builder_.Finish(schema::Event::Pack(builder_, &envelope), schema::EventIdentifier());
  if (builder_.GetSize() > kMaxEventBytes) {
    return fail(ErrorKind::usage, "event_too_large",
                "the command's data comes to " + std::to_string(builder_.GetSize()) +
                    " bytes, more than the " + std::to_string(kMaxEventBytes) + " of one event",
                "shorten tags, options or messages; prompts may be larger");
  }
  for (const Blob& blob : event.blobs) {
    if (blob.content.size() > kMaxBlobBytes) {
      return fail(
          ErrorKind::usage, "prompt_too_large",
          "a text of " + std::to_string(blob.content.size()) + " bytes is more than the 8 MiB allowed",
          "put it in a file that the agent reads");
    }
  }
  std::string encoded(as_text({builder_.GetBufferPointer(), builder_.GetSize()}));
  // What could not be read again would make the store a damaged one.
  if (const auto readable = verify_event(as_bytes(encoded)); !readable) {
    return fail(ErrorKind::trouble, "invalid_event",
                "the command leads to an event in " + envelope.stream +
                    " that could not be read again: " + readable.error().message + "; nothing was written",
                "report this with luziad.log, which is in the store");
  }
  staged.push_back({std::move(encoded), std::move(event.blobs), job, flow});
  if (auto* job_event = envelope.payload.AsJobEvent()) {
    if (auto* queued = job_event->fact.AsJobQueued()) staged.back().queued = std::move(*queued);
  }
  if (other_version != nullptr) *other_version = version;
  return {};
}

void GroupWriter::append(std::vector<StagedEvent>& staged) {
  for (StagedEvent& event : staged) {
    const Position position = committer_.next_position();
    take_(event, position);
    committer_.add(as_bytes(event.encoded));
    for (Blob& blob : event.blobs) committer_.add_blob(position, std::move(blob));
  }
  committer_.end_command();
}

/// A command must fit one group: a crash between two groups would leave half of it.
Status GroupWriter::fits_one_group(const std::vector<StagedEvent>& staged) {
  std::size_t bytes = 0;
  for (const StagedEvent& event : staged) {
    bytes += event.encoded.size() + kFrameRoom;
    for (const Blob& blob : event.blobs) bytes += blob.content.size();
  }
  if (staged.size() <= 1 || (staged.size() <= kMaxGroupEvents && bytes <= kMaxGroupBytes)) return {};
  return fail(ErrorKind::usage, "command_too_large",
              "the command comes to " + std::to_string(staged.size()) + " events of " +
                  std::to_string(bytes >> 10) + " KiB together, more than the " +
                  std::to_string(kMaxGroupEvents) + " events or " + std::to_string(kMaxGroupBytes >> 10) +
                  " KiB that are taken all or none",
              "split it (for a batch file: split -l 1000 FILE)");
}

}  // namespace luzia
