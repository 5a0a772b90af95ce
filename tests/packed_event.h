// One event as the log stores it.
#pragma once

#include <string>

#include "engine/event/event.h"

namespace luzia {

/// Owns the bytes of an event. `envelope` says what its payload and stream do not.
class PackedEvent {
 public:
  explicit PackedEvent(NewEvent event, schema::EventT envelope = {}) {
    envelope.stream = std::move(event.stream);
    envelope.payload = std::move(event.payload);
    builder_.Finish(schema::Event::Pack(builder_, &envelope), schema::EventIdentifier());
  }

  const schema::Event& operator*() const { return *schema::GetEvent(builder_.GetBufferPointer()); }
  std::string bytes() const {
    return std::string(as_text({builder_.GetBufferPointer(), builder_.GetSize()}));
  }

 private:
  flatbuffers::FlatBufferBuilder builder_;
};

}  // namespace luzia
