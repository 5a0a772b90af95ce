// One list over ten machines, one of them dead: this one, eight that take 20 to 160 ms to be reached, and one
// that never answers. The way to them is a stand-in for ssh, which waits that long and then runs the command
// here: ten real ssh and sshd on one machine would measure their key exchange.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "bench/harness/driving.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr int kFarMachines = 8, kStepMs = 20, kExitTrouble = 5;
constexpr double kMachinesBoundMs = 2'000;

/// The word after -- is the destination: a number of machine, or "dead". The one behind it is the command.
void write_stand_in(const std::string& file, const std::string& luzia) {
  const std::string programs = luzia.substr(0, luzia.rfind('/'));
  std::ofstream(file) << "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\n"
                      << "[ \"$2\" = dead ] && exec sleep 1000\n"
                      << "n=${2#far}; sleep \"$(printf '0.%03d' $((n * " << kStepMs << ")))\"\n"
                      << "PATH=" << programs << ":$PATH; export PATH; exec sh -c \"$3\"\n";
  ::chmod(file.c_str(), 0755);
}

/// Milliseconds, the median.
double median_ms(const std::vector<std::string>& words, double seconds, int code) {
  return run_program(words, seconds, code).percentile_us(0.5) / 1'000;
}

}  // namespace

std::vector<Figure> run_machines(const Setting& setting) {
  const std::string scratch = setting.scratch + "/machines";
  std::vector<std::unique_ptr<Subject>> subjects;
  for (int n = 0; n <= kFarMachines; ++n) {
    show_progress("machines: starting machine " + std::to_string(n));
    subjects.push_back(std::make_unique<Subject>(setting.bin, scratch + "/m" + std::to_string(n), 4));
    subjects.back()->start();
    Client client = subjects.back()->connect();
    pause(*subjects.back());
    dispatch_all(client, "true", 20);
  }
  const Subject& local = *subjects.front();
  const std::string luzia = local.program("luzia");
  write_stand_in(local.home() + "/ssh", luzia);
  std::ofstream config(local.config(), std::ios::app);
  for (int n = 1; n <= kFarMachines; ++n) {
    config << "[machines.far" << n << "]\nssh = \"far" << n << "\"\nstore = \""
           << subjects[static_cast<std::size_t>(n)]->store() << "\"\n";
  }
  config << "[machines.dead]\nssh = \"dead\"\n";
  config.close();
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (local.home() + ":" + (path == nullptr ? "/usr/bin:/bin" : path)).c_str(), 1);
  ::setenv("XDG_CACHE_HOME", (local.home() + "/cache").c_str(), 1);
  ::mkdir((local.home() + "/cache").c_str(), 0700);

  const std::vector<std::string> all = {luzia, "--config", local.config(), "status", "--machines"};
  show_progress("machines: the first list");
  const double first = median_ms(all, 0, kExitTrouble);
  show_progress("machines: the slowest alone");
  const std::vector<std::string> slowest = {
      luzia, "--config", local.config(), "--on", "far" + std::to_string(kFarMachines), "status"};
  const auto alone = repeated(setting.repetitions, [&] { return median_ms(slowest, setting.seconds, 0); });
  show_progress("machines: all");
  const auto together =
      repeated(setting.repetitions, [&] { return median_ms(all, setting.seconds, kExitTrouble); });

  Figure list = plain_figure("status --machines, 10 machines, one dead", together.first, "ms");
  list.spread = together.second;
  list.yardstick = "status of the slowest living one alone, ms";
  list.yardstick_value = alone.first;
  list.goal = "<= 1.2 x the yardstick";
  list.met = list.ratio() <= 1.2;
  Figure bound = plain_figure("the first of them, which waits for the dead one", first, "ms");
  bound.goal = "<= 2 s, and what the programs take to start and end";
  bound.met = first <= kMachinesBoundMs * 1.1;
  return {list, bound};
}

}  // namespace luzia::bench
