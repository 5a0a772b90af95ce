// Running jobs: end to end, and many silent ones at once.
#include <unistd.h>

#include <filesystem>

#include "bench/harness/driving.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/yardsticks.h"

namespace luzia::bench {

namespace {

/// Jobs per second, and the processor time of each in microseconds, on a machine with nothing else to do.
struct JobCost {
  std::vector<double> per_second, busy_us;

  template <class Run>
  void add(int jobs, Run run) {
    const double busy = busy_seconds(), start = now_seconds();
    run();
    per_second.push_back(jobs / (now_seconds() - start));
    busy_us.push_back((busy_seconds() - busy) * 1e6 / jobs);
  }
};

/// The same jobs with only what none can do without (least.cc), in turns with ours.
std::vector<Figure> beside_the_least(const Setting& setting, const Subject& subject, Client& client) {
  constexpr int kOutstanding = 4;
  JobCost ours, least;
  for (int i = 0; i < setting.repetitions; ++i) {
    ours.add(setting.jobs, [&] { wait_for_all(client, dispatch_all(client, "true", setting.jobs)); });
    const std::string folder = subject.home() + "/least-" + std::to_string(i);
    std::filesystem::create_directory(folder);
    least.add(setting.jobs, [&] {
      run_program({setting.agents + "/luzia-bench-least", folder, std::to_string(setting.jobs),
                   std::to_string(kOutstanding)},
                  0);
    });
  }
  Figure rate =
      plain_figure("end to end, true jobs, beside the least", median(ours.per_second), "finished/s");
  rate.yardstick = "the least that detached, recorded jobs take, finished/s";
  rate.yardstick_value = median(least.per_second);
  rate.goal = "(for comparison)";
  rate.met = true;
  Figure cost = plain_figure("processor time of a whole true job", median(ours.busy_us), "us");
  cost.yardstick = "the least, us";
  cost.yardstick_value = median(least.busy_us);
  cost.goal = "<= 1200 us";
  cost.met = cost.value <= 1200;
  return {rate, cost};
}

}  // namespace

std::vector<Figure> run_e2e(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/e2e", 4);
  subject.start();
  Client client = subject.connect();
  wait_for_all(client, dispatch_all(client, "true", 20));
  const Rate spawn = spawn_true(setting.seconds);
  const auto rate = repeated(setting.repetitions, [&] {
    const double start = now_seconds();
    wait_for_all(client, dispatch_all(client, "true", setting.jobs));
    return setting.jobs / (now_seconds() - start);
  });
  Figure figure = plain_figure("end to end, true jobs", rate.first, "finished/s");
  figure.spread = rate.second;
  figure.yardstick = "raw spawn of the same two processes, pairs/s";
  figure.yardstick_value = spawn.per_second / 2;
  figure.goal = ">= 0.5 x the yardstick";
  figure.met = figure.ratio() >= 0.5;
  // Especially on a file system where deleted files slow down new ones (README).
  const Latencies creating = create_files(subject.home(), 1'000);
  Figure file = plain_figure("creating a file where these jobs were", creating.percentile_us(0.5), "us");
  file.p50_us = file.value;
  file.p99_us = creating.percentile_us(0.99);
  file.goal = "(a yardstick)";
  file.met = true;
  std::vector<Figure> figures = beside_the_least(setting, subject, client);
  figures.insert(figures.begin(), figure);
  figures.push_back(file);
  return figures;
}

std::vector<Figure> run_idle(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/idle", setting.live);
  subject.start();
  Client client = subject.connect();
  // The first jobs make the daemon allocate some 6 MB once, which do not belong to the live jobs.
  constexpr int kFirstJobs = 50;
  wait_for_all(client, dispatch_all(client, "true", kFirstJobs));
  const ProcessUse empty = use_of(subject.pid());
  show_progress("idle: starting jobs");
  const std::vector<std::string> ids = dispatch_all(client, "exec sleep 100000", setting.live);
  for (const std::string& id : ids) wait_for_all(client, {id}, {schema::JobState::running});
  sleep(6);  // lets the work after the starts finish
  const double seconds = std::max(10.0, setting.seconds);
  show_progress("idle: watching");
  const ProcessUse before = use_of(subject.pid());
  usleep(static_cast<useconds_t>(seconds * 1e6));
  const ProcessUse after = use_of(subject.pid());
  cancel_all(client, ids);

  const auto make = [&](const char* name, double value, const char* unit, const char* goal, bool met) {
    Figure figure = plain_figure(std::to_string(setting.live) + " live silent jobs: " + name, value, unit);
    figure.goal = goal;
    figure.met = met;
    return figure;
  };
  const double wakeups = static_cast<double>(after.wakeups - before.wakeups) / seconds;
  const double cpu = (after.cpu_seconds - before.cpu_seconds) / seconds * 100;
  // Excludes the daemon's code, some of which a freshly started daemon has not read yet.
  const double each = (after.anonymous_kib - empty.anonymous_kib) / setting.live;
  return {make("wakeups", wakeups, "1/s", "one timer", wakeups <= 2),
          make("CPU", cpu, "% of a core", "< 0.5 %", cpu < 0.5),
          make("memory per live job", each, "KiB", "<= 24 KiB", each <= 24)};
}

}  // namespace luzia::bench
