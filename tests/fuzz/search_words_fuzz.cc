// For FTS5 any typed text is a list of words, never query syntax.
#include "adapters/search/search_index.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view words) {
  static const auto index = [] {
    auto made = SearchIndex::open({});
    require(made.has_value(), "an index in memory can be made");
    require(made->change({{"1", "k", 1, "disk full", "t", "remove images"}}, {}).has_value(),
            "it takes documents");
    return std::move(*made);
  }();
  const auto hits = index.find("k", words, 5);
  if (hits) return;
  require(hits.error().code == "no_words", "only where there is no word it is refused");
  require(search_expression(words).empty(), "then there is none");
}
