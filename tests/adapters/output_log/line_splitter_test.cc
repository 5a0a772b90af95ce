// Lines do not depend on how the file is split into reads.
#include "adapters/output_log/line_splitter.h"

#include <random>

#include "tests/matchers.h"

namespace luzia {
namespace {

/// Collects lines and checks that the calls are consistent.
class Collector : public LineSink {
 public:
  struct Seen {
    std::string text;
    std::uint64_t offset, end, number;
    bool cut;
    bool operator==(const Seen&) const = default;
  };

  bool line(const Line& line) override {
    lines.push_back({std::string(line.text), line.offset, line.end, line.number, line.cut});
    next_offset_ = line.end;
    return lines.size() < stop_after;
  }
  void oversized(const Line& stretch) override {
    ASSERT_FALSE(lines.empty());
    EXPECT_TRUE(lines.back().cut);
    EXPECT_EQ(stretch.number, lines.back().number);
    EXPECT_EQ(stretch.offset, next_offset_) << "stretches follow one another";
    EXPECT_EQ(stretch.end, stretch.offset + stretch.text.size());
    next_offset_ = stretch.end;
    passed += stretch.text;
  }

  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const Seen& seen : lines) result.push_back(seen.text);
    return result;
  }

  std::vector<Seen> lines;
  std::string passed;  // the rest of oversized lines, beyond their kept part
  std::size_t stop_after = SIZE_MAX;

 private:
  std::uint64_t next_offset_ = 0;
};

/// Reads `file` in the given portions and keeps unconsumed bytes, as the scanner does.
SplitPosition split_in_portions(std::string_view file, const std::vector<std::size_t>& portions,
                                LineSink& sink) {
  SplitPosition position;
  std::size_t read = 0;
  for (std::size_t portion : portions) {
    read = std::min(file.size(), read + portion);
    const auto begin = static_cast<std::size_t>(position.resume_at());
    const std::size_t consumed = split_lines(position, file.substr(begin, read - begin), sink);
    EXPECT_EQ(position.resume_at(), begin + consumed);
    EXPECT_EQ(position.scanned_to, read);
  }
  return position;
}

SplitPosition split_whole(std::string_view file, LineSink& sink) {
  return split_in_portions(file, {file.size()}, sink);
}

TEST(LineSplitter, NewlineEndsALineAndDropsOneCarriageReturn) {
  Collector lines;
  const auto position = split_whole("a\nb\r\n\nc\r\r\n\r\nrest", lines);
  EXPECT_THAT(lines.texts(), ElementsAre("a", "b", "", "c\r", ""));
  EXPECT_EQ(lines.lines[1], (Collector::Seen{"b", 2, 5, 2, false}));
  EXPECT_EQ(position, (SplitPosition{12, 16, 5, false}));
}

TEST(LineSplitter, LinesMayContainAnyBytes) {
  Collector lines;
  split_whole(std::string_view("a\0b\xFF\xC3\n\x1b[\n", 9), lines);
  EXPECT_THAT(lines.texts(), ElementsAre(std::string("a\0b\xFF\xC3", 5), "\x1b["));
}

TEST(LineSplitter, LastLineWithoutNewlineCountsAtTheEnd) {
  Collector lines;
  auto position = split_whole("a\nbc\r", lines);
  EXPECT_EQ(lines.lines.size(), 1u);
  EXPECT_TRUE(split_last_line(position, "bc\r", lines));
  EXPECT_EQ(lines.lines.back(), (Collector::Seen{"bc", 2, 5, 2, false}));
  EXPECT_EQ(position, (SplitPosition{5, 5, 2, false}));
  EXPECT_FALSE(split_last_line(position, "", lines)) << "nothing stands behind the last line";
}

TEST(LineSplitter, LineIsCutBeyondTheKeptLength) {
  const std::string kept(kMaxKeptLine, 'x');
  Collector whole;
  split_whole(kept + "\nnext\n", whole);
  EXPECT_EQ(whole.lines[0], (Collector::Seen{kept, 0, kMaxKeptLine + 1, 1, false}));

  Collector cut;
  const auto position = split_whole(kept + "y\nnext\n", cut);
  EXPECT_EQ(cut.lines[0], (Collector::Seen{kept, 0, kMaxKeptLine, 1, true}));
  EXPECT_EQ(cut.lines[1], (Collector::Seen{"next", kMaxKeptLine + 2, kMaxKeptLine + 7, 2, false}));
  EXPECT_EQ(cut.passed, "y");
  EXPECT_EQ(position.line_no, 2u);
}

TEST(LineSplitter, OversizedLineThatEndsWithTheFileIsCounted) {
  const std::string file(3 * kMaxKeptLine, 'x');
  Collector lines;
  auto position = split_in_portions(file, {kMaxKeptLine, 10, file.size()}, lines);
  EXPECT_TRUE(position.in_oversized_line);
  EXPECT_EQ(lines.lines.size(), 1u);
  EXPECT_EQ(lines.passed.size(), 2 * kMaxKeptLine);
  EXPECT_TRUE(split_last_line(position, "", lines));
  EXPECT_EQ(position, (SplitPosition{file.size(), file.size(), 1, false}));
}

TEST(LineSplitter, FullSinkStopsAfterItsLastLine) {
  Collector lines;
  lines.stop_after = 2;
  SplitPosition position;
  EXPECT_EQ(split_lines(position, "a\nb\nc\n", lines), 4u);
  EXPECT_EQ(position, (SplitPosition{4, 4, 2, false}));
}

/// A file with every kind of line ending; if `huge`, also lines around the size limit.
std::string random_file(std::mt19937& random, bool huge) {
  static const std::vector<std::string> pieces = {
      "\n",   "\r\n", "\r", "a",     "::error::x",     std::string(1, '\0'),
      "\xFF", "\n\n", "é",  "\x1b]", "words of a line"};
  std::string file;
  const auto count = random() % 30;
  for (unsigned i = 0; i < count; ++i) {
    file += pieces[random() % pieces.size()];
    if (huge && random() % 8 == 0) file += std::string(kMaxKeptLine - 4 + random() % 8, 'z');
  }
  return file;
}

TEST(LineSplitter, CutAtEveryByteEqualsWhole) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::string file = random_file(random, false);
    Collector whole;
    const auto expected = split_whole(file, whole);
    for (std::size_t cut = 0; cut <= file.size(); ++cut) {
      Collector parts;
      EXPECT_EQ(split_in_portions(file, {cut, file.size()}, parts), expected);
      ASSERT_EQ(parts.lines, whole.lines) << "cut at " << cut;
    }
    Collector bytewise;
    split_in_portions(file, std::vector<std::size_t>(file.size(), 1), bytewise);
    ASSERT_EQ(bytewise.lines, whole.lines);
  }
}

TEST(LineSplitter, CutsOfFilesWithOversizedLinesEqualWhole) {
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    const std::string file = random_file(random, true);
    Collector whole;
    const auto expected = split_whole(file, whole);
    std::vector<std::size_t> portions;
    for (std::size_t sum = 0; sum < file.size(); sum += portions.back()) {
      portions.push_back(1 + random() % (random() % 2 ? 70'000 : 50));
      if (portions.size() > 2000) portions.back() = file.size();
    }
    Collector parts;
    EXPECT_EQ(split_in_portions(file, portions.empty() ? std::vector<std::size_t>{0} : portions, parts),
              expected);
    ASSERT_EQ(parts.lines, whole.lines);
    ASSERT_EQ(parts.passed, whole.passed);
  }
}

}  // namespace
}  // namespace luzia
