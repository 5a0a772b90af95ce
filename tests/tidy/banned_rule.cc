#include <array>
#include <span>

#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

struct Ban {
  std::string_view word;  // matched as a whole word; with a trailing "(" only calls match
  std::string_view instead;
};

/// Banned everywhere: there is no good use.
constexpr auto kEverywhere = std::to_array<Ban>({
    {"GTEST_SKIP", "a test that does not run is no test: make its condition, or leave it out"},
    {"using namespace std;", "name what is used"},
    {"std::endl", "'\\n': endl flushes"},
    {"strcpy(", "std::string"},
    {"strcat(", "std::string"},
    {"sprintf(", "fmt::format or snprintf"},
    {"vsprintf(", "vsnprintf"},
    {"gets(", "read"},
    {"strtok(", "std::string_view::find"},
    {"tmpnam(", "mkstemp or mkdtemp"},
    {"mktemp(", "mkstemp or mkdtemp"},
    {"rand(", "hash(command id) for jitter, randombytes_buf at intake"},
    {"CLOCK_BOOTTIME", "CLOCK_MONOTONIC: what the machine slept is no work, and no limit runs meanwhile"},
    {"localtime(", "localtime_r: localtime shares one buffer between threads"},
    {"gmtime(", "gmtime_r: gmtime shares one buffer between threads"},
});

/// Banned in code that must give the same result on every replay: time, ids and configuration are in the
/// command.
constexpr auto kInPureCode = std::to_array<Ban>({
    {"system_clock", "take the time from the command or event"},
    {"steady_clock", "take the time from the command or event"},
    {"high_resolution_clock", "take the time from the command or event"},
    {"time(", "take the time from the command or event"},
    {"gettimeofday", "take the time from the command or event"},
    {"clock_gettime", "take the time from the command or event"},
    {"clock(", "take the time from the command or event"},
    {"wall_now", "take the time from the command or event"},
    {"random_device", "hash(command id)"},
    {"mt19937", "hash(command id)"},
    {"randombytes_buf", "hash(command id)"},
    {"randombytes_random", "hash(command id)"},
    {"random(", "hash(command id)"},
    {"getrandom(", "hash(command id)"},
    {"getenv", "values of the environment are in the command"},
    {"getpid", "facts of the process are in the command"},
    {"getuid", "the caller is in the command"},
    {"spdlog", "return what is worth telling"},
    {"std::cout", "return what is worth telling"},
    {"std::cerr", "return what is worth telling"},
    {"std::clog", "return what is worth telling"},
    {"printf(", "return what is worth telling"},
    {"fprintf(", "return what is worth telling"},
    {"puts(", "return what is worth telling"},
    {"ifstream", "no input or output here: let the caller read"},
    {"ofstream", "no input or output here: return an effect"},
    {"fopen", "no input or output here: return an effect"},
    {"::open(", "no input or output here: return an effect"},
    {"sleep_for", "deadlines are state"},
    {"thread_local", "state is a parameter"},
});

/// Banned in tests. Tests wait for conditions (their fixtures poll with a deadline); a fixed pause is too
/// short on a busy machine, or wasted.
constexpr auto kInTests = std::to_array<Ban>({
    {"sleep_for", "wait for the condition with a generous deadline"},
    {"sleep_until", "wait for the condition with a generous deadline"},
    {"sleep(", "wait for the condition with a generous deadline"},
    {"usleep(", "wait for the condition with a generous deadline"},
    {"nanosleep(", "wait for the condition with a generous deadline"},
});

/// Banned in the product: too slow, or open to injection by user input. Tests and benchmarks, which write
/// their own commands, may use it.
constexpr auto kInProduct = std::to_array<Ban>({
    {"std::regex", "RE2"},
    {"atoi(", "std::from_chars: atoi has no errors"},
    {"atol(", "std::from_chars: atol has no errors"},
    {"system(", "luzia-run, or posix_spawn with an argument vector"},
    {"popen(", "posix_spawn with an argument vector"},
    {"fmt::print(", "fputs or fwrite: fmt::print throws where a stream takes no more"},
});

/// Code that folds and decides: no clock, randomness, environment, input or output.
constexpr auto kPureFolders = std::to_array<std::string_view>({
    "engine/alert",
    "engine/event",
    "engine/flow",
    "engine/hook",
    "engine/job",
    "engine/learning",
    "engine/prompt",
    "engine/queue",
    "engine/schedule",
    "projections",
});

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Members and names in other scopes are not the banned function: `file.open(`, `Log::open(`.
bool is_qualified(const std::string& code, std::size_t at) {
  if (at >= 1 && code[at - 1] == '.') return true;
  if (at >= 2 && code.compare(at - 2, 2, "->") == 0) return true;
  if (at < 2 || code.compare(at - 2, 2, "::") != 0) return false;
  const bool of_std = at >= 5 && code.compare(at - 5, 5, "std::") == 0;
  return !of_std && at >= 3 && is_word(code[at - 3]);
}

/// A type before the name makes it a declaration (`std::size_t time(`); `return time(` is a call.
bool is_declared(const std::string& code, std::size_t at) {
  std::size_t end = code.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
  if (at == 0 || end == std::string::npos || end + 1 == at) return false;
  if (!is_word(code[end]) && code[end] != '>' && code[end] != '&' && code[end] != '*') return false;
  if (code[end] == '>' || code[end] == '&' || code[end] == '*') {
    return code.compare(end == 0 ? 0 : end - 1, 2, "&&") != 0;
  }
  std::size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  const std::string_view before = std::string_view(code).substr(begin, end + 1 - begin);
  return before != "return" && before != "case" && before != "throw" && before != "co_return" &&
         before != "else";
}

bool uses(const std::string& code, std::string_view word) {
  const bool call = word.ends_with('(');
  for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) {
    if (at > 0 && is_word(code[at - 1])) continue;
    const std::size_t end = at + word.size();
    if (!call && end < code.size() && is_word(code[end])) continue;
    if (call && (is_qualified(code, at) || is_declared(code, at))) continue;
    return true;
  }
  return false;
}

void search(const SourceFile& file, std::span<const Ban> bans, Findings& findings) {
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    for (const Ban& ban : bans) {
      if (!uses(file.code[i], ban.word)) continue;
      findings.push_back({file.path, i + 1,
                          std::string(ban.word) + " is not used here; instead: " + std::string(ban.instead)});
    }
  }
}

}  // namespace

std::span<const std::string_view> pure_folders() {
  return kPureFolders;
}

Findings check_banned(const SourceFile& file) {
  Findings findings;
  if (!file.is_cpp()) return findings;
  search(file, kEverywhere, findings);
  for (std::string_view folder : kPureFolders) {
    if (file.is_under(folder)) search(file, kInPureCode, findings);
  }
  if (!file.is_under("tests") && !file.is_under("bench")) search(file, kInProduct, findings);
  if (file.has_extension("_test.cc")) search(file, kInTests, findings);
  return findings;
}

}  // namespace luzia::tidy
