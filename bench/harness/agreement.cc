// Compares the matcher with grep -E in the C locale, over a log with the examples of the shipped library.
// Both must find the same lines, by their file offsets. Reports how fast each is. Expressions that grep
// cannot express are left out of both.
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "adapters/issues/compiled_patterns.h"
#include "bench/harness/driving.h"
#include "bench/harness/grep_expression.h"
#include "bench/harness/issue_log.h"
#include "bench/harness/scenarios.h"
#include "engine/base/whole_number.h"

namespace luzia::bench {
namespace {

/// Start offsets of the lines that one of the expressions matches.
using LinesFound = std::set<std::uint64_t>;

struct Compared {
  std::vector<IssuePattern> patterns;  // with expressions that grep supports too
  std::string grep;                    // those expressions, one per line
  std::size_t expressions = 0, left_out = 0;
};

Compared compared_patterns() {
  Compared compared;
  for (PatternFile& file : shipped_patterns()) {
    for (IssuePattern& pattern : file.patterns) {
      std::vector<LineRegex> kept;
      for (LineRegex& regex : pattern.regexes) {
        const auto expression = grep_expression(regex.written);
        ++(expression ? compared.expressions : compared.left_out);
        if (!expression) continue;
        compared.grep += *expression + "\n";
        kept.push_back(std::move(regex));
      }
      pattern.regexes = std::move(kept);
      pattern.earlier.clear();  // which would name another line than the one that matches
      pattern.shipped = false;  // which would pass over ordinary lines
      if (!pattern.regexes.empty()) compared.patterns.push_back(std::move(pattern));
    }
  }
  return compared;
}

/// Lines that patterns should match, and lines that nearly match.
std::vector<std::string> library_examples() {
  std::vector<std::string> lines;
  for (const ShippedFile& file : shipped_pattern_files()) {
    const auto json = nlohmann::json::parse(file.json);
    for (const auto& pattern : json["patterns"]) {
      if (!pattern.contains("examples")) continue;
      for (const auto& of_kind : pattern["examples"]) {
        for (const auto& example : of_kind) {
          if (!example.is_string()) continue;  // several lines
          const auto line = example.get<std::string>();
          // The matcher strips terminal sequences, but grep sees the raw line.
          const bool same = line.find_first_of(std::string("\n\r\x1b\0", 4)) == std::string::npos;
          if (same && !line.empty()) lines.push_back(line);
        }
      }
    }
  }
  if (lines.empty()) give_up("the library has no examples");
  return lines;
}

double match_lines(const CompiledPatterns& patterns, const std::string& path, LinesFound& lines) {
  const PatternMask mask(patterns.patterns().size(), true);
  std::vector<schema::IssueDetectedT> found;
  std::uint64_t at = 0;
  return over_issue_log(path, UINT64_MAX, [&](std::string_view block) {
    found.clear();
    if (patterns.match({block, at, 1}, 100'000, mask, found) != block.size())
      give_up("too much in one block");
    for (const auto& fact : found) lines.insert(fact.offset);
    at += block.size();
  });
}

/// Calls `each` with every line that grep prints; grep must exit with 0 or 1.
void run_grep(const std::string& options, const std::string& expressions, const std::string& path,
              const std::function<void(std::string_view)>& each) {
  const std::string command = "LC_ALL=C grep -E -a " + options + " -f '" + expressions + "' '" + path + "'";
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) give_up("cannot run grep");
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t size = 0; (size = getline(&line, &room, output)) > 0;) {
    each({line, static_cast<std::size_t>(size) - (line[size - 1] == '\n' ? 1 : 0)});
  }
  free(line);
  const int status = pclose(output);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) give_up("grep failed: " + command);
}

/// Speed in GB/s of a grep that only counts.
double count_by_grep(const std::string& expressions, const std::string& path, std::uint64_t& lines) {
  const double begin = now_seconds();
  run_grep("-c", expressions, path,
           [&](std::string_view line) { lines = leading_number<std::uint64_t>(line).value_or(0); });
  return static_cast<double>(std::filesystem::file_size(path)) / (now_seconds() - begin) / 1e9;
}

std::string line_at(const std::string& path, std::uint64_t offset) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  std::string line;
  std::getline(file, line);
  return line.substr(0, 300);
}

void must_agree(const LinesFound& ours, const LinesFound& greps, const std::string& path) {
  for (const auto& [one, other, who] :
       {std::tuple(&ours, &greps, "the matcher"), std::tuple(&greps, &ours, "grep")}) {
    for (const std::uint64_t offset : *one) {
      if (other->contains(offset)) continue;
      give_up(std::string("only ") + who + " finds the line at byte " + std::to_string(offset) + ": " +
              line_at(path, offset));
    }
  }
}

}  // namespace

std::vector<Figure> run_agreement(const Setting& setting) {
  const std::string folder = setting.scratch + "/agreement";
  const std::string path = write_issue_log(folder, setting.log_bytes, library_examples());
  Compared compared = compared_patterns();
  const std::string expressions = folder + "/expressions";
  std::ofstream(expressions, std::ios::binary) << compared.grep;
  std::vector<RefusedPattern> refused;
  const auto patterns = CompiledPatterns::compile(std::move(compared.patterns), "", refused);
  if (!patterns) give_up(patterns.error().message);

  LinesFound ours, greps;
  const auto matched = repeated(setting.repetitions, [&] {
    ours.clear();
    return match_lines(**patterns, path, ours);
  });
  std::uint64_t counted = 0;
  const auto grepped =
      repeated(setting.repetitions, [&] { return count_by_grep(expressions, path, counted); });
  run_grep("-b", expressions, path,
           [&](std::string_view line) { greps.insert(leading_number<std::uint64_t>(line).value_or(0)); });
  must_agree(ours, greps, path);
  if (counted != ours.size() || ours.empty()) give_up("grep -c counts " + std::to_string(counted) + " lines");
  std::filesystem::remove_all(folder);

  Figure figure =
      plain_figure("known issues by " + std::to_string(compared.expressions) + " of " +
                       std::to_string(compared.expressions + compared.left_out) +
                       " expressions: " + std::to_string(ours.size()) + " lines, the same by grep",
                   matched.first, "GB/s");
  figure.spread = matched.second;
  figure.yardstick = "grep -E -c in the C locale, GB/s";
  figure.yardstick_value = grepped.first;
  figure.goal = "the same lines";
  figure.met = refused.empty();
  return {figure};
}

}  // namespace luzia::bench
