#include "adapters/terminal/frames.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

TEST(TerminalFrames, DoNotDependOnHowBytesArrive) {
  const std::string bytes = frame_of(FrameKind::hello, std::string(1, '\1')) +
                            frame_of(FrameKind::input, std::string("a\0b\x1b", 4) + std::string(300, 'x')) +
                            frame_of(FrameKind::ended, "");
  for (std::size_t piece = 1; piece < bytes.size(); ++piece) {
    TerminalFrameReader reader;
    std::string seen;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.add(std::string_view(bytes).substr(at, piece));
      while (auto frame = reader.next()) seen += frame_of(frame->kind, frame->payload);
    }
    ASSERT_EQ(seen, bytes) << piece;
    ASSERT_FALSE(reader.broken());
  }
}

TEST(TerminalFrames, InvalidFrameStopsTheReader) {
  for (const std::string& bytes : {std::string("GET / HTTP"), std::string("O\xff\xff\xff\xff"),
                                   std::string("I\x01\x00\x01\x00", 5), std::string(5, '\0')}) {
    TerminalFrameReader reader;
    reader.add(bytes);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
    reader.add(frame_of(FrameKind::input, "rm"));
    EXPECT_FALSE(reader.next()) << "everything after an invalid frame is invalid";
  }
}

TEST(TerminalFrames, LongOutputTakesSeveralFrames) {
  const std::string output(3 * kMostFrameBytes + 1, 'y');
  TerminalFrameReader reader;
  reader.add(output_frames(output));
  std::string joined;
  std::size_t count = 0;
  for (; auto frame = reader.next(); ++count) joined += frame->payload;
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(joined, output);
  EXPECT_FALSE(reader.broken());
}

TEST(TerminalFrames, SizesAreTwoNumbersAndNeverZero) {
  const TerminalSize size{300, 65'535};
  EXPECT_EQ(size_from(size_payload(size)), size);
  EXPECT_EQ(size_from(size_payload({0, 24})), std::nullopt);
  EXPECT_EQ(size_from(size_payload({80, 0})), std::nullopt);
  EXPECT_EQ(size_from("abc"), std::nullopt);
  EXPECT_EQ(size_from("abcde"), std::nullopt);
}

}  // namespace
}  // namespace luzia
