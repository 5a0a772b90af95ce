// Known issues: searches a log of builds, tests, services and an agent's words with the shipped library. The
// log is read from a file in blocks of whole lines, like a worker of the daemon does. Compared with a scan of
// the same expressions by Vectorscan alone, and with RE2::Set line by line over a part of the log.
#include <re2/set.h>

#include <filesystem>

#include "adapters/issues/compiled_patterns.h"
#include "adapters/issues/confirmation.h"
#include "bench/harness/driving.h"
#include "bench/harness/issue_log.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr std::size_t kSetBytes = 16 << 20;

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
  const double rate = over_issue_log(path, SIZE_MAX, [&](std::string_view block) {
    found.clear();
    prepared.patterns->match({block, 0, 1}, 10'000, mask, found);
    facts += found.size();
  });
  if (facts < std::filesystem::file_size(path) >> 18) give_up("the matcher did not see everything");
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
  return over_issue_log(path, kSetBytes, [&](std::string_view block) {
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
  const std::string path = write_issue_log(folder, setting.log_bytes, usual_issues());
  const Prepared prepared = prepare();
  auto database = ExpressionDatabase::open(prepared.finding, "");
  if (!database) give_up(database.error().message);
  const auto scratch = (*database)->new_scratch();
  std::size_t hits = 0;
  auto count = [&hits](unsigned, std::size_t) { return ++hits > 0; };

  const auto bare = repeated(setting.repetitions, [&] {
    return over_issue_log(path, SIZE_MAX,
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
