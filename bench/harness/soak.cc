// A sustained load: constant numbers of running and queued jobs and of clients, for a given time. It fails on
// growing memory, accumulating descriptors, lost lines, or late answers.
#include <algorithm>
#include <filesystem>

#include "bench/harness/driving.h"
#include "bench/harness/held_load.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr double kLifetime = 30;  // seconds per job; less if the load is held for less than four times that
constexpr double kStallUs = 1e5;

double descriptors_of(pid_t pid) {
  const auto all = std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<double>(std::distance(begin(all), end(all)));
}

struct Sample {
  double rss_kib, descriptors, running, queued;
};

/// Samples of each second, and totals of the whole period.
struct Held {
  std::vector<Sample> samples;
  double seconds = 0, cpu_seconds = 0;
  std::uint64_t ended = 0, lines_written = 0, lines_missed = 0;
  Latencies asked;
  Prober::Result probed;
};

Held hold_load(const Setting& setting, const Subject& subject) {
  KnownJobs known;
  HeldJobs jobs(subject, setting, std::min(kLifetime, setting.seconds / 4), known);
  jobs.fill();
  Held held;
  const double start = now_seconds(), cpu_before = use_of(subject.pid()).cpu_seconds;
  const std::uint64_t ended_before = jobs.ended();
  AskingClients clients(subject, setting.held.clients, known);
  Prober prober(subject);
  for (double sampled = 0; now_seconds() - start < setting.seconds;) {
    jobs.step();
    if (now_seconds() - sampled < std::min(1.0, setting.seconds / 100)) continue;
    sampled = now_seconds();
    held.samples.push_back({use_of(subject.pid()).rss_kib, descriptors_of(subject.pid()),
                            static_cast<double>(jobs.running()), static_cast<double>(jobs.queued())});
    show_progress("soak: " + std::to_string(jobs.ended()) + " jobs", sampled - start, setting.seconds);
  }
  held.asked = clients.stop();
  held.probed = prober.stop();
  held.seconds = now_seconds() - start;
  held.cpu_seconds = use_of(subject.pid()).cpu_seconds - cpu_before;
  held.ended = jobs.ended() - ended_before;
  held.lines_written = jobs.lines_written();
  held.lines_missed = jobs.lines_missed();
  jobs.end();
  return held;
}

double median_of(const std::vector<Sample>& samples, double Sample::*what) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(sample.*what);
  return median(std::move(values));
}

double least_of(const std::vector<Sample>& samples, double Sample::*what) {
  const auto less = [what](const Sample& a, const Sample& b) { return a.*what < b.*what; };
  return samples.empty() ? 0 : (*std::min_element(samples.begin(), samples.end(), less)).*what;
}

/// The last quarter's median relative to the second quarter's; the first is warm-up.
Figure growth(const std::vector<Sample>& samples, const char* name, const char* unit, double Sample::*what,
              double bound) {
  std::vector<Sample> early, late;
  const std::size_t quarter = std::max<std::size_t>(1, samples.size() / 4);
  for (std::size_t i = 0; i < quarter && i < samples.size(); ++i) {
    early.push_back(samples[std::min(samples.size() - 1, quarter + i)]);
    late.push_back(samples[samples.size() - 1 - i]);
  }
  Figure figure =
      plain_figure(std::string("load held, ") + name + " in the last quarter", median_of(late, what), unit);
  figure.yardstick = std::string("in the second quarter, ") + unit;
  figure.yardstick_value = median_of(early, what);
  figure.goal = "<= " + std::to_string(bound).substr(0, 3) + " x the yardstick";
  figure.met = figure.yardstick_value > 0 && figure.ratio() <= bound;
  return figure;
}

/// Whether the wanted load was reached.
std::vector<Figure> load_figures(const Held& held, const HeldLoad& wanted) {
  const auto make = [](const char* name, double value, const char* unit, bool met) {
    Figure figure = plain_figure(std::string("load held, ") + name, value, unit);
    figure.goal = "(the load)";
    figure.met = met;
    return figure;
  };
  Figure running = make("running at the same time", median_of(held.samples, &Sample::running), "jobs", true);
  running.yardstick = "wanted, jobs";
  running.yardstick_value = wanted.running;
  running.met = running.ratio() >= 0.9;
  Figure queued = make("queued at least", least_of(held.samples, &Sample::queued), "jobs", true);
  queued.yardstick = "wanted, jobs";
  queued.yardstick_value = wanted.queued;
  queued.met = queued.ratio() >= 0.9;
  Figure asked = make("answers to ", 0, "us", held.asked.count() > 0);
  asked.name += std::to_string(wanted.clients) + " clients";
  asked.value = held.asked.percentile_us(0.5);
  asked.p50_us = asked.value;
  asked.p99_us = held.asked.percentile_us(0.99);
  const double ended = static_cast<double>(held.ended);
  return {make("jobs that ended", ended / held.seconds, "finished/s", held.ended > 0), running, queued, asked,
          make("CPU of the daemon", held.cpu_seconds / held.seconds * 100, "% of a core", true)};
}

std::vector<Figure> stall_figures(const Prober::Result& probed) {
  Figure slowest = latency_figure("load held, slowest answer", probed.answers, kStallUs);
  slowest.value = probed.slowest_us;
  slowest.yardstick = "a timer's own delay at worst, us";
  slowest.yardstick_value = probed.slowest_timer_us;
  slowest.goal = "(the machine's part is in it)";
  slowest.met = true;
  Figure own =
      latency_figure("load held, slowest answer but for waiting for a processor", probed.own, kStallUs);
  own.value = probed.slowest_own_us;
  own.goal = "no stall over 100 ms on the loop";
  own.met = probed.own.count() > 0 && probed.own_over == 0;
  Figure count = plain_figure("load held, answers over 100 ms but for waiting for a processor",
                              static_cast<double>(probed.own_over), "answers");
  count.yardstick = "over 100 ms all in all";
  count.yardstick_value = static_cast<double>(probed.answers_over);
  count.goal = "0";
  count.met = own.met;
  return {slowest, own, count};
}

}  // namespace

std::vector<Figure> run_soak(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/soak", setting.held.running);
  subject.start();
  const Held held = hold_load(setting, subject);
  std::vector<Figure> figures = load_figures(held, setting.held);
  figures.push_back(growth(held.samples, "memory", "KiB", &Sample::rss_kib, 1.1));
  figures.push_back(growth(held.samples, "descriptors", "descriptors", &Sample::descriptors, 1.2));
  for (Figure& figure : stall_figures(held.probed)) figures.push_back(std::move(figure));
  Figure missed = plain_figure("load held, lines missed", static_cast<double>(held.lines_missed), "lines");
  missed.yardstick = "lines written";
  missed.yardstick_value = static_cast<double>(held.lines_written);
  missed.goal = "0";
  missed.met = held.lines_written > 0 && held.lines_missed == 0;
  figures.push_back(missed);
  return figures;
}

}  // namespace luzia::bench
