// Replay: how fast the log reads, proves its chain, and becomes rows again; and whether ten times as many
// events take more than ten times as long.
#include <filesystem>

#include "bench/harness/driving.h"
#include "bench/harness/history.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/verify_chain.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/registry.h"

namespace luzia::bench {
namespace {

constexpr std::uint64_t kLarger = 10;

/// Reads and verifies every event; bytes of all of them.
double read_all(const EventLog& log, std::uint64_t events) {
  const auto cursor = log.read_from(1);
  std::uint64_t seen = 0;
  double bytes = 0;
  for (;;) {
    auto group = cursor->next();
    if (!group) give_up(group.error().message);
    if (!*group) break;
    seen += (*group)->events().size();
    bytes += static_cast<double>((*group)->frames().size());
  }
  if (seen != events) give_up("the log lost events");
  return bytes;
}

void prove_chain(const EventLog& log, std::uint64_t events) {
  const auto report = verify_chain(log);
  if (!report) give_up(report.error().message);
  if (report->events != events) give_up("the chain lost events");
}

void fold_all(const EventLog& log, const std::string& views) {
  std::filesystem::remove_all(views);
  auto opened = open_rocks_view_store(views, OpenMode::read_write);
  if (!opened) give_up(opened.error().message);
  const Status folded = catch_up(log, all_projections(), *opened->store, ~Position{0}, [](FoldProgress now) {
    show_progress("replay: folding", static_cast<double>(now.done), static_cast<double>(now.total));
  });
  if (!folded) give_up(folded.error().message);
}

template <class Work>
double seconds_of(Work work) {
  const double begin = now_seconds();
  work();
  return now_seconds() - begin;
}

struct Replayed {
  std::uint64_t events = 0;
  std::pair<double, double> read, chain, rows;  // seconds and spread
  double bytes = 0;
};

Replayed replay_store(const Setting& setting, std::uint64_t events) {
  const std::string store = setting.scratch + "/replay";
  HistoryShape shape;
  shape.events = events;
  const auto count = generate_store(store, shape, false, [&](std::uint64_t done) {
    show_progress("replay: generating", static_cast<double>(done), static_cast<double>(events));
  });
  if (!count) give_up(count.error().message);
  auto log = open_rocks_event_log(store, {.mode = OpenMode::read_only, .create = false});
  if (!log) give_up(log.error().message);
  Replayed result;
  result.events = count->events;
  result.bytes = read_all(**log, count->events);  // and warms the page cache
  const auto timed = [&](auto work) {
    return repeated(setting.repetitions, [&] { return seconds_of(work); });
  };
  result.read = timed([&] { read_all(**log, count->events); });
  result.chain = timed([&] { prove_chain(**log, count->events); });
  result.rows = timed([&] { fold_all(**log, store + "/views"); });
  log->reset();
  std::filesystem::remove_all(store);
  return result;
}

/// BLAKE2b over as many bytes, per event of that size: what the chain cannot beat.
double hashes_per_second(const Replayed& replayed) {
  const std::string block(64 * 1024, 'x');
  const double begin = now_seconds();
  double bytes = 0;
  while (now_seconds() - begin < 0.5) {
    blake2b({as_bytes(block)});
    bytes += static_cast<double>(block.size());
  }
  return bytes / (now_seconds() - begin) / (replayed.bytes / static_cast<double>(replayed.events));
}

}  // namespace

std::vector<Figure> run_replay(const Setting& setting) {
  const Replayed small = replay_store(setting, setting.events);
  const Replayed large = replay_store(setting, setting.events * kLarger);
  std::vector<Figure> figures;
  const auto add = [&](const Replayed& of, const std::string& name, std::pair<double, double> took,
                       double bound) {
    const auto events = static_cast<double>(of.events);
    Figure figure =
        plain_figure(name + ", " + std::to_string(of.events) + " events", events / took.first, "events/s");
    figure.spread = took.second;
    figure.size = events;
    figure.goal = ">= " + std::to_string(static_cast<int>(bound / 1e6)) + "M events/s";
    figure.met = figure.value >= bound;
    figures.push_back(std::move(figure));
  };
  for (const Replayed* of : {&small, &large}) {
    add(*of, "replay, read and verify", of->read, 8e6);
    add(*of, "replay, with the hash chain", of->chain, 2e6);
    figures.back().yardstick = "BLAKE2b over the same bytes, events/s";
    figures.back().yardstick_value = hashes_per_second(*of);
    add(*of, "replay, all projections and rows written", of->rows, 1e6);
  }
  Figure growth =
      plain_figure("replay, time of " + std::to_string(large.events) + " events", large.rows.first, "s");
  growth.spread = large.rows.second;
  growth.yardstick = "time of " + std::to_string(small.events) + ", s";
  growth.yardstick_value = small.rows.first;
  growth.goal = "<= 11 x the yardstick";
  growth.met = growth.ratio() <= 11;
  figures.push_back(std::move(growth));
  return figures;
}

}  // namespace luzia::bench
