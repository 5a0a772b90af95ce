#include "engine/prompt/task_questions.h"

#include <algorithm>
#include <array>
#include <span>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/prompt/search_words.h"

namespace luzia {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kLookedBytes = 16 * 1024, kLongestRequest = 10;
/// Technologies that are words of plain English, too.
constexpr std::array<std::string_view, 6> kPlainWords = {"go", "express", "spring", "dart", "git", "bash"};
constexpr std::array<std::string_view, 12> kLocalWords = {
    "our", "ours", "this", "here", "we", "my", "repo", "branch", "codebase", "project", "test", "tests"};
constexpr std::array<std::string_view, 14> kPackageManagers = {
    "npm", "yarn",    "pnpm", "pip",      "pip3",  "cargo",  "gem",
    "apt", "apt-get", "brew", "composer", "conda", "poetry", "dnf"};
constexpr std::array<std::string_view, 12> kFailureWords = {"fails",  "fail",   "failed",  "failing",
                                                            "error",  "errors", "throws",  "hangs",
                                                            "cannot", "exits",  "crashes", "stuck"};
constexpr std::array<std::string_view, 5> kSetUpWords = {"configure", "configuring", "setup", "install",
                                                         "installing"};
constexpr std::array<std::string_view, 10> kHowPhrases = {
    "how to ",       "how do i ",    "how do you ",    "how can i ",          "how should i ",
    "how does one ", "how would i ", "how do people ", "what is the way to ", "how can one "};
constexpr std::array<std::string_view, 14> kErrorTexts = {"traceback (most recent call last)",
                                                          "undefined reference to",
                                                          "no module named",
                                                          "cannot find module",
                                                          "segmentation fault (core dumped)",
                                                          "unhandled exception",
                                                          "command not found",
                                                          "permission denied (",
                                                          "stack trace:",
                                                          "panic: ",
                                                          "module not found:",
                                                          "fatal error:",
                                                          "unable to resolve dependency",
                                                          "could not resolve dependency"};
constexpr std::array<std::string_view, 11> kChoicePhrases = {
    "should we use ",       "should i use ",      "should one use ",    "pros and cons of ",
    "trade-offs between ",  "tradeoffs between ", "trade-offs of ",     "architecture question",
    "which design pattern", "system design for ", "architecture for a "};
constexpr std::array<std::string_view, 12> kChosen = {"database", "framework",    "library",  "language",
                                                      "queue",    "broker",       "orm",      "cache",
                                                      "pattern",  "architecture", "protocol", "cloud"};
constexpr std::array<std::string_view, 12> kArchitectures = {
    "monolith", "monolithic", "microservices", "microservice", "serverless",   "graphql",
    "rest",     "grpc",       "sql",           "nosql",        "event-driven", "soap"};

bool is_one_of(std::string_view word, std::span<const std::string_view> list) {
  return std::ranges::find(list, word) != list.end();
}

bool has_one_of(std::string_view text, std::span<const std::string_view> phrases) {
  return std::ranges::any_of(phrases,
                             [&](std::string_view phrase) { return text.find(phrase) != text.npos; });
}

bool is_clear_technology(std::string_view word) {
  return is_technology(word) && !is_one_of(word, kPlainWords);
}

std::string technology_in(const Words& words) {
  const auto found = std::ranges::find_if(words, is_clear_technology);
  return found == words.end() ? std::string() : *found;
}

/// At the beginning of the task, or of one of its sentences.
bool begins_sentence(std::string_view task, std::string_view phrase) {
  for (std::size_t at = task.find(phrase); at != task.npos; at = task.find(phrase, at + 1)) {
    const std::string_view before = task.substr(0, at);
    const std::size_t last = before.find_last_not_of(" \t\n\"'");
    if (last == before.npos || std::string_view(".?!:;").find(before[last]) != std::string_view::npos)
      return true;
  }
  return false;
}

bool asks_how(std::string_view task) {
  return std::ranges::any_of(kHowPhrases,
                             [&](std::string_view phrase) { return begins_sentence(task, phrase); });
}

/// "npm install [up to two words] fails".
bool fails_to_install(const Words& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const bool installs = words[i + 1] == "install" || words[i + 1] == "ci" || words[i + 1] == "add";
    if (!installs || !is_one_of(words[i], kPackageManagers)) continue;
    for (std::size_t next = i + 2; next < std::min(words.size(), i + 5); ++next) {
      if (is_one_of(words[next], kFailureWords)) return true;
    }
  }
  return false;
}

/// The technology that a short request without paths is to set up; empty: it is none.
std::string set_up_in(std::string_view task, const Words& words) {
  std::size_t at = !words.empty() && words[0] == "please" ? 1 : 0;
  if (at + 1 >= words.size() || words.size() > kLongestRequest || task.find('/') != task.npos) return {};
  if (words[at] == "set" && words[at + 1] == "up") {
    at += 2;
  } else if (is_one_of(words[at], kSetUpWords)) {
    ++at;
  } else {
    return {};
  }
  const std::size_t end = std::min(words.size(), at + 3);
  if (at >= end) return {};
  return technology_in(Words(words.begin() + static_cast<std::ptrdiff_t>(at),
                             words.begin() + static_cast<std::ptrdiff_t>(end)));
}

bool is_question(std::string_view task, const Words& words) {
  return task.ends_with('?') || std::ranges::find(words, "question") != words.end();
}

/// "TypeError: text", "java.lang.NullPointerException: text": a name, a colon and something behind it.
bool names_error(std::string_view task) {
  for (const std::string_view kind : {"Error: ", "Exception: "}) {
    for (std::size_t at = task.find(kind); at != task.npos; at = task.find(kind, at + 1)) {
      const bool is_name = at > 0 && ((task[at - 1] >= 'a' && task[at - 1] <= 'z') || task[at - 1] == '_');
      if (is_name && task.find_first_not_of(" \t\n", at + kind.size()) != task.npos) return true;
    }
  }
  return false;
}

/// A compiler's or database's code: TS2345, E0382, ORA-00942.
bool is_error_code(std::string_view word) {
  const std::size_t digits = word.find_first_of("0123456789");
  if (digits == word.npos || word.size() - digits < 4) return false;
  const std::string_view kind = word.substr(0, digits);
  return word.find_first_not_of("0123456789", digits) == word.npos &&
         (kind == "ts" || kind == "e" || kind == "ora-" || kind == "cs" || kind == "lnk" || kind == "c");
}

bool has_error(std::string_view task, std::string_view lower, const Words& words) {
  const auto behind_error = [&](std::size_t i) { return words[i] == "error" && is_error_code(words[i + 1]); };
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (behind_error(i)) return true;
  }
  return has_one_of(lower, kErrorTexts) || names_error(task);
}

/// "x vs y" and "x or y", where one of them is an architecture or, for vs, a technology.
bool compares(const Words& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool versus = words[i] == "vs" || words[i] == "versus";
    if (!versus && words[i] != "or") continue;
    const std::size_t right = words[i + 1] == "a" || words[i + 1] == "an" ? i + 2 : i + 1;
    if (right >= words.size()) continue;
    const auto fits = [&](const std::string& word) {
      return is_one_of(word, kArchitectures) || (versus && is_clear_technology(word));
    };
    if (fits(words[i - 1]) && (fits(words[right]) || versus)) return true;
  }
  return false;
}

bool asks_which(const Words& words) {
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const bool which = words[i] == "which" || words[i] == "what";
    const std::string& verb = words[i + 2];
    if (which && is_one_of(words[i + 1], kChosen) && (verb == "should" || verb == "is" || verb == "fits"))
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> task_questions(std::string_view whole, bool errors) {
  const std::string_view task = whole.substr(0, kLookedBytes);
  const std::string lower = lower_case(task);
  const Words words = search_words(task);
  std::vector<std::string> reasons;
  if (errors && has_error(task, lower, words)) reasons.emplace_back("the task has the text of an error");
  if (fails_to_install(words)) reasons.emplace_back("a package manager fails to install something");
  if (std::ranges::any_of(words, [](const std::string& word) { return is_one_of(word, kLocalWords); })) {
    const bool should = lower.starts_with("should we use ");
    if (should && compares(words)) reasons.emplace_back("the task asks for a choice of architecture");
    return reasons;
  }
  const std::string technology = technology_in(words);
  const bool how = !technology.empty() && asks_how(lower);
  if (how) reasons.push_back("the task asks how to do something with " + technology);
  if (const std::string tool = set_up_in(task, words); !tool.empty())
    reasons.push_back("the task is to set up " + tool);
  const bool choice = has_one_of(lower, kChoicePhrases) || compares(words) || asks_which(words);
  if (choice) reasons.emplace_back("the task asks for a choice of architecture");
  if (!how && !choice && !technology.empty() && is_question(trimmed(lower), words))
    reasons.push_back("the task is a question about " + technology);
  return reasons;
}

}  // namespace luzia
