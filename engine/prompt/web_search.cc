#include "engine/prompt/web_search.h"

#include <algorithm>
#include <array>

#include "engine/base/batch_place.h"
#include "engine/base/characters.h"
#include "engine/base/joined_names.h"
#include "engine/base/lower_case.h"
#include "engine/base/percent_encoding.h"
#include "engine/prompt/search_words.h"
#include "engine/prompt/task_questions.h"

namespace luzia {
namespace {

constexpr std::size_t kMostStack = 5, kMostWords = 12, kLongestWord = 64, kLooked = 16 * 1024;

constexpr std::array<std::string_view, 14> kNewWords = {"latest",
                                                        "newest",
                                                        "upgrade",
                                                        "upgrading",
                                                        "deprecated",
                                                        "deprecation",
                                                        "changelog of",
                                                        "migration guide",
                                                        "release notes",
                                                        "breaking change",
                                                        "end of life",
                                                        "documentation of",
                                                        "official documentation",
                                                        "best practice"};

constexpr std::array<std::string_view, 40> kSmallWords = {
    "the",  "and",  "for",   "with",  "that",  "this",   "from", "into", "must", "should",
    "when", "then", "there", "where", "which", "please", "make", "sure", "use",  "our",
    "all",  "are",  "was",   "has",   "have",  "not",    "but",  "its",  "can",  "will",
    "you",  "your", "them",  "they",  "some",  "what",   "how",  "file", "line", "error"};

bool has_digit(std::string_view word) {
  return std::ranges::any_of(word, is_digit);
}

/// The words of an error without what is specific to this machine: paths, hexadecimal numbers, plain numbers.
std::vector<std::string> words_of_error(std::string_view line) {
  std::string kept;
  std::string token;
  const auto close = [&] {
    const bool path = token.find('/') != std::string::npos || token.find('\\') != std::string::npos;
    const bool address = token.starts_with("0x");
    const bool number = !token.empty() && token.find_first_not_of("0123456789:.,()[]") == std::string::npos;
    if (!path && !address && !number) kept.append(token).push_back(' ');
    token.clear();
  };
  for (const char c : line.substr(0, kLooked)) {
    if (c == ' ' || c == '\t' || c == '\n') {
      close();
    } else {
      token.push_back(c);
    }
  }
  close();
  return search_words(kept);
}

void add_once(std::vector<std::string>& list, const std::string& word) {
  if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

std::vector<std::string> stack_of(const WebSearchFacts& facts) {
  std::vector<std::string> stack;
  const auto look = [&](const std::string& text) {
    for (const std::string& word : search_words(text)) {
      if (is_technology(word)) add_once(stack, word);
    }
  };
  look(facts.task);
  for (const std::string& error : facts.errors) look(error);
  for (const std::string& known : facts.knowledge) {
    for (const std::string& word : search_words(known)) {
      // A version without a technology says nothing.
      if (word.find_first_not_of("0123456789.") != std::string::npos) add_once(stack, word);
    }
  }
  if (stack.size() > kMostStack) stack.resize(kMostStack);
  return stack;
}

void look_for_news(const WebSearchFacts& facts, WebSearchAdvice& advice) {
  const std::string task = lower_case(std::string_view(facts.task).substr(0, kLooked));
  const auto words = search_words(facts.task);
  // Without a technology it is about the project: "Print the latest order first".
  const bool is_outside =
      std::ranges::any_of(words, [](const std::string& word) { return is_technology(word); });
  for (const std::string_view word : kNewWords) {
    if (is_outside && task.find(word) != std::string::npos)
      advice.reasons.push_back("the task asks for what may be newer than what is known (" +
                               std::string(word) + ")");
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("cve-") && has_digit(words[i]))
      advice.reasons.push_back("the task names a known vulnerability (" + words[i] + ")");
    if (is_technology(words[i]) && i + 1 < words.size() && has_digit(words[i + 1]) &&
        words[i + 1].find_first_not_of("0123456789.v") == std::string::npos) {
      advice.reasons.push_back("the task is about one version (" + words[i] + " " + words[i + 1] + ")");
    }
  }
}

std::string query_of(const WebSearchFacts& facts, const std::vector<std::string>& stack) {
  const auto said = facts.errors.empty() ? search_words(facts.task) : words_of_error(facts.errors.front());
  std::vector<std::string> words;
  for (const std::string& word : said) {
    const bool small = word.size() < 3 && !has_digit(word) && word != "up";  // "set up"
    if (small || word.size() > kLongestWord || std::ranges::find(kSmallWords, word) != kSmallWords.end())
      continue;
    add_once(words, word);
  }
  const std::size_t room = kMostWords - std::min(kMostWords, stack.size());
  if (words.size() > room) words.resize(room);
  for (const std::string& word : stack) add_once(words, word);
  return joined_names(words, " ");
}

}  // namespace

WebSearchAdvice web_search_advice(const WebSearchFacts& facts) {
  WebSearchAdvice advice;
  advice.stack = stack_of(facts);
  look_for_news(facts, advice);
  for (std::string& reason : task_questions(facts.task, facts.solutions == 0))
    advice.reasons.push_back(std::move(reason));
  if (!facts.errors.empty() && facts.solutions == 0) {
    advice.reasons.emplace_back("something failed, and no solution is known here");
  }
  if (advice.reasons.empty()) return advice;
  advice.query = query_of(facts, advice.stack);
  advice.helps = !advice.query.empty();
  return advice;
}

std::string web_search_url(std::string_view url_template, std::string_view query) {
  return replaced(std::string(url_template), "{query}", percent_encoded(query));
}

}  // namespace luzia
