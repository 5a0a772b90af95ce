// Events and groups for tests of the log: small, valid, told apart by their text.
#pragma once

#include <string>

#include "engine/log/event_log.h"

namespace luzia::test {

/// A valid encoded event of `position`; `note` makes it as long as a test needs.
inline std::string encoded_event(Position position, const std::string& note = "note") {
  schema::EventT event;
  event.site = "test";
  event.position = position;
  event.stream = "job/abc";
  event.version = position;
  event.time_us = 1'700'000'000'000'000 + static_cast<TimeUs>(position);
  schema::JobFactUnion fact;
  schema::JobHeldT held;
  held.note = note;
  fact.Set(std::move(held));
  event.payload = std::move(job_event("abc", schema::JobHeldT{}).payload);
  event.payload.AsJobEvent()->fact = std::move(fact);
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Event::Pack(builder, &event), schema::EventIdentifier());
  return std::string(as_text({builder.GetBufferPointer(), builder.GetSize()}));
}

inline std::string note_of(const schema::Event& event) {
  return event.payload_as_JobEvent()->fact_as_JobHeld()->note()->str();
}

inline PendingGroup group_of(Position first, std::uint32_t count, const std::string& note = "note") {
  PendingGroup group(first);
  for (std::uint32_t i = 0; i < count; ++i) group.add(as_bytes(encoded_event(first + i, note)));
  return group;
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

/// Positions of all events from the cursor's place to the present end.
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
