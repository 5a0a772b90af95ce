// Frames do not depend on how their bytes arrive, and an accepted frame can be read completely. Input:
// portion sizes, a 0xFF byte, then the stream.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/socket/frame.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

Bytes as_input(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <class Frame>
void check_frame(const Result<const Frame*>& frame) {
  if (!frame) return require(frame.error().code == "bad_frame", "the code of a bad frame");
  const auto unpacked = std::unique_ptr<typename Frame::NativeTableType>((*frame)->UnPack());
  const std::string bytes = encode(*unpacked);
  const auto size = frame_size(as_input(bytes));
  require(size && *size && **size + kFrameHeaderBytes == bytes.size(), "an encoded frame has its size");
}

struct Read {
  std::vector<std::string> frames;
  bool good = true;
};

Read read(std::string_view stream, std::string_view portions) {
  Read result;
  FrameReader reader;
  const auto feed = [&](std::string_view bytes) {
    if (!result.good) return;
    const auto fed = reader.feed(as_input(bytes), [&](Bytes frame) {
      require(reinterpret_cast<std::uintptr_t>(frame.data()) % 8 == 0, "a frame is aligned");
      check_frame(parse_client_frame(frame));
      check_frame(parse_server_frame(frame));
      result.frames.emplace_back(reinterpret_cast<const char*>(frame.data()), frame.size());
    });
    result.good = fed.has_value();
  };
  for (const char portion : portions) {
    const auto size = std::min<std::size_t>(static_cast<std::uint8_t>(portion), stream.size());
    feed(stream.substr(0, size));
    stream.remove_prefix(size);
  }
  feed(stream);
  return result;
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  const std::size_t separator = std::min(input.find('\xFF'), input.size());
  const std::string_view stream = input.substr(std::min(separator + 1, input.size()));
  const auto whole = read(stream, {});
  const auto parts = read(stream, input.substr(0, separator));
  require(whole.frames == parts.frames && whole.good == parts.good, "portions equal the whole");
}
