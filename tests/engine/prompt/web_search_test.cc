// When a web search would help, and with which words.
#include "engine/prompt/web_search.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

WebSearchFacts facts_of(std::string task, std::vector<std::string> errors = {},
                        std::vector<std::string> knowledge = {}, std::size_t solutions = 0) {
  return {std::move(task), std::move(errors), std::move(knowledge), solutions};
}

TEST(WebSearch, OrdinaryTaskNeedsNone) {
  for (const char* task : {"", "add a button to the form", "fix the test in parser_test.py", "run make"}) {
    const auto advice = web_search_advice(facts_of(task));
    EXPECT_FALSE(advice.helps) << task;
    EXPECT_EQ(advice.query, "") << task;
  }
}

TEST(WebSearch, NewVersionsAreSearchedWithTheirTechnology) {
  const auto advice =
      web_search_advice(facts_of("Please upgrade Django 5.1 to the latest release", {}, {"python"}));
  EXPECT_TRUE(advice.helps);
  EXPECT_THAT(advice.stack, ElementsAre("django", "python"));
  EXPECT_EQ(advice.query, "upgrade django 5.1 latest release python");
  EXPECT_EQ(web_search_advice({"How to set up webpack", {}, {}, 0}).query, "set up webpack");
  EXPECT_EQ(advice.reasons.size(), 3U);
  EXPECT_TRUE(web_search_advice(facts_of("is CVE-2021-44228 in here?")).helps);
}

TEST(WebSearch, ErrorIsSearchedWithoutLocalDetails) {
  const std::string error =
      "Error: /home/ana/web/src/a.py:12 psycopg2.OperationalError: connection refused at 0x7ffe12 port 5432";
  const auto advice = web_search_advice(facts_of("fix it", {error}, {"postgres"}));
  EXPECT_TRUE(advice.helps);
  EXPECT_EQ(advice.query, "psycopg2.operationalerror connection refused port postgres");
  EXPECT_FALSE(web_search_advice(facts_of("fix it", {error}, {}, 2)).helps);
}

TEST(WebSearch, UrlHasTheEncodedQuery) {
  EXPECT_EQ(web_search_url("https://s.example/?q={query}&l=en", "c++ \xc3\xa4 & x"),
            "https://s.example/?q=c%2B%2B%20%C3%A4%20%26%20x&l=en");
  EXPECT_EQ(web_search_url("", "x"), "");
  EXPECT_EQ(web_search_url("https://s.example/", "x"), "https://s.example/");
}

TEST(WebSearch, HugeAndHostileTextsAreBounded) {
  const auto advice =
      web_search_advice(facts_of(std::string(1 << 20, '\xff') + " latest", {std::string(1 << 20, '/')}));
  EXPECT_LT(advice.query.size(), 100'000U);
}

}  // namespace
}  // namespace luzia
