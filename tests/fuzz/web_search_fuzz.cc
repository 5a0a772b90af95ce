// Suggested web searches: the query has few words, and a URL contains only valid URL characters. Input: the
// URL template in the first line, then the task, then errors, one per line.
#include <algorithm>
#include <sstream>
#include <string>

#include "engine/prompt/web_search.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view input) {
  std::istringstream lines{std::string(input)};
  std::string pattern, line;
  WebSearchFacts facts;
  std::getline(lines, pattern);
  std::getline(lines, facts.task);
  while (std::getline(lines, line)) facts.errors.push_back(line);
  const WebSearchAdvice advice = web_search_advice(facts);
  require(advice.helps == !advice.query.empty(), "where it helps there is something to search for");
  require(!advice.helps || !advice.reasons.empty(), "and a reason");
  require(std::ranges::count(advice.query, ' ') < 12, "a search has at most 12 words");
  require(advice.stack.size() <= 5, "few technologies are named");
  const std::string encoded = web_search_url("{query}", facts.task);
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~%";
  require(encoded.find_first_not_of(kPlain) == std::string::npos, "a query in an address is encoded");
  const std::string address = web_search_url(pattern, facts.task);
  if (pattern.find("{query}") == std::string::npos) {
    require(address == pattern, "without its place nothing is put in");
  } else {
    require(address.find(encoded) != std::string::npos, "it stands in its place");
  }
}
