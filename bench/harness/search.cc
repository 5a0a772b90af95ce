// `luzia search` over the outputs of many jobs in the page cache, in turns with ripgrep (or grep) over the
// same files. Both are whole programs, both show at most eleven lines of an output, and must find the same
// outputs.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/harness/driving.h"
#include "bench/harness/issue_log.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

/// Outputs of such sizes, so many of a hundred: most are short, and most bytes are in a few.
struct OutputSize {
  std::uint64_t bytes;
  int percent;
};
constexpr std::array<OutputSize, 4> kSizes = {
    {{32 << 10, 50}, {256 << 10, 30}, {2 << 20, 15}, {16 << 20, 5}}};
constexpr int kRareEvery = 50;
// Half of the word is an argument, so that the task does not contain it.
constexpr const char* kRareLine = "; printf 'step 7: %squota exceeded on volume vol-17\\n' Disk";

struct Wanted {
  const char* what;
  const char* words;
  bool is_expression;
  bool is_rare;
};
constexpr std::array<Wanted, 4> kWanted = {
    {{"a rare word", "diskquota", false, true},
     {"a rare phrase", "exceeded on volume vol-17", false, true},
     {"a rare expression", "disk[a-z]+ exceeded on .*vol-[0-9]+", true, true},
     {"a frequent expression", "part_[0-9]+\\.cc", true, false}}};

struct WrittenOutputs {
  int jobs = 0, rare = 0;
  double bytes = 0;
};

/// Runs jobs that print so many bytes in total.
WrittenOutputs fill_outputs(const Subject& subject, const std::string& folder, std::uint64_t bytes) {
  std::array<std::string, kSizes.size()> tasks;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    tasks[i] =
        "cat '" + write_issue_log(folder + '/' + std::to_string(i), kSizes[i].bytes, usual_issues()) + "'";
  }
  Client client = subject.connect();
  WrittenOutputs written;
  std::vector<std::string> running;
  const auto run = [&](std::size_t size, bool is_rare) {
    const std::string task = tasks[size] + (is_rare ? kRareLine : "");
    running.push_back(dispatch_all(client, task, 1).front());
    written.bytes += static_cast<double>(kSizes[size].bytes);
    written.rare += is_rare ? 1 : 0;
    if (++written.jobs % 100 != 0) return;
    wait_for_all(client, std::exchange(running, {}));
    show_progress("search: writing outputs", written.bytes, static_cast<double>(bytes));
  };
  // A step that has no common divisor with a hundred spreads the sizes over the jobs.
  for (int turn = 0; written.bytes < static_cast<double>(bytes); turn = (turn + 37) % 100) {
    std::size_t size = 0;
    for (int left = turn; left >= kSizes[size].percent; ++size) left -= kSizes[size].percent;
    run(size, written.jobs % kRareEvery == 0);
  }
  run(0, true);
  wait_for_all(client, running);
  return written;
}

struct Printed {
  double first_us = 0, last_us = 0;  // until the first byte, and until it has ended
  std::string text;
};

Printed printed_by(const std::string& command) {
  Printed printed;
  const double begin = now_seconds();
  FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) give_up("cannot run " + command);
  std::array<char, 64 << 10> bytes;
  for (ssize_t got = 0; (got = read(fileno(output), bytes.data(), bytes.size())) > 0;) {
    if (printed.text.empty()) printed.first_us = (now_seconds() - begin) * 1e6;
    printed.text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  const int status = pclose(output);
  printed.last_us = (now_seconds() - begin) * 1e6;
  if (status != 0) give_up("failed: " + command);
  return printed;
}

bool has_ripgrep() {
  FILE* output = popen("rg --version 2>&1", "r");
  if (output == nullptr) return false;
  std::array<char, 4 << 10> bytes;
  while (fread(bytes.data(), 1, bytes.size(), output) > 0) {
  }
  return pclose(output) == 0;
}

std::string luzia_command(const Subject& subject, const Wanted& wanted) {
  return "'" + subject.program("luzia") + "' --config '" + subject.config() + "' search --limit 0 " +
         (wanted.is_expression ? "--regex '" : "'") + wanted.words + "'";
}

std::string grep_command(const Subject& subject, const Wanted& wanted, bool with_ripgrep) {
  const std::string same = " -a -i -b -m 11 ";
  const std::string how =
      with_ripgrep ? "rg --no-config -uuu -g output.log" + same + (wanted.is_expression ? "" : "-F ")
                   : "LC_ALL=C grep -r --include=output.log" + same + (wanted.is_expression ? "-E " : "-F ");
  return how + "-e '" + wanted.words + "' '" + subject.home() + "/jobs'";
}

/// Each names its outputs in its own way.
void must_find(const std::string& luzia, const std::string& grep, const Wanted& wanted, int outputs) {
  const auto found = nlohmann::json::parse(printed_by(luzia + " --json").text, nullptr, false);
  const std::size_t ours = found.is_object() ? found["jobs"].size() : 0;
  const std::string files = printed_by(grep + " -l").text;
  const auto theirs = static_cast<std::size_t>(std::count(files.begin(), files.end(), '\n'));
  const auto right = static_cast<std::size_t>(outputs);
  if (ours == right && theirs == right) return;
  give_up(std::string(wanted.what) + " is in " + std::to_string(right) + " outputs, luzia finds it in " +
          std::to_string(ours) + ", grep in " + std::to_string(theirs));
}

}  // namespace

std::vector<Figure> run_search(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/search", 4);
  subject.start();
  const WrittenOutputs written = fill_outputs(subject, setting.scratch + "/texts", setting.log_bytes);
  const bool with_ripgrep = has_ripgrep();
  const std::string where = ", " + std::to_string(written.jobs) + " outputs, " +
                            std::to_string(static_cast<int>(written.bytes / (1 << 20))) + " MiB";
  std::vector<Figure> figures;
  for (const Wanted& wanted : kWanted) {
    const std::string luzia = luzia_command(subject, wanted);
    const std::string grep = grep_command(subject, wanted, with_ripgrep);
    must_find(luzia, grep, wanted, wanted.is_rare ? written.rare : written.jobs);
    std::vector<double> greps, firsts;
    const auto whole = repeated(setting.repetitions, [&] {
      greps.push_back(printed_by(grep).last_us);
      const Printed printed = printed_by(luzia);
      firsts.push_back(printed.first_us);
      return printed.last_us;
    });
    Figure figure = plain_figure("luzia search, " + std::string(wanted.what) + where, whole.first, "us");
    figure.spread = whole.second;
    figure.yardstick = with_ripgrep ? "ripgrep, us" : "grep -r in the C locale, us";
    figure.yardstick_value = median(greps);
    figure.goal = with_ripgrep ? "<= 1.2 x the yardstick" : "(for comparison)";
    figure.met = !with_ripgrep || figure.ratio() <= 1.2;
    figures.push_back(std::move(figure));
    if (&wanted != &kWanted.front()) continue;
    Figure first =
        plain_figure("luzia search, a rare word, until its first job is shown", median(firsts), "us");
    first.goal = "<= 50 ms";
    first.met = first.value <= 50'000;
    figures.push_back(std::move(first));
  }
  if (!with_ripgrep)
    figures.push_back(missing_figure("luzia search beside ripgrep", "ripgrep is not installed"));
  return figures;
}

}  // namespace luzia::bench
