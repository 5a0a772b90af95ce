#include "tools/luzia/look/output_stream.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

/// The output if `text` arrives in pieces of `piece` bytes.
std::string shown(const std::string& text, OutputOptions options, std::size_t piece) {
  std::string written;
  auto stream = OutputStream::make(std::move(options), [&](std::string_view part) { written += part; });
  EXPECT_TRUE(stream.has_value());
  for (std::size_t at = 0; at < text.size(); at += piece) {
    stream->add(at, std::string_view(text).substr(at, piece));
  }
  stream->finish();
  return written;
}

TEST(OutputStream, LinesDoNotDependOnPieces) {
  const std::string text = "eins\nzwei \xc3\xbc\xe2\x82\xac\n\nlast";
  for (const std::size_t piece : {1U, 2U, 3U, 7U, 100U}) {
    EXPECT_EQ(shown(text, {}, piece), text + "\n") << piece;
    EXPECT_EQ(shown(text, {.raw = true, .json = false, .unicode = false, .pattern = {}}, piece), text)
        << piece;
  }
}

TEST(OutputStream, RestartedFileEndsTheOpenLine) {
  std::string written;
  auto stream = OutputStream::make({}, [&](std::string_view part) { written += part; });
  ASSERT_TRUE(stream.has_value());
  stream->begin_within_line();
  stream->add(10, "rest of a line");
  stream->begin_anew();
  stream->add(0, "one\nbegun");
  stream->begin_anew();
  stream->add(0, "two\n");
  EXPECT_EQ(written, "one\nbegun\ntwo\n");
}

TEST(OutputStream, EscapeSequencesDoNotReachTheTerminal) {
  const std::string text = std::string("\x1b[31mred\x1b[0m \x1b]0;title\x07 ") + '\0' + " end\n";
  const std::string written = shown(text, {}, 5);
  for (const char c : written) {
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  }
  EXPECT_NE(written.find("red"), std::string::npos);
  EXPECT_NE(written.find("end"), std::string::npos);
}

TEST(OutputStream, TerminalMarksAreRemoved) {
  const std::string text = "\x1b]9;4;1;40\x07\nstep\n\n\x1b[32mgood\x1b[0m\n\x1b]9;4;0\x07";
  for (const std::size_t piece : {1U, 4U, 100U}) {
    EXPECT_EQ(shown(text, {}, piece), "step\n\ngood\n") << piece;
    EXPECT_EQ(shown(text, {.raw = true, .json = false, .unicode = false, .pattern = {}}, piece), text);
  }
}

TEST(OutputStream, PatternSelectsLines) {
  OutputOptions options;
  options.pattern = "^err(or)?:";
  EXPECT_EQ(shown("error: a\nfine\nerr: b\nno error: c\n", options, 4), "error: a\nerr: b\n");
  options.raw = true;
  EXPECT_EQ(shown("error: a\r\nfine\n", options, 100), "error: a\r\n");
}

TEST(OutputStream, BadPatternIsRefusedWithItsReason) {
  OutputOptions options;
  options.pattern = "(";
  const auto stream = OutputStream::make(options, [](std::string_view) {});
  ASSERT_FALSE(stream.has_value());
  EXPECT_EQ(stream.error().code, "bad_pattern");
}

TEST(OutputStream, JsonLinesCarryTheirOffset) {
  OutputOptions options;
  options.json = true;
  for (const std::size_t piece : {1U, 3U, 100U}) {
    EXPECT_EQ(shown("ab\n\"q\"\n\nz", options, piece),
              "{\"offset\":0,\"text\":\"ab\"}\n{\"offset\":3,\"text\":\"\\\"q\\\"\"}\n"
              "{\"offset\":7,\"text\":\"\"}\n{\"offset\":8,\"text\":\"z\"}\n")
        << piece;
  }
}

TEST(OutputStream, ProgressBarShowsItsLastState) {
  const std::string text = "start\n 10%\r 20%\r100%\r\nend\r\n\r\n";
  for (const std::size_t piece : {1U, 3U, 100U}) {
    EXPECT_EQ(shown(text, {}, piece), "start\n100%\nend\n\n") << piece;
    EXPECT_EQ(shown(text, {.raw = true, .json = false, .unicode = false, .pattern = {}}, piece), text);
  }
  std::string endless = "begin\n";
  for (int i = 0; i < 500'000; ++i) endless += "\r" + std::to_string(i);
  EXPECT_EQ(shown(endless, {}, 4096), "begin\n499999\n");
}

TEST(OutputStream, AgentLinesAreShownReadably) {
  const std::string said =
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"I \u001b[31mlook."}]}})";
  std::string written;
  OutputOptions options;
  options.pattern = "look|plain";
  auto stream = OutputStream::make(options, [&](std::string_view part) { written += part; });
  ASSERT_TRUE(stream);
  stream->make_readable();
  const std::string text = said + "\nplain {}\n{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n" + said;
  for (std::size_t at = 0; at < text.size(); at += 7) {
    stream->add(at, std::string_view(text).substr(at, 7));
  }
  stream->finish();
  EXPECT_EQ(written, "I look.\nplain {}\nI look.\n");
}

TEST(OutputStream, RepeatedFinalAnswerIsOmitted) {
  const auto shown_of = [](std::string_view said, std::string_view answer) {
    std::string shown;
    auto stream = OutputStream::make({}, [&](std::string_view text) { shown += text; });
    stream->make_readable();
    stream->add(0,
                R"({"type":"assistant","message":{"content":[{"type":"text","text":")" + std::string(said) +
                    R"("}]}})" +
                    "\n"
                    R"({"type":"result","subtype":"success","is_error":false,"session_id":"s","result":")" +
                    std::string(answer) + "\"}\n");
    stream->finish();
    return shown;
  };
  const std::string end = "* completed after 0 turns\n";
  EXPECT_EQ(shown_of("All is well.\\nGo on.", "All is well.\\nGo on."), "All is well.\nGo on.\n" + end);
  EXPECT_EQ(shown_of("All is well.", "It took a while."), "All is well.\n" + end + "  It took a while.\n");
  EXPECT_EQ(shown_of("All is well.\\nGo on.", "All is well."),
            "All is well.\nGo on.\n" + end + "  All is well.\n");
  std::string many = "line", written = "line\n";
  for (int i = 0; i < 30; ++i) {
    many += "\\nline";
    written += "line\n";
  }
  EXPECT_EQ(shown_of(many, many), written + end) << "also where the answer is shortened";
}

TEST(OutputStream, VeryLongLineShowsItsEnd) {
  const std::string text = std::string(3 << 20, 'x') + "END\nnext\n";
  for (const std::size_t piece : {1'000U, 256U << 10, 8U << 20}) {
    std::string written;
    auto stream = OutputStream::make({.ends = true}, [&](std::string_view part) { written += part; });
    ASSERT_TRUE(stream);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      stream->add(at, std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(stream->lines(), 2u) << piece;
    EXPECT_TRUE(written.ends_with("xEND\nnext\n")) << piece;
    if (piece > text.size()) continue;  // all of it came in one piece
    EXPECT_TRUE(written.starts_with("(... ")) << piece << written.substr(0, 80);
    EXPECT_LT(written.size(), 1u << 20) << piece;
  }
}

TEST(OutputStream, RestOfALineIsMarked) {
  std::string written;
  auto stream = OutputStream::make({.ends = true}, [&](std::string_view part) { written += part; });
  ASSERT_TRUE(stream);
  stream->begin_with_rest();
  stream->add(900, "rest\nwhole\n");
  EXPECT_EQ(written, "(... more before) rest\nwhole\n");
}

TEST(OutputStream, LinesAreCountedAsShown) {
  const std::string text = "rest\n\x1b[0m\none\ntwo\n\x1b]9;4;0\x07\nthree\n";
  for (const std::size_t piece : {1U, 4U, 100U}) {
    std::string written;
    auto stream = OutputStream::make({}, [&](std::string_view part) { written += part; });
    ASSERT_TRUE(stream);
    stream->begin_within_line();
    stream->pass_over(1);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      stream->add(at, std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(written, "two\nthree\n") << piece;
    EXPECT_EQ(stream->lines(), 3u) << piece;
  }
}

TEST(OutputStream, EndlessAgentLineIsReportedOnce) {
  std::string written;
  auto stream = OutputStream::make({}, [&](std::string_view part) { written += part; });
  ASSERT_TRUE(stream);
  stream->make_readable();
  stream->add(0, "{\"text\":\"");
  const std::string chunk(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) stream->add(9 + static_cast<std::uint64_t>(i) * chunk.size(), chunk);
  stream->add(0, "\"}\nnext\n");
  stream->finish();
  EXPECT_EQ(written, "(a line of more than 16 MiB: --raw prints it)\nnext\n");
}

TEST(OutputStream, EndlessLineIsShownInPieces) {
  std::size_t longest = 0, total = 0;
  auto stream = OutputStream::make({}, [&](std::string_view part) {
    longest = std::max(longest, part.size());
    total += part.size();
  });
  const std::string chunk(64 << 10, 'x');
  for (int i = 0; i < 64; ++i) {
    stream->add(static_cast<std::uint64_t>(i) * chunk.size(), chunk);
  }
  stream->finish();
  EXPECT_LT(longest, 2u << 20);
  EXPECT_GE(total, 64 * chunk.size());
}

TEST(OutputStream, ColoursStayIfWanted) {
  EXPECT_EQ(shown("\x1b[31mred\x1b[2K\nplain\n", {.colours = true}, 3), "\x1b[31mred\x1b[0m\nplain\n");
}

}  // namespace
}  // namespace luzia
