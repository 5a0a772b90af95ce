// Places of a text in a long one, by the simplest means and by the fast one.
#include "tools/luziad/queries/literal_scan.h"

#include <random>

#include "engine/base/lower_case.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

using LiteralPlaces = std::vector<std::size_t>;

LiteralPlaces places_found(LiteralScan& scan, std::string_view text) {
  LiteralPlaces places;
  for (std::size_t at = 0; (at = scan.find(text, at)) != std::string_view::npos; ++at) places.push_back(at);
  return places;
}

LiteralPlaces places_expected(std::string_view literal, std::string_view text) {
  const std::string low = lower_case(text), word = lower_case(literal);
  LiteralPlaces places;
  for (std::size_t at = 0; (at = low.find(word, at)) != std::string::npos; ++at) places.push_back(at);
  return places;
}

TEST(LiteralScan, FindsEveryPlaceOfAnyBytes) {
  std::mt19937 random(7);
  const std::string letters[] = {"abAB\n", std::string("a\0b\x80K\xff k", 8), "ab", "[{@`zZ"};
  for (int turn = 0; turn < 4'000; ++turn) {
    const std::string& some = letters[random() % std::size(letters)];
    std::string text(random() % 900, ' '), literal(1 + random() % 6, ' ');
    for (char& each : text) each = some[random() % some.size()];
    for (char& each : literal) each = some[random() % some.size()];
    LiteralScan scan(literal);
    ASSERT_EQ(places_found(scan, text), places_expected(literal, text))
        << turn << ": '" << literal << "' in '" << text << "'";
  }
}

TEST(LiteralScan, FindsWhatEndsWithTheText) {
  for (const std::size_t size : {1, 15, 16, 17, 255, 256, 257, 511, 512, 600}) {
    for (const std::string literal : {"x", "xy", "needle in hay"}) {
      const std::string text = std::string(size, '.') + literal;
      LiteralScan scan(literal);
      EXPECT_THAT(places_found(scan, text), ElementsAre(size)) << literal;
      EXPECT_THAT(places_found(scan, text.substr(0, text.size() - 1)), IsEmpty()) << literal;
      EXPECT_EQ(scan.find(text, text.size()), std::string_view::npos);
    }
  }
}

/// What was rare at first is everywhere later, and most places turn out to be others.
TEST(LiteralScan, FindsTheSameWhenOtherBytesBecomeRare) {
  std::string text = std::string(10'000, 'a');
  for (int i = 0; i < 20'000; ++i) text += i % 100 == 0 ? "xazQ" : "xabQ";
  LiteralScan scan("xazq");
  EXPECT_EQ(places_found(scan, text), places_expected("xazq", text));
  EXPECT_EQ(places_found(scan, text).size(), 200U) << "again, with what it has learned";
}

}  // namespace
}  // namespace luzia
