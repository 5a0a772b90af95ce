// Lines that contain words, in outputs of all sizes, forwards and backwards.
#include "tools/luziad/queries/word_scan.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "engine/base/lower_case.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using Offsets = std::vector<std::uint64_t>;

class WordScanTest : public testing::Test {
 protected:
  WordsFound find(
      const WordQuery& query, const std::function<bool()>& go_on = [] { return true; }) {
    auto scan = WordScan::of(query.words, query.expression);
    EXPECT_TRUE(scan) << query.words;
    const auto read = [this](std::uint64_t offset, std::span<char> into) -> Result<std::size_t> {
      if (offset >= output_.size()) return std::size_t{0};
      const auto size = std::min(into.size(), output_.size() - static_cast<std::size_t>(offset));
      std::memcpy(into.data(), output_.data() + offset, size);
      return size;
    };
    auto found = scan->find(read, query, told_size_.value_or(output_.size()), go_on);
    EXPECT_TRUE(found);
    return found ? *found : WordsFound{};
  }
  /// All lines, in requests that each end after one piece.
  Offsets all(WordQuery query) {
    Offsets offsets;
    while (true) {
      const WordsFound found = find(query, [] { return false; });
      for (const WordLine& line : found.lines) offsets.push_back(line.offset);
      if (found.over) return offsets;
      EXPECT_NE(found.reached, query.from) << "no progress";
      if (found.reached == query.from) return offsets;
      query.from = found.reached;
    }
  }
  /// The first place in each line, by the simplest means.
  Offsets expected(std::string_view words) const {
    const std::string text = lower_case(output_), word = lower_case(words);
    Offsets offsets;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      offsets.push_back(at);
      at = text.find('\n', at);
      if (at == std::string::npos) break;
    }
    return offsets;
  }
  void fill(std::size_t size, std::size_t longest_line) {
    std::mt19937 random(static_cast<unsigned>(size));
    while (output_.size() < size) {
      for (std::size_t left = random() % longest_line; left > 0; --left) output_ += "abAB xyz"[random() % 8];
      output_ += '\n';
    }
  }

  std::string output_;
  std::optional<std::size_t> told_size_;  // if not that of the output
};

TEST_F(WordScanTest, EachLineIsFoundOnceInBothDirections) {
  for (const std::size_t size : {0, 300, 262'144, 1'000'000}) {
    output_.clear();
    fill(size, size > 300'000 ? 3'000 : 80);
    for (const std::string words : {"aba", "b", "AB ab", "x"}) {
      const Offsets lines = expected(words);
      EXPECT_EQ(all({words, 0, 0, false, 7}), lines) << words << " in " << size;
      Offsets back = all({words, ~std::uint64_t{0}, 0, true, 7});
      std::ranges::reverse(back);
      EXPECT_EQ(back, lines) << words << " in " << size << ", backwards";
      EXPECT_EQ(find({words, 0, 0, false, 0}).count, lines.size()) << "counted";
    }
  }
}

TEST_F(WordScanTest, ASearchBeginsWhereItIsTold) {
  output_ = "one two\ntwo\nthree two\n";
  EXPECT_EQ(all({"two", 5, 0, false, 9}), (Offsets{8, 18}));
  EXPECT_EQ(all({"two", 8, 0, true, 9}), (Offsets{4}));
  EXPECT_EQ(all({"two", 0, 9, false, 9}), (Offsets{4})) << "words must be within the bytes of then";
}

TEST_F(WordScanTest, TheNextSearchBeginsBehindTheLine) {
  output_ = "two two\ntwo\n";
  const WordsFound found = find({"two", 0, 0, false, 1});
  ASSERT_EQ(found.lines.size(), 1u);
  EXPECT_EQ(found.lines[0].end, 7u);
  EXPECT_EQ(found.reached, 7u);
  EXPECT_FALSE(found.over);
}

TEST_F(WordScanTest, OnlyLettersOfASCIIHaveTwoCases) {
  output_ = "ÄRGER\närger\nÄrGeR [x]*\n";
  EXPECT_THAT(all({"Ärger", 0, 0, false, 9}), ElementsAre(0, 14));
  EXPECT_THAT(all({"[x]*", 0, 0, false, 9}), ElementsAre(21)) << "words are no expression";
}

TEST_F(WordScanTest, BytesThatAreNoTextAreFound) {
  output_ = std::string("a\0b\xff\x1b[31mword\n", 14);
  EXPECT_THAT(all({"word", 0, 0, false, 9}), ElementsAre(9));
  EXPECT_THAT(all({std::string("\0b\xff", 3), 0, 0, false, 9}), ElementsAre(1));
}

TEST_F(WordScanTest, ALineWithoutEndIsSearchedInParts) {
  output_ = std::string(700'000, '.');
  output_.replace(262'142, 6, "needle");  // across two pieces
  output_.replace(690'000, 6, "NEEDLE");
  EXPECT_EQ(all({"needle", 0, 0, false, 9}), (Offsets{262'142, 690'000}));
  EXPECT_EQ(all({"needle", ~std::uint64_t{0}, 0, true, 9}), (Offsets{690'000, 262'142}));
}

TEST_F(WordScanTest, ALineIsQuotedAroundItsWords) {
  output_ = "before\n" + std::string(500, 'a') + "ß needle ß" + std::string(500, 'b') + "\nbehind";
  const WordsFound found = find({"needle", 0, 0, false, 1});
  ASSERT_EQ(found.lines.size(), 1u);
  const WordLine& line = found.lines[0];
  EXPECT_EQ(line.text.substr(line.offset - line.text_from, 6), "needle");
  EXPECT_LT(line.text.size(), 500u);
  EXPECT_EQ(line.text.find('\n'), std::string::npos);
  output_ = "x€" + std::string(118, 'a') + "needle";
  const WordsFound cut = find({"needle", 0, 0, false, 1});
  EXPECT_EQ(cut.lines.at(0).text.front(), 'a') << "no half of a character";
}

TEST_F(WordScanTest, AFileThatBecameShorterEndsTheSearch) {
  fill(300'000, 80);
  told_size_ = 5'000'000;
  EXPECT_EQ(all({"aba", 0, 0, false, 9}), expected("aba"));
  Offsets back = all({"aba", ~std::uint64_t{0}, 0, true, 9});
  std::ranges::reverse(back);
  EXPECT_EQ(back, expected("aba"));
}

TEST_F(WordScanTest, WordsThatAreWrittenInTwoPartsAreFound) {
  output_ = "one\ntwo nee";
  const WordsFound first = find({"needle", 0, 0, false, 9});
  EXPECT_TRUE(first.over);
  EXPECT_THAT(first.lines, IsEmpty());
  output_ += "dle";
  EXPECT_EQ(all({"needle", first.reached, 0, false, 9}), (Offsets{8}));
}

TEST_F(WordScanTest, AnExpressionIsFoundAsItsWordsAre) {
  for (const std::size_t size : {0, 300, 262'144, 1'000'000}) {
    output_.clear();
    fill(size, 80);
    const Offsets lines = expected("ab a");
    EXPECT_EQ(all({"A[b] a", 0, 0, false, 7, true}), lines) << size;
    Offsets back = all({"a[b] A", ~std::uint64_t{0}, 0, true, 7, true});
    std::ranges::reverse(back);
    EXPECT_EQ(back, lines) << size << ", backwards";
  }
}

TEST_F(WordScanTest, AnExpressionDoesNotCrossLines) {
  output_ = "one\n\ntwo\none two";
  EXPECT_THAT(all({"one\\s+two", 0, 0, false, 9, true}), ElementsAre(9));
  EXPECT_THAT(all({"^$", 0, 0, false, 9, true}), ElementsAre(4)) << "an empty line";
  EXPECT_THAT(all({"x*", 0, 0, false, 9, true}), ElementsAre(0, 4, 5, 9)) << "each line once";
  EXPECT_THAT(all({"x*", 0, 0, false, 1, true}), ElementsAre(0, 4, 5, 9)) << "in several searches";
  const auto scan = WordScan::of("(a", true);
  ASSERT_FALSE(scan);
  EXPECT_EQ(scan.error().code, "bad_pattern");
}

// An expression of which it is not known what its lines need is matched in all lines.
TEST_F(WordScanTest, LinesThatLackWhatAnExpressionNeedsWouldNotMatch) {
  fill(400'000, 90);
  output_ += std::string(50'000, 'b') + "aba xyz\n";
  for (const std::string expression : {"aba", "ab.*xyz", "(aba|zzx) ", "^xyz", "xyz$", "a+b+xz|yyy",
                                       "(?-i:ABA)", "aab.*ba .*abb", "a{4} "}) {
    const std::string unknown = "(?:" + expression + ")|\\x{1}{9}";
    for (const std::uint64_t from : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      const Offsets lines = all({expression, from, 0, from != 0, 7, true});
      EXPECT_EQ(lines, all({unknown, from, 0, from != 0, 7, true})) << expression << " from " << from;
      EXPECT_FALSE(lines.empty()) << expression;
    }
  }
}

TEST_F(WordScanTest, AnExpressionHasTheLettersOfRE2) {
  output_ = "Tasks\nta\u017fks\nTAS\u212aS\nother\n\u0130x long\n";
  EXPECT_THAT(all({"tasks?", 0, 0, false, 9, true}), ElementsAre(0, 6, 13));
  EXPECT_THAT(all({"\\x{130}x long", 0, 0, false, 9, true}), ElementsAre(27));
  EXPECT_THAT(all({"\u0130x long", 0, 0, false, 9, true}), ElementsAre(27));
}

TEST_F(WordScanTest, ASearchIsMadeOnceForManyOutputs) {
  auto scan = WordScan::of("needle", true);
  ASSERT_TRUE(scan);
  EXPECT_TRUE(scan->is_for("needle", true));
  EXPECT_FALSE(scan->is_for("needle", false));
  EXPECT_FALSE(scan->is_for("needles", true));
  for (const std::string output : {"a needle", "none", "needle\nneedle\n"}) {
    const auto read = [&output](std::uint64_t offset, std::span<char> into) -> Result<std::size_t> {
      return output.copy(into.data(), into.size(), static_cast<std::size_t>(offset));
    };
    const auto found = scan->find(read, {"needle", 0, 0, false, 9, true}, output.size(), [] { return true; });
    ASSERT_TRUE(found);
    EXPECT_EQ(found->lines.size(), output == "none" ? 0u : output.size() / 7);
  }
}

/// The first place in each line that RE2 finds, by one line at a time.
Offsets matched_by_line(const std::string& expression, std::string_view output) {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_never_nl(true);
  const re2::RE2 alone("(?m)" + expression, options);
  Offsets offsets;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const re2::StringPiece line(output.data() + begin, end - begin);
    re2::StringPiece match;
    if (alone.Match(line, 0, line.size(), re2::RE2::UNANCHORED, &match, 1))
      offsets.push_back(static_cast<std::uint64_t>(match.data() - output.data()));
    begin = end + 1;
  }
  return offsets;
}

TEST_F(WordScanTest, AnExpressionFindsWhatRE2FindsLineByLine) {
  const std::string parts[] = {"disk",     "quota", "DISK ", "Quota",  " ",      ".",    "vol-", "17",
                               "\xc3\xa4", "\xff",  "\r",    "\u017f", "\u212a", "\x1b", "part", "xx"};
  const std::string expressions[] = {"quota",
                                     "disk.*quota",
                                     "di[s-z]k",
                                     "^quota",
                                     "quota$",
                                     "quota\\r$",
                                     "vol-[0-9]+",
                                     "part|quota",
                                     "(disk|vol-)17",
                                     "di\\x{17f}k",
                                     "[^a-z]part.?",
                                     "\\bdisk\\b",
                                     "(?-i:DISK)",
                                     "ä",
                                     "xx+ *vol-",
                                     "quota{2}|part$",
                                     "\\pL{5}",
                                     "\\d\\d",
                                     "^$",
                                     ".",
                                     "volx?-",
                                     "(q)(u)(o)(t)(a).",
                                     "part\\n?17",
                                     "\\x00disk",
                                     "^.*vol-",
                                     "partxx|partvol"};
  std::mt19937 random(11);
  for (int turn = 0; turn < 10; ++turn) {
    output_.clear();
    while (output_.size() < (turn < 8 ? 3'000U : 120'000U)) {
      for (std::size_t left = random() % 12; left > 0; --left) output_ += parts[random() % std::size(parts)];
      if (random() % 5 == 0) output_ += '\0';
      output_ += random() % 3 == 0 ? "\r\n" : "\n";
    }
    if (turn % 2 == 0) output_.pop_back();
    for (const std::string& expression : expressions) {
      const Offsets lines = matched_by_line(expression, output_);
      EXPECT_EQ(all({expression, 0, 0, false, 1'000'000, true}), lines) << expression << " in " << turn;
      EXPECT_EQ(find({expression, 0, 0, false, 0, true}).count, lines.size()) << expression << ", counted";
      const auto some = find({expression, 0, 0, false, 3, true}).lines;
      for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i].offset, lines.at(i)) << expression;
      if (turn >= 8) continue;  // in pieces, ^ and $ are also where these begin and end
      Offsets back = all({expression, ~std::uint64_t{0}, 0, true, 1'000'000, true});
      std::ranges::reverse(back);
      EXPECT_EQ(back, lines) << expression << " in " << turn << ", backwards";
    }
  }
}

TEST_F(WordScanTest, ALineIsQuotedTheSameWhereverPiecesEnd) {
  fill(300'000, 300);
  for (const bool expression : {false, true}) {
    const auto lines = find({expression ? "ab[x]" : "abx", 0, 0, false, 100'000, expression}).lines;
    ASSERT_GT(lines.size(), 100U);
    for (const WordLine& line : lines) {
      const std::size_t from = output_.rfind('\n', line.offset - 1) + 1;
      EXPECT_EQ(line.text_from, std::max(from, static_cast<std::size_t>(line.offset) - 120));
      EXPECT_EQ(line.text, output_.substr(line.text_from, line.text.size()));
      EXPECT_EQ(
          line.text_from + line.text.size(),
          std::min<std::size_t>(line.offset + (expression ? 1 : 3) + 240, output_.find('\n', line.offset)));
    }
  }
}

/// Nothing of the size of a line is kept, whether it has what is looked for or not.
TEST(WordScan, ALineOfAGigabyteNeedsLittleMemory) {
  constexpr std::uint64_t kSize = 1 << 30, kPlace = 900'000'000;
  constexpr std::string_view kNeedle = "needle7";
  std::size_t most = 0;
  const auto read = [&](std::uint64_t offset, std::span<char> into) -> Result<std::size_t> {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), kSize - offset));
    most = std::max(most, size);
    std::memset(into.data(), '.', size);
    for (std::size_t i = 0; i < kNeedle.size(); ++i) {
      const std::uint64_t at = kPlace + i;
      if (at >= offset && at < offset + size) into[static_cast<std::size_t>(at - offset)] = kNeedle[i];
    }
    return size;
  };
  for (const bool expression : {false, true}) {
    const std::string words = expression ? "needle[0-9]" : "Needle7";
    auto scan = WordScan::of(words, expression);
    ASSERT_TRUE(scan);
    const auto found = scan->find(read, {words, 0, 0, false, 9, expression}, kSize, [] { return true; });
    ASSERT_TRUE(found);
    ASSERT_EQ(found->lines.size(), 1U);
    EXPECT_EQ(found->lines[0].offset, kPlace);
    EXPECT_LT(found->lines[0].text.size(), 500U);
    EXPECT_LE(most, 257U << 10);
  }
}

/// RE2 may need minutes for a program of 160,000 instructions and 256 KiB.
TEST_F(WordScanTest, AnExpressionOfAStrangerTakesNoMinutes) {
  EXPECT_TRUE(WordScan::of(".{1000}z", true));
  const auto slow = WordScan::of(".{1000}.{1000}.{1000}z", true);
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, "bad_pattern");
  output_ = std::string(1'000'000, 'a');
  std::size_t asked = 0;
  find({"b", 0, 0, false, 9, true}, [&asked] { return ++asked > 0; });
  EXPECT_GT(asked, 50u) << "the time is looked at every 16 KiB";
  asked = 0;
  find({"b", ~std::uint64_t{0}, 0, true, 9, true}, [&asked] { return ++asked > 0; });
  EXPECT_GT(asked, 50u) << "backwards";
}

TEST_F(WordScanTest, WordsOfSeveralLinesOrNoneAreRefused) {
  for (const std::string& words : {std::string(), std::string("a\nb"), std::string(257, 'a')}) {
    const auto scan = WordScan::of(words);
    ASSERT_FALSE(scan);
    EXPECT_EQ(scan.error().code, "bad_words");
  }
  EXPECT_TRUE(WordScan::of(std::string(256, 'a')));
}

}  // namespace
}  // namespace luzia
