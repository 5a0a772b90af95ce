// A load held: dispatches, reports and reads together for so many seconds. What must not happen: memory that
// grows, descriptors that gather, a daemon that answers late.
#include <algorithm>
#include <filesystem>

#include "bench/harness/driving.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

double descriptors_of(pid_t pid) {
  const auto all = std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<double>(std::distance(begin(all), end(all)));
}

struct Sample {
  double rss_kib, descriptors;
};

/// Rounds of jobs until the time is over; a sample after each.
std::vector<Sample> hold_load(const Setting& setting, const Subject& subject, Latencies& answers,
                              std::uint64_t& ended) {
  Client client = subject.connect(), reader = subject.connect();
  std::vector<Sample> samples;
  const double start = now_seconds();
  while (now_seconds() - start < setting.seconds) {
    const auto jobs = dispatch_all(client, "echo '::notice::soak'", setting.jobs);
    answers.add_all(ask_for_job(reader, jobs.front(), 0.05));
    wait_for_all(client, jobs);
    answers.add_all(ask_for_job(reader, jobs.back(), 0.05));
    ended += jobs.size();
    samples.push_back({use_of(subject.pid()).rss_kib, descriptors_of(subject.pid())});
    show_progress("soak: " + std::to_string(ended) + " jobs", now_seconds() - start, setting.seconds);
  }
  return samples;
}

/// Medians of the second and the last quarter: the first one warms up.
std::pair<double, double> early_and_late(const std::vector<Sample>& samples, double Sample::*what) {
  std::vector<double> early, late;
  const std::size_t quarter = std::max<std::size_t>(1, samples.size() / 4);
  for (std::size_t i = 0; i < quarter; ++i) {
    early.push_back(samples[std::min(samples.size() - 1, quarter + i)].*what);
    late.push_back(samples[samples.size() - 1 - i].*what);
  }
  return {median(early), median(late)};
}

}  // namespace

std::vector<Figure> run_soak(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/soak", 4);
  subject.start();
  Latencies answers;
  std::uint64_t ended = 0;
  const double start = now_seconds();
  const auto samples = hold_load(setting, subject, answers, ended);
  const auto [rss_before, rss_after] = early_and_late(samples, &Sample::rss_kib);
  const auto [files_before, files_after] = early_and_late(samples, &Sample::descriptors);
  Figure load = plain_figure("load held, jobs that ended",
                             static_cast<double>(ended) / (now_seconds() - start), "finished/s");
  load.goal = "(the load)";
  load.met = ended > 0;
  Figure memory = plain_figure("load held, memory in the last quarter", rss_after, "KiB");
  memory.yardstick = "in the second quarter, KiB";
  memory.yardstick_value = rss_before;
  memory.goal = "<= 1.1 x the yardstick";
  memory.met = memory.ratio() <= 1.1;
  Figure files = plain_figure("load held, descriptors in the last quarter", files_after, "descriptors");
  files.yardstick = "in the second quarter";
  files.yardstick_value = files_before;
  files.goal = "<= 1.2 x the yardstick";
  files.met = files.ratio() <= 1.2;
  Figure stall = latency_figure("load held, slowest answer", answers, 1e5);
  stall.value = answers.percentile_us(1);
  stall.goal = "no stall over 100 ms";
  stall.met = stall.value <= 1e5;
  return {load, memory, files, stall};
}

}  // namespace luzia::bench
