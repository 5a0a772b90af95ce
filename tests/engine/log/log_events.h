// Small, valid events and groups for tests of the log; each has its own text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/log/event_log.h"
#include "tests/packed_event.h"

namespace luzia::test {

/// A valid encoded event at `position`, which is its version too.
template <class Fact>
std::string encoded(Position position, const std::string& stream, Fact fact, TimeUs time = 0) {
  schema::EventT event;
  event.site = "test";
  event.position = event.version = position;
  event.time_us = time;
  return PackedEvent(new_event(stream, std::move(fact)), std::move(event)).bytes();
}

/// `note` sets its length.
inline std::string encoded_event(Position position, const std::string& note = "note") {
  schema::JobHeldT held;
  held.note = note;
  return encoded(position, "job/abc", std::move(held), 1'700'000'000'000'000 + static_cast<TimeUs>(position));
}

inline std::string note_of(const schema::Event& event) {
  return event.payload_as_JobEvent()->fact_as_JobHeld()->note()->str();
}

inline PendingGroup group_of(Position first, std::uint32_t count, const std::string& note = "note") {
  PendingGroup group(first);
  for (std::uint32_t i = 0; i < count; ++i) group.add(as_bytes(encoded_event(first + i, note)));
  return group;
}

/// An event that refers to these texts.
inline std::string event_with_texts(Position position, const std::vector<Blob>& texts) {
  schema::FlowCreatedT created;
  for (const Blob& text : texts) {
    auto step = std::make_unique<schema::FlowStepT>();
    step->name = "step" + std::to_string(text.index);
    step->prompt = std::make_unique<schema::BlobRefT>(blob_ref(text));
    created.steps.push_back(std::move(step));
  }
  return encoded(position, "flow/f-abc", std::move(created));
}

/// As group_of(), with texts for some of its events.
inline PendingGroup group_with_texts(Position first, std::uint32_t count,
                                     const std::map<Position, std::vector<Blob>>& texts) {
  PendingGroup group(first);
  for (Position position = first; position < first + count; ++position) {
    const auto of_event = texts.find(position);
    if (of_event == texts.end()) {
      group.add(as_bytes(encoded_event(position)));
      continue;
    }
    group.add(as_bytes(event_with_texts(position, of_event->second)));
    for (const Blob& text : of_event->second) group.add_blob(position, text);
  }
  return group;
}

/// The event that records an erasure.
inline std::string erasure_event(Position position, Position erased, std::uint32_t index) {
  return encoded(position, "system", schema::BlobErasedT{{}, erased, index});
}

/// Records the erasure, then erases the text, as a purge does.
inline Status erase_and_tell(EventLog& log, Position event, std::uint32_t index) {
  PendingGroup told(log.tip().position + 1);
  told.add(as_bytes(erasure_event(told.first_position(), event, index)));
  if (auto appended = log.append(told); !appended) return tl::unexpected(appended.error());
  return log.erase_blob(event, index);
}

/// Appends `groups` groups of `events_each` events.
inline Status append_groups(EventLog& log, int groups, std::uint32_t events_each,
                            const std::string& note = "note") {
  for (int i = 0; i < groups; ++i) {
    auto appended = log.append(group_of(log.tip().position + 1, events_each, note));
    if (!appended) return tl::unexpected(appended.error());
  }
  return {};
}

/// Positions of all events from the cursor to the present end of the log.
inline Result<std::vector<Position>> read_positions(GroupCursor& cursor) {
  std::vector<Position> positions;
  for (;;) {
    auto group = cursor.next();
    if (!group) return tl::unexpected(group.error());
    if (!*group) return positions;
    for (const auto* event : (*group)->events()) positions.push_back(event->position());
  }
}

inline std::vector<Position> positions_from_to(Position first, Position last) {
  std::vector<Position> positions;
  for (Position position = first; position <= last; ++position) positions.push_back(position);
  return positions;
}

}  // namespace luzia::test
