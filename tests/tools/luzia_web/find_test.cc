// What a search of an output may ask for, and how its lines are shown.
#include "tools/luzia-web/find.h"

#include <gmock/gmock.h>

#include "tools/read/found_line.h"

namespace luzia::web {
namespace {

Result<FindQuery> query_of(std::vector<std::pair<std::string, std::string>> query) {
  Request request;
  request.query = std::move(query);
  return find_query_of(request);
}

std::string error_of(std::vector<std::pair<std::string, std::string>> query) {
  const auto asked = query_of(std::move(query));
  return asked ? "none" : asked.error().code;
}

TEST(FindQuery, BeginsAtTheNearEnd) {
  const auto next = query_of({{"words", "a b"}});
  ASSERT_TRUE(next);
  EXPECT_EQ(next->words, "a b");
  EXPECT_EQ(next->from, 0u);
  EXPECT_FALSE(next->backward);
  EXPECT_EQ(next->limit, 50u);
  const auto previous =
      query_of({{"words", "a"}, {"direction", "previous"}, {"limit", "0"}, {"attempt", "2"}});
  ASSERT_TRUE(previous);
  EXPECT_EQ(previous->from, ~std::uint64_t{0});
  EXPECT_TRUE(previous->backward);
  EXPECT_EQ(previous->limit, 0u);
  EXPECT_EQ(previous->attempt, 2u);
}

TEST(FindQuery, MistakesAreRefused) {
  EXPECT_EQ(error_of({}), "bad_words");
  EXPECT_EQ(error_of({{"words", ""}}), "bad_words");
  EXPECT_EQ(error_of({{"words", "a\nb"}}), "bad_words");
  EXPECT_EQ(error_of({{"words", std::string(257, 'a')}}), "bad_words");
  EXPECT_EQ(error_of({{"words", std::string(256, 'a')}}), "none");
  EXPECT_EQ(error_of({{"words", "a"}, {"from", "-1"}}), "bad_value");
  EXPECT_EQ(error_of({{"words", "a"}, {"from", "99999999999999999999"}}), "bad_value");
  EXPECT_EQ(error_of({{"words", "a"}, {"limit", "1001"}}), "bad_value");
  EXPECT_EQ(error_of({{"words", "a"}, {"attempt", "4294967296"}}), "bad_value");
  EXPECT_EQ(error_of({{"words", "a"}, {"direction", "up"}}), "bad_value");
}

TEST(FoundLine, IsCutAroundTheWords) {
  wire::FoundLineT line;
  line.offset = 108;
  line.end = 120;
  line.text_from = 100;
  const std::string text = "\x1b[31man A\xff\x1b[0m";
  line.text.assign(text.begin(), text.end());
  EXPECT_EQ(found_line_json(line, 1), R"({"offset":108,"end":120,"before":"an ","words":"A","after":")"
                                      "\uFFFD\"}");
  line.text.clear();
  EXPECT_EQ(found_line_json(line, 1), R"({"offset":108,"end":120,"before":"","words":"","after":""})")
      << "the output was cut off meanwhile";
}

}  // namespace
}  // namespace luzia::web
