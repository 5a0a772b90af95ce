// Replay: how fast the log is read, its chain verified, and rows rebuilt; and whether ten times as many
// events take more than ten times as long. Reading is compared with RocksDB and FlatBuffers alone.
#include <rocksdb/db.h>

#include <filesystem>

#include "bench/harness/driving.h"
#include "bench/harness/history.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"
#include "engine/log/read_ahead.h"
#include "engine/log/rocks_event_log.h"
#include "engine/log/rocks_log_db.h"
#include "engine/log/verify_chain.h"
#include "engine/view/fold.h"
#include "engine/view/rocks_view_store.h"
#include "projections/registry.h"

namespace luzia::bench {
namespace {

constexpr std::uint64_t kLarger = 10;

/// Reads and verifies every event; returns their total size in bytes.
double read_all(const std::unique_ptr<GroupCursor>& cursor, std::uint64_t events) {
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

/// A lower bound for reading on one thread: RocksDB's scan of the same values, unused.
double seconds_of_scan(const std::string& store) {
  const auto opened = RocksLogDb::open(store + "/log", OpenMode::read_only, nullptr);
  if (!opened) give_up(opened.error().message);
  const double begin = now_seconds();
  const std::unique_ptr<rocksdb::Iterator> at((*opened)->db().NewIterator({}, (*opened)->groups()));
  std::size_t bytes = 0;
  for (at->SeekToFirst(); at->Valid(); at->Next()) bytes += at->value().size();
  if (!at->status().ok() || bytes == 0) give_up("the log cannot be scanned");
  return now_seconds() - begin;
}

/// Seconds per event of FlatBuffers' verifier alone, over the log's first events in memory.
double seconds_per_verified_event(const EventLog& log) {
  constexpr std::size_t kBytes = 64 << 20;
  std::vector<std::shared_ptr<const Group>> groups;
  const auto cursor = log.read_from(1);
  for (std::size_t bytes = 0; bytes < kBytes; bytes += groups.back()->frames().size()) {
    auto group = cursor->next();
    if (!group) give_up(group.error().message);
    if (!*group) break;
    groups.push_back(std::move(*group));
  }
  const double begin = now_seconds();
  std::uint64_t events = 0;
  for (const auto& group : groups) {
    for (std::size_t i = 0; i < group->events().size(); ++i, ++events) {
      const Bytes event = group->event_bytes(i);
      flatbuffers::Verifier verifier(event.data(), event.size());
      if (!schema::VerifyEventBuffer(verifier)) give_up("an event is not valid");
    }
  }
  return (now_seconds() - begin) / static_cast<double>(events);
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
  std::pair<double, double> read, read_alone, chain, rows;  // seconds and spread
  std::pair<double, double> scan, verify;                   // the same for the yardsticks
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
  result.bytes = read_all((*log)->read_from(1), count->events);  // also warms the page cache
  const auto timed = [&](auto work) {
    return repeated(setting.repetitions, [&] { return seconds_of(work); });
  };
  result.read = timed([&] { read_all(read_ahead(**log, 1, ~Position{0}), count->events); });
  result.read_alone = timed([&] { read_all((*log)->read_from(1), count->events); });
  result.scan = repeated(setting.repetitions, [&] { return seconds_of_scan(store); });
  result.verify = repeated(setting.repetitions, [&] {
    return seconds_per_verified_event(**log) * static_cast<double>(count->events);
  });
  result.chain = timed([&] { prove_chain(**log, count->events); });
  result.rows = timed([&] { fold_all(**log, store + "/views"); });
  log->reset();
  std::filesystem::remove_all(store);
  return result;
}

/// BLAKE2b over the same number of bytes, in pieces of an event's size: an upper bound for the chain.
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
  const auto add = [&](const Replayed& of, const std::string& name,
                       std::pair<double, double> took) -> Figure& {
    const auto events = static_cast<double>(of.events);
    Figure figure =
        plain_figure(name + ", " + std::to_string(of.events) + " events", events / took.first, "events/s");
    figure.spread = took.second;
    figure.size = events;
    figure.met = true;
    return figures.emplace_back(std::move(figure));
  };
  const auto bound = [](Figure& figure, double least) {
    figure.goal = ">= " + std::to_string(static_cast<int>(least / 1e6)) + "M events/s";
    figure.met = figure.value >= least;
  };
  const auto beside = [](Figure& figure, const std::string& yardstick, double value) {
    figure.yardstick = yardstick;
    figure.yardstick_value = value;
  };
  for (const Replayed* of : {&small, &large}) {
    add(*of, "RocksDB's scan of the same store", of->scan).goal = "(a yardstick)";
    add(*of, "FlatBuffers' verification of the same events in memory", of->verify).goal = "(a yardstick)";
    const std::string both = "the scan, then the verification, events/s";
    const double both_value = static_cast<double>(of->events) / (of->scan.first + of->verify.first);
    Figure& alone = add(*of, "replay, read and verify on one thread", of->read_alone);
    alone.goal = "(for comparison)";
    beside(alone, both, both_value);
    Figure& read = add(*of, "replay, read and verify", of->read);
    bound(read, 8e6);
    beside(read, both, both_value);
    Figure& chain = add(*of, "replay, with the hash chain", of->chain);
    bound(chain, 2e6);
    beside(chain, "BLAKE2b over the same bytes, events/s", hashes_per_second(*of));
    bound(add(*of, "replay, all projections and rows written", of->rows), 1e6);
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
