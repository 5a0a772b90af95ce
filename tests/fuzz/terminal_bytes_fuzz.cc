// Output of a program in a terminal, and bytes on a terminal's socket. They mean the same however they are
// split. A terminal that attaches gets the program's modes, one that detaches gets none, and frames are
// bounded.
#include <string>

#include "adapters/terminal/frames.h"
#include "adapters/terminal/screen_modes.h"
#include "tests/fuzz/fuzz_check.h"

namespace luzia {
namespace {

void check_modes(std::string_view output) {
  ScreenModes whole, pieces, joined;
  whole.add(output);
  for (const char byte : output) pieces.add({&byte, 1});
  require(whole.entering() == pieces.entering() && whole.leaving() == pieces.leaving(),
          "pieces mean the same modes");
  joined.add(whole.entering());
  require(joined.entering() == whole.entering(), "who joins is in the same modes");
  joined.add(whole.leaving());
  require(joined.entering().empty() && joined.leaving() == "\x1b[0m", "who leaves is in none");
}

/// The frames as they came, concatenated.
std::string take_frames(TerminalFrameReader& reader) {
  std::string taken;
  while (const auto frame = reader.next()) {
    require(frame->payload.size() <= kMostFrameBytes, "a frame is bounded");
    if (const auto size = size_from(frame->payload))
      require(size_payload(*size) == frame->payload, "a size reads back");
    taken += frame_of(frame->kind, frame->payload);
  }
  return taken;
}

void check_frames(std::string_view input) {
  TerminalFrameReader whole, pieces;
  whole.add(input);
  const std::string at_once = take_frames(whole);
  std::string one_by_one;
  for (const char byte : input) {
    pieces.add({&byte, 1});
    one_by_one += take_frames(pieces);
  }
  require(at_once == one_by_one && whole.broken() == pieces.broken(), "pieces are the same frames");
  require(input.starts_with(at_once), "frames are what came");
}

}  // namespace
}  // namespace luzia

void luzia::fuzz(std::string_view input) {
  check_modes(input);
  check_frames(input);
}
