// Queries of the past: the state at positions all over the log, queried by a separate program without a
// daemon.
#include <random>

#include "bench/harness/driving.h"
#include "bench/harness/history.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/subject.h"
#include "bench/harness/yardsticks.h"
#include "engine/view/view_checkpoints.h"

namespace luzia::bench {
namespace {

constexpr double kBoundUs = 200'000;
constexpr std::size_t kLeastQuestions = 40;

/// Builds rows and checkpoints with the measured program. It would not accept those of another version and
/// would fold the whole log for each answer.
void make_rows(const Subject& subject) {
  constexpr double kOnce = 0;
  show_progress("at: folding");
  run_program({subject.program("luzia-query"), "replay", "--rebuild", "--store", subject.store()}, kOnce);
}

Latencies ask_at_random(const Subject& subject, std::uint64_t events, const char* question, double seconds) {
  constexpr double kOnce = 0;
  std::mt19937_64 random(7);
  Latencies latencies;
  const double start = now_seconds();
  while (latencies.count() < kLeastQuestions || now_seconds() - start < seconds) {
    const std::string position = std::to_string(1 + random() % events);
    latencies.add_all(run_program(
        {subject.program("luzia-query"), question, "--store", subject.store(), "--at", position}, kOnce));
  }
  return latencies;
}

}  // namespace

std::vector<Figure> run_at(const Setting& setting) {
  const Subject subject(setting.bin, setting.scratch + "/at", 1);
  HistoryShape shape;
  shape.events = setting.events;
  const auto count = generate_store(subject.store(), shape, false, [&](std::uint64_t done) {
    show_progress("at: generating", static_cast<double>(done), static_cast<double>(shape.events));
  });
  if (!count) give_up(count.error().message);
  make_rows(subject);
  const double spawn = spawn_true(setting.seconds).latencies.percentile_us(0.5);
  std::vector<Figure> figures;
  for (const char* question : {"stats", "jobs"}) {
    const Latencies asked = ask_at_random(subject, count->events, question, setting.seconds);
    Figure figure = latency_figure(std::string("luzia-query ") + question + " --at a random position of " +
                                       std::to_string(count->events) + " events",
                                   asked, kBoundUs);
    figure.size = static_cast<double>(count->events);
    figure.yardstick = "spawn of /bin/true p50, us";
    figure.yardstick_value = spawn;
    figures.push_back(std::move(figure));
  }
  Figure room = plain_figure("disk of the checkpoints of these",
                             static_cast<double>(bytes_of_checkpoints(subject.store())) / (1 << 20), "MiB");
  room.goal = "(bounded: 1 GiB + 4 x the rows)";
  room.met = true;
  figures.push_back(std::move(room));
  return figures;
}

}  // namespace luzia::bench
