// Bytes accepted as an event can be read completely: printed as JSON and as a CloudEvent, its texts found,
// unpacked and packed again into an event that is accepted too. Refused bytes give an error with a code.
#include <cstdint>
#include <cstring>

#include "engine/event/event.h"
#include "engine/log/event_texts.h"
#include "projections/rows/json.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

/// Memory aligned to 8 bytes. Nothing behind it may be read.
class Aligned {
 public:
  explicit Aligned(Bytes bytes) : memory_(new std::uint64_t[bytes.size() / 8 + 1]), size_(bytes.size()) {
    if (size_ > 0) std::memcpy(memory_.get(), bytes.data(), size_);
  }
  Bytes bytes() const { return {reinterpret_cast<const std::uint8_t*>(memory_.get()), size_}; }

 private:
  std::unique_ptr<std::uint64_t[]> memory_;
  std::size_t size_;
};

void check_event(const schema::Event& event) {
  require(!event_type(event).empty(), "each event has a name");
  const std::string json = event_json(event);
  require(json.starts_with('{') && json.ends_with('}'), "an event is one JSON object");
  require(json.find('\n') == std::string::npos, "an event is one line");
  for (const auto* text : texts_of(event)) require(text != nullptr, "a text that is referred to");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const Aligned aligned(as_bytes(input));
  const auto event = verify_event(aligned.bytes());
  if (!event) {
    require(!event.error().code.empty() && !event.error().message.empty(), "a refusal says why");
    return;
  }
  check_event(**event);
  // Unpacking keeps only the type of a newer program's additions.
  if (event_type(**event) == "unknown") return;
  const std::unique_ptr<schema::EventT> unpacked((*event)->UnPack());
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishEventBuffer(builder, schema::Event::Pack(builder, unpacked.get()));
  const Aligned packed({builder.GetBufferPointer(), builder.GetSize()});
  if (packed.bytes().size() > kMaxEventBytes) return;  // packing duplicates shared data
  const auto again = verify_event(packed.bytes());
  require(again.has_value(), "what was unpacked passes when it is packed");
  check_event(**again);
}
