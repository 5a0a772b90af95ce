// Known values are overwritten wherever they occur, as they are or encoded, and nothing else is.
#include "engine/base/redactor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "engine/base/base64url.h"

namespace luzia {
namespace {

std::string black_out(const std::vector<SecretValue>& values, std::string text) {
  return Redactor(values).blacked_out(std::move(text));
}

/// Marks each byte of each occurrence, one after another.
std::string naively(const std::vector<std::string>& values, const std::string& text) {
  std::string marked = text;
  for (const std::string& value : values) {
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + 1)) {
      for (std::size_t i = at; i < at + value.size(); ++i) marked[i] = text[i] == '\n' ? '\n' : '*';
    }
  }
  return marked;
}

TEST(Redactor, LabelNamesTheSecretAndKeepsTheSize) {
  EXPECT_EQ(black_out({{"TOKEN", "ghp_0123456789abcdef"}}, "use ghp_0123456789abcdef now"),
            "use [secret TOKEN]****** now");
  EXPECT_EQ(black_out({{"PIN", "123456"}}, "123456, 12345 6"), "******, 12345 6");
}

TEST(Redactor, ShortValuesAreNotLookedFor) {
  EXPECT_EQ(black_out({{"A", "hello"}}, "hello"), "hello");
  EXPECT_EQ(black_out({}, "hello"), "hello");
  EXPECT_EQ(black_out({{"A", ""}}, "hello"), "hello");
}

TEST(Redactor, EncodedValuesAreFound) {
  const std::string value = "p\"w?\xc3\xa4/~9+z";
  const std::vector<SecretValue> secret = {{"P", value}};
  for (const char* before : {"", "a", "ab", "abc", "user:"}) {
    const std::string encoded = base64url(before + value + " and more");
    const std::string seen = black_out(secret, encoded);
    EXPECT_NE(seen.find("[secret P]****"), std::string::npos) << before << ": " << seen;
  }
  EXPECT_EQ(black_out(secret, "p%22w%3F%C3%A4%2F~9%2Bz").find("%3F"), std::string::npos);
  EXPECT_EQ(black_out(secret, "p%22w%3f%c3%a4%2f~9%2bz").find("%3f"), std::string::npos);
  EXPECT_EQ(black_out(secret, R"({"a":"p\"w?)"
                              "\xc3\xa4"
                              R"(/~9+z"})"),
            R"({"a":"[secret P]**"})");
}

TEST(Redactor, LinesOfAValueAreFoundAloneAndLineEndsStay) {
  const std::vector<SecretValue> key = {{"KEY", "first line\r\nno\nthird line"}};
  EXPECT_EQ(black_out(key, "first line"), "**********");
  EXPECT_EQ(black_out(key, "> third line <"), "> ********** <");
  EXPECT_EQ(black_out(key, "no"), "no");
  const std::string whole = black_out(key, "first line\r\nno\nthird line");
  EXPECT_EQ(std::ranges::count(whole, '\n'), 2);
  EXPECT_EQ(whole.find("no"), std::string::npos);
}

TEST(Redactor, BeginningOfAValueCountsWhileTextGoesOn) {
  const Redactor redactor(std::vector<SecretValue>{{"TOKEN", "abcdefgh"}});
  std::string text = "x abcd";
  redactor.black_out(text, true);
  EXPECT_EQ(text, "x ****");
  text = "x abc";
  redactor.black_out(text, true);
  EXPECT_EQ(text, "x abc");
  text = "x abcd";
  redactor.black_out(text, false);
  EXPECT_EQ(text, "x abcd");
}

TEST(Redactor, BlindOneShowsLineEndsOnly) {
  EXPECT_EQ(Redactor::blind().blacked_out("a b\nc\r\n"), "***\n*\r\n");
}

// Few letters, so that values overlap each other and themselves.
TEST(Redactor, FindsExactlyWhatANaiveSearchFinds) {
  std::mt19937 random(7);
  const auto letters = [&random](std::size_t size) {
    std::string text;
    while (text.size() < size) text += "ab\n"[random() % 16 == 0 ? 2 : random() % 2];
    return text;
  };
  for (int round = 0; round < 2'000; ++round) {
    std::vector<SecretValue> values;
    std::vector<std::string> forms;
    for (std::size_t i = random() % 4; i > 0; --i) {
      std::string value = letters(6 + random() % 5);
      std::erase(value, '\n');
      if (value.size() < Redactor::kLeastValue) continue;
      forms.push_back(value);
      values.push_back({"", value});
    }
    const std::string text = letters(random() % 60);
    std::string seen = Redactor(values).blacked_out(text);
    // Labels are not what this is about.
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] != text[i]) seen[i] = '*';
    }
    EXPECT_EQ(seen, naively(forms, text)) << round;
  }
}

// Many letters, so that most of the text is skipped.
TEST(Redactor, NoValueIsPassedByAmongOtherText) {
  std::mt19937 random(13);
  const std::vector<std::string> values = {"secret", "retsec", "0123456789abcdef", "crets of"};
  const std::string name(100, 'N');  // its label fits nowhere
  const Redactor redactor({{name, values[0]}, {name, values[1]}, {name, values[2]}, {name, values[3]}});
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    while (text.size() < 80) {
      const std::string& value = values[random() % values.size()];
      text += random() % 4 == 0 ? value.substr(0, 1 + random() % value.size())
                                : std::string(1, static_cast<char>('!' + random() % 90));
    }
    EXPECT_EQ(redactor.blacked_out(text), naively(values, text)) << round;
  }
}

TEST(Redactor, PiecesWithTheirContextLookLikeTheWhole) {
  std::mt19937 random(11);
  const Redactor redactor({{"LONG_NAME", "abababababab"}, {"B", "bbbbbb"}});
  for (int round = 0; round < 500; ++round) {
    std::string text;
    while (text.size() < 300) text += random() % 9 == 0 ? "abababababab" : random() % 2 == 0 ? "a" : "b";
    const std::string whole = redactor.blacked_out(text);
    const std::size_t from = random() % text.size(), to = from + random() % (text.size() - from);
    const std::size_t begin = from - std::min(from, redactor.context());
    const std::size_t end = std::min(text.size(), to + redactor.context());
    const std::string piece = redactor.blacked_out(text.substr(begin, end - begin));
    EXPECT_EQ(piece.substr(from - begin, to - from), whole.substr(from, to - from)) << round;
  }
}

// A search that begins anew at each byte would take hours.
TEST(Redactor, HostileTextTakesLinearTime) {
  const std::string long_value = std::string(60'000, 'a') + "b";
  const Redactor redactor({{"A", long_value}, {"B", std::string(50'000, 'a')}});
  const auto began = std::chrono::steady_clock::now();
  const std::string seen = redactor.blacked_out(std::string(8 << 20, 'a'));
  EXPECT_EQ(seen.find('a', 64), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

}  // namespace
}  // namespace luzia
