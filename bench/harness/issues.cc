// Known issues: the shipped library over a log of builds, tests, services and an agent's own words, read from
// a file in blocks of whole lines, as a worker of the daemon does it; beside a scan of the same expressions
// by Vectorscan alone, and RE2::Set line by line over a part of it.
#include <fcntl.h>
#include <re2/set.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/confirmation.h"
#include "bench/harness/driving.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kFileBytes = 256 << 20;
constexpr std::size_t kSetBytes = 16 << 20;
constexpr std::size_t kBlock = 64 * 1024;

/// `#` is the line's number.
constexpr std::array<const char*, 10> kOrdinary = {
    "[#/90210] Building CXX object engine/CMakeFiles/part.dir/part_#.cc.o",
    "[ RUN      ] Suite#.KeepsWhatItWasGiven",
    "[       OK ] Suite#.KeepsWhatItWasGiven (3 ms)",
    "2026-11-22T10:00:00.#Z INFO request method=GET path=/api/v1/items/# status=200 user=alice",
    "  File \"/usr/lib/python3/dist-packages/app/module_#.py\", line #, in handle",
    "g++ -O2 -Wall -Werror -Isrc/include -std=c++20 -c src/part_#.cc -o build/part_#.o",
    "I will now look at the tests of module # and change the function that computes the total.",
    "+    if (value_# > limit) return make_result(value_#, kLimit);",
    "tests/test_part_#.py::test_keeps_what_it_was_given PASSED                     [ 42%]",
    "Get:# http://deb.debian.org/debian bookworm/main amd64 libfoo# amd64 1.2.3 [12.3 kB]"};
/// One line in 1,000.
constexpr std::array<const char*, 4> kIssues = {
    "cp: cannot create regular file '/etc/part_#': Permission denied",
    "src/part_#.cc:12:5: error: 'foo' was not declared in this scope",
    "Error: connect ECONNREFUSED 127.0.0.1:5432", "ModuleNotFoundError: No module named 'part_#'"};

std::string write_log(const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::string text;
  text.reserve(kFileBytes + 1'000);
  for (std::size_t line = 0; text.size() < kFileBytes; ++line) {
    const char* shape =
        line % 1'000 == 0 ? kIssues[line / 1'000 % kIssues.size()] : kOrdinary[line % kOrdinary.size()];
    const std::string number = std::to_string(line);
    for (; *shape != '\0'; ++shape) *shape == '#' ? text += number : text += *shape;
    text += '\n';
  }
  std::ofstream(folder + "/output.log", std::ios::binary) << text;
  return folder + "/output.log";
}

/// GB/s of `each(block)` over whole lines of the file, reading included.
template <class Each>
double over_blocks(const std::string& path, std::size_t most, Each each) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) give_up("cannot open " + path);
  std::vector<char> buffer(2 * kBlock);
  std::size_t kept = 0, bytes = 0;
  const double begin = now_seconds();
  for (ssize_t got = 0; bytes < most && (got = read(fd, buffer.data() + kept, kBlock)) > 0;) {
    const std::string_view text(buffer.data(), kept + static_cast<std::size_t>(got));
    const std::size_t whole = text.rfind('\n') + 1;
    each(text.substr(0, whole));
    bytes += whole;
    kept = text.size() - whole;
    memmove(buffer.data(), buffer.data() + whole, kept);
  }
  const double took = now_seconds() - begin;
  close(fd);
  return static_cast<double>(bytes) / took / 1e9;
}

struct Prepared {
  std::shared_ptr<const CompiledPatterns> patterns;
  std::vector<std::string> finding;
};

Prepared prepare() {
  std::vector<IssuePattern> all;
  Prepared prepared;
  for (PatternFile& file : shipped_patterns()) {
    for (IssuePattern& pattern : file.patterns) {
      for (const LineRegex& regex : pattern.regexes) prepared.finding.push_back(regex.finding);
      all.push_back(std::move(pattern));
    }
  }
  std::vector<RefusedPattern> refused;
  auto patterns = CompiledPatterns::compile(std::move(all), "", refused);
  if (!patterns) give_up(patterns.error().message);
  prepared.patterns = *patterns;
  return prepared;
}

double match_once(const Prepared& prepared, const std::string& path) {
  const PatternMask mask(prepared.patterns->patterns().size(), true);
  std::vector<schema::IssueDetectedT> found;
  std::size_t facts = 0;
  const double rate = over_blocks(path, SIZE_MAX, [&](std::string_view block) {
    found.clear();
    prepared.patterns->match({block, 0, 1}, 10'000, mask, found);
    facts += found.size();
  });
  if (facts < 1'000) give_up("the matcher did not see everything");
  return rate;
}

double set_once(const Prepared& prepared, const std::string& path) {
  RE2::Options options = confirming_options();
  options.set_max_mem(256 << 20);
  RE2::Set set(options, RE2::UNANCHORED);
  for (const IssuePattern& pattern : prepared.patterns->patterns()) {
    for (const LineRegex& regex : pattern.regexes) set.Add(regex.confirming, nullptr);
  }
  if (!set.Compile()) give_up("RE2::Set does not take the patterns");
  std::vector<int> hits;
  return over_blocks(path, kSetBytes, [&](std::string_view block) {
    while (!block.empty()) {
      const std::size_t end = block.find('\n');
      set.Match({block.data(), end}, &hits);
      block.remove_prefix(end + 1);
    }
  });
}

}  // namespace

std::vector<Figure> run_issues(const Setting& setting) {
  const std::string folder = setting.scratch + "/issues";
  const std::string path = write_log(folder);
  const Prepared prepared = prepare();
  auto database = ExpressionDatabase::open(prepared.finding, "");
  if (!database) give_up(database.error().message);
  const auto scratch = (*database)->new_scratch();
  std::size_t hits = 0;
  auto count = [&hits](unsigned, std::size_t) { return ++hits > 0; };

  const auto bare = repeated(setting.repetitions, [&] {
    return over_blocks(path, SIZE_MAX,
                       [&](std::string_view block) { (*database)->scan(block, scratch.get(), count); });
  });
  const auto matched = repeated(setting.repetitions, [&] { return match_once(prepared, path); });
  const double set = set_once(prepared, path);
  std::filesystem::remove_all(folder);

  Figure ours = plain_figure("known issues, " + std::to_string(prepared.patterns->patterns().size()) +
                                 " shipped patterns, read included",
                             matched.first, "GB/s");
  ours.spread = matched.second;
  ours.yardstick = "the same expressions by Vectorscan alone, GB/s";
  ours.yardstick_value = bare.first;
  ours.goal = ">= 1 GB/s and >= 0.7 x the yardstick";
  ours.met = ours.value >= 1 && ours.ratio() >= 0.7;
  Figure other = plain_figure("known issues by RE2::Set, line by line", set, "GB/s");
  other.yardstick = "ours, GB/s";
  other.yardstick_value = matched.first;
  other.goal = "(a yardstick)";
  other.met = hits > 0;
  return {ours, other};
}

}  // namespace luzia::bench
