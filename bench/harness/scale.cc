// The figures of dispatch, status and start with many jobs in the store, compared with an empty store. Two
// daemons run at the same time and are measured in turns, so that a busy moment of the machine affects both.
#include "bench/harness/driving.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

struct Pair {
  Subject& empty;
  Subject& full;
  std::string empty_job, full_job;  // an ended job in the full store, a queued one in the empty one
};

class Comparison {
 public:
  Comparison(const Setting& setting, const Pair& pair, double jobs)
      : setting_(setting), pair_(pair), jobs_(jobs) {}

  /// `measure(subject, job)` returns operations per second; larger is better.
  template <class Measure>
  void rate(const std::string& name, const std::string& unit, Measure measure) {
    const auto [with, without, spread] = in_turns(measure);
    add(name, unit, with, without, spread, ">= 0.9 x the empty store's", with >= 0.9 * without);
  }
  /// The same in microseconds; smaller is better.
  template <class Measure>
  void time(const std::string& name, Measure measure) {
    const auto [with, without, spread] = in_turns(measure);
    add(name, "us", with, without, spread, "<= 1.11 x the empty store's", with * 0.9 <= without);
  }
  std::vector<Figure> figures;

 private:
  struct Medians {
    double with, without, spread;
  };
  template <class Measure>
  Medians in_turns(Measure measure) {
    std::vector<double> without;
    const auto with = repeated(setting_.repetitions, [&] {
      without.push_back(measure(pair_.empty, pair_.empty_job));
      return measure(pair_.full, pair_.full_job);
    });
    return {with.first, median(without), with.second};
  }
  void add(const std::string& name, const std::string& unit, double with, double without, double spread,
           const std::string& goal, bool met) {
    Figure figure = plain_figure(
        name + ", " + std::to_string(static_cast<std::uint64_t>(jobs_)) + " jobs in the store", with, unit);
    figure.spread = spread;
    figure.size = jobs_;
    figure.yardstick = "the empty store's, " + unit;
    figure.yardstick_value = without;
    figure.goal = goal;
    figure.met = met;
    figures.push_back(std::move(figure));
  }

  const Setting& setting_;
  const Pair& pair_;
  double jobs_;
};

std::pair<std::string, double> fill(Subject& subject, std::uint64_t jobs) {
  HistoryShape shape;
  shape.jobs = jobs;
  shape.terse = true;
  const HistoryCount count = fill_store(subject, shape);
  return {count.last_job, static_cast<double>(count.jobs)};
}

Figure memory_of(const Subject& subject, double jobs) {
  Figure memory = plain_figure("memory of the daemon with what these have queued, " +
                                   std::to_string(static_cast<int>(jobs)) + " jobs in the store",
                               use_of(subject.pid()).rss_kib / 1024, "MiB");
  memory.size = jobs;
  memory.goal = "(for comparison)";
  memory.met = true;
  return memory;
}

std::vector<Figure> measure_size(const Setting& setting, std::uint64_t size) {
  Subject empty(setting.bin, setting.scratch + "/empty", 4), full(setting.bin, setting.scratch + "/full", 4);
  const auto [job, jobs] = fill(full, size);
  empty.start();
  full.start();
  Client client = empty.connect();
  const Pair pair{empty, full, dispatch_all(client, "true", 1).front(), job};
  wait_for_all(client, {pair.empty_job});
  Comparison compared(setting, pair, jobs);
  const double seconds = setting.seconds;
  compared.rate("end to end, true jobs", "finished/s", [&](const Subject& subject, const std::string&) {
    Client starter = subject.connect();
    const double begin = now_seconds();
    wait_for_all(starter, dispatch_all(starter, "true", setting.jobs));
    return setting.jobs / (now_seconds() - begin);
  });
  compared.time("status of an ended job over the socket", [&](const Subject& subject, const std::string& id) {
    Client reader = subject.connect();
    return ask_for_job(reader, id, seconds).percentile_us(0.5);
  });
  pause(empty);
  pause(full);
  const std::string unit = "dispatches/s";
  compared.rate("dispatch, 1 client one at a time", unit, [&](const Subject& subject, const std::string&) {
    return dispatch_for(subject, 1, seconds).per_second;
  });
  compared.rate("dispatch, 16 clients", unit, [&](const Subject& subject, const std::string&) {
    return dispatch_from_many(subject, 16, 1, seconds).per_second;
  });
  compared.rate("dispatch, 1 client with 128 outstanding", unit,
                [&](const Subject& subject, const std::string&) {
                  return dispatch_for(subject, 128, seconds).per_second;
                });
  compared.figures.push_back(memory_of(full, jobs));
  empty.stop();
  full.stop();
  compared.time("luzia-query job ID without daemon", [&](const Subject& subject, const std::string& id) {
    return run_program({subject.program("luzia-query"), "job", id, "--store", subject.store()}, seconds)
        .percentile_us(0.5);
  });
  const auto restart = [](Subject& subject, const std::string&) {
    const double took = subject.start();
    subject.stop();
    return took * 1e6;
  };
  compared.time("ready after a clean stop with what these have queued", restart);
  return std::move(compared.figures);
}

}  // namespace

std::vector<Figure> run_scale(const Setting& setting) {
  std::vector<Figure> figures;
  for (const std::uint64_t size : setting.sizes) {
    for (Figure& figure : measure_size(setting, size)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace luzia::bench
