// luzia-bench: measures what this machine can do with Luzia, each figure with a yardstick from the same run.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/harness/compare.h"
#include "bench/harness/options.h"
#include "bench/harness/plot.h"
#include "bench/harness/progress.h"
#include "bench/harness/report.h"

namespace luzia::bench {

namespace {

int refuse(const Error& error) {
  clear_progress();
  fprintf(stderr, "luzia-bench: %s\n", error.message.c_str());
  if (!error.hint.empty()) fprintf(stderr, "  hint: %s\n", error.hint.c_str());
  return static_cast<int>(error.kind);
}

Error usage_error(const std::string& message) {
  return {ErrorKind::usage, "bad_option", message, "luzia-bench --help"};
}

/// Writes to --out, or to standard output.
int print(const Options& options, const std::string& text) {
  if (options.out.empty()) return fputs(text.c_str(), stdout) < 0 ? 5 : 0;
  std::ofstream to(options.out, std::ios::binary);
  to << text;
  to.close();
  if (!to) return refuse({ErrorKind::trouble, "not_written", "cannot write " + options.out, ""});
  return 0;
}

int generate(const Options& options) {
  if (options.out.empty() || options.amounts != 1) {
    return refuse(usage_error("generate wants --out STORE and one of --events and --jobs"));
  }
  if (std::filesystem::exists(options.out)) {
    return refuse(usage_error("cannot generate a store: " + options.out + " exists"));
  }
  const double begin = now_seconds();
  const auto count = generate_store(options.out, options.shape, options.rows, [&](std::uint64_t events) {
    if (options.shape.jobs > 0) return show_progress("generating: " + std::to_string(events) + " events");
    show_progress("generating", static_cast<double>(events), static_cast<double>(options.shape.events));
  });
  clear_progress();
  if (!count) return refuse(count.error());
  printf("%llu events of %llu jobs in %.1f s\n", static_cast<unsigned long long>(count->events),
         static_cast<unsigned long long>(count->jobs), now_seconds() - begin);
  return 0;
}

int compare(const Options& options) {
  if (options.words.size() != 3) return refuse(usage_error("compare wants two files"));
  const auto before = read_run(options.words[1]), after = read_run(options.words[2]);
  if (!before) return refuse(before.error());
  if (!after) return refuse(after.error());
  const auto changes = compare_figures(before->figures, after->figures);
  if (const int failed = print(options, changes_table(changes)); failed != 0) return failed;
  const auto worse = [](const Change& change) { return change.verdict == Verdict::worse; };
  return std::any_of(changes.begin(), changes.end(), worse) ? 1 : 0;
}

int render(const Options& options) {
  if (options.words.size() != 2) return refuse(usage_error(options.words.front() + " wants one file"));
  const auto run = read_run(options.words[1]);
  if (!run) return refuse(run.error());
  return print(options, options.words.front() == "plot" ? plot_svg(*run) : figures_table(run->figures));
}

/// Creates the scenario's folder in the scratch folder. On ext4, FS_TOPDIR_FL places it in a block group
/// chosen by its name. The reason: without a journal, creating a file skips each inode of the group deleted
/// in the last minutes, by anyone. In a group that was used before, earlier deletions (a scenario's folder, a
/// build) would determine what a job costs. On other file systems the flag has no effect.
std::string make_scratch(const std::string& scratch, const std::string& scenario) {
  std::filesystem::create_directories(scratch);
  const int folder = open(scratch.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int flags = 0;
  if (folder >= 0 && ioctl(folder, FS_IOC_GETFLAGS, &flags) == 0) {
    flags |= FS_TOPDIR_FL;
    ioctl(folder, FS_IOC_SETFLAGS, &flags);
  }
  if (folder >= 0) close(folder);
  std::string path = scratch + '/' + scenario + '-' + std::to_string(std::random_device{}());
  std::filesystem::create_directories(path);
  return path;
}

int measure(const Options& options) {
  if (options.words.size() != 1) return refuse(usage_error("name one scenario"));
  const std::string& wanted = options.words.front();
  std::vector<const Scenario*> chosen;
  for (const Scenario& scenario : scenarios()) {
    if (wanted == scenario.name || (wanted == "all" && scenario.in_all)) chosen.push_back(&scenario);
  }
  if (chosen.empty()) return refuse(usage_error("unknown scenario '" + wanted + "'"));
  std::vector<Figure> figures;
  for (const Scenario* scenario : chosen) {
    show_progress(scenario->name, static_cast<double>(figures.size()), 0);
    Setting setting = options.setting;
    setting.scratch = make_scratch(setting.scratch, scenario->name);
    for (Figure& figure : scenario->run(setting)) figures.push_back(std::move(figure));
  }
  std::error_code error;  // a failed removal must not lose the figures
  std::filesystem::remove_all(options.setting.scratch, error);
  if (error) {
    std::fprintf(stderr, "luzia-bench: removing %s: %s\n", options.setting.scratch.c_str(),
                 error.message().c_str());
  }
  clear_progress();
  return print(options, options.json ? figures_json(describe_machine(), figures) : figures_table(figures));
}

int run(int argc, char** argv) {
  const auto options = parse_options(argc, argv);
  if (!options) return refuse(options.error());
  if (options->help || options->words.empty()) {
    print_usage(options->help ? stdout : stderr);
    return options->help ? 0 : 2;
  }
  const std::string& word = options->words.front();
  if (word == "generate") return generate(*options);
  if (word == "compare") return compare(*options);
  if (word == "table" || word == "plot") return render(*options);
  return measure(*options);
}

}  // namespace
}  // namespace luzia::bench

int main(int argc, char** argv) {
  return luzia::bench::run(argc, argv);
}
