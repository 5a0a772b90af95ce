// What people do while 10,000 jobs are queued, and while 10 are. Two daemons, both at their limit of running
// jobs, are queried in turns, so that a busy moment of the machine affects both.
#include <string>
#include <vector>

#include "bench/harness/driving.h"
#include "bench/harness/scenarios.h"

namespace luzia::bench {
namespace {

constexpr int kShort = 10, kLong = 10'000;

struct Queued {
  Subject& subject;
  std::string working;  // takes the only slot, so that the others stay queued
  std::string last;     // waits longest
};

Queued fill(Subject& subject, int queued) {
  subject.start();
  Client client = subject.connect();
  const std::vector<std::string> working = dispatch_all(client, "sleep 100000", 1);
  wait_for_all(client, working, {schema::JobState::running});
  return {subject, working.front(), dispatch_all(client, "true", queued).back()};
}

void empty(const Queued& queued) {
  pause(queued.subject);
  Client client = queued.subject.connect();
  cancel_all(client, {queued.working});
}

Latencies run_luzia(const Queued& queued, std::vector<std::string> words, double seconds) {
  words.insert(words.begin(), {queued.subject.program("luzia"), "--config", queued.subject.config()});
  return run_program(words, seconds);
}

}  // namespace

std::vector<Figure> run_queue(const Setting& setting) {
  Subject few(setting.bin, setting.scratch + "/few", 1), many(setting.bin, setting.scratch + "/many", 1);
  const Queued ten = fill(few, kShort), thousands = fill(many, kLong);
  std::vector<Figure> figures;
  const auto compare = [&](const std::string& what, const auto& words_for) {
    std::vector<double> without;
    Latencies all;
    const auto with = repeated(setting.repetitions, [&] {
      without.push_back(run_luzia(ten, words_for(ten), setting.seconds).percentile_us(0.5));
      const Latencies latencies = run_luzia(thousands, words_for(thousands), setting.seconds);
      all.add_all(latencies);
      return latencies.percentile_us(0.5);
    });
    Figure figure = plain_figure(what + ", " + std::to_string(kLong) + " queued jobs", with.first, "us");
    figure.spread = with.second;
    figure.p50_us = all.percentile_us(0.5);
    figure.p99_us = all.percentile_us(0.99);
    figure.size = kLong;
    figure.yardstick = "the same with " + std::to_string(kShort) + ", us";
    figure.yardstick_value = median(without);
    figure.goal = "<= 1.25 x the yardstick";
    figure.met = figure.ratio() <= 1.25;
    figures.push_back(std::move(figure));
  };
  using Words = std::vector<std::string>;
  compare("luzia status", [](const Queued&) { return Words{"status"}; });
  compare("luzia status -q", [](const Queued&) { return Words{"status", "-q"}; });
  compare("luzia jobs --limit 10", [](const Queued&) { return Words{"jobs", "--limit", "10"}; });
  compare("luzia why JOB", [](const Queued& queued) { return Words{"why", queued.last}; });
  compare("luzia job JOB", [](const Queued& queued) { return Words{"job", queued.last}; });
  // Measured last: each dispatched job stays queued, so the short queue is no longer short.
  compare("luzia dispatch", [](const Queued&) {
    return Words{"dispatch", "bench", "true", "--priority", "1"};
  });
  empty(ten);
  empty(thousands);
  return figures;
}

}  // namespace luzia::bench
