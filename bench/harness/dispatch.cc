// Durable dispatch: a task is accepted when its id comes back, and it comes back when its event is fsynced.
#include <thread>

#include "bench/harness/scenarios.h"
#include "bench/harness/subject.h"
#include "bench/harness/yardsticks.h"

namespace luzia::bench {
namespace {

/// One client that keeps `outstanding` requests under way.
Rate dispatch_from(const Subject& subject, int outstanding, double seconds) {
  Client client = subject.connect();
  const wire::RequestUnion request = dispatch_request("true");
  Rate rate;
  std::unordered_map<std::uint64_t, double> sent;
  const double start = now_seconds();
  double now = start;
  std::uint64_t done = 0;
  const auto send_one = [&] {
    const auto id = client.post(request);
    if (id) sent.emplace(*id, now_seconds());
  };
  for (int i = 0; i < outstanding; ++i) send_one();
  while (!sent.empty()) {
    auto frame = client.receive();
    if (!frame || *frame == nullptr || (*frame)->reply_type() != wire::Reply::Accepted) break;
    now = now_seconds();
    const auto it = sent.find((*frame)->id());
    if (it == sent.end()) continue;
    rate.latencies.add(now - it->second);
    sent.erase(it);
    ++done;
    if (now - start < seconds) send_one();
  }
  rate.per_second = static_cast<double>(done) / (now - start);
  return rate;
}

Rate dispatch_from_many(const Subject& subject, int clients, double seconds) {
  std::vector<Rate> rates(static_cast<std::size_t>(clients));
  std::vector<std::thread> threads;
  for (Rate& rate : rates) {
    threads.emplace_back([&rate, &subject, seconds] { rate = dispatch_from(subject, 1, seconds); });
  }
  for (std::thread& thread : threads) thread.join();
  Rate sum;
  for (const Rate& rate : rates) {
    sum.per_second += rate.per_second;
    sum.latencies.add_all(rate.latencies);
  }
  return sum;
}

Figure figure(const std::string& name, std::pair<double, double> rate, const Latencies& latencies) {
  Figure result;
  result.name = name;
  result.value = rate.first;
  result.spread = rate.second;
  result.unit = "dispatches/s";
  result.p50_us = latencies.percentile_us(0.5);
  result.p99_us = latencies.percentile_us(0.99);
  return result;
}

}  // namespace

std::vector<Figure> run_dispatch(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/dispatch", 1);
  subject.start();
  subject.connect().ask(pause_queue(true));
  dispatch_from(subject, 1, 0.3);  // warm up
  const Rate put = rocksdb_sync_put(setting.scratch, 1, setting.seconds);
  const Rate append = append_fdatasync(setting.scratch, setting.seconds);
  const Rate ping = socket_ping(setting.seconds);

  std::vector<Figure> figures;
  Rate last;
  const auto measure = [&](auto run) {
    return repeated(setting.repetitions, [&] {
      last = run();
      return last.per_second;
    });
  };
  Figure one = figure("dispatch, 1 client one at a time",
                      measure([&] { return dispatch_from(subject, 1, setting.seconds); }), last.latencies);
  one.yardstick = "raw RocksDB sync put/s";
  one.yardstick_value = put.per_second;
  one.goal = ">= 0.8 x the yardstick";
  one.met = one.ratio() >= 0.8;
  figures.push_back(one);

  Figure latency = one;
  latency.name = "dispatch latency p50, 1 client";
  latency.value = *one.p50_us;
  latency.unit = "us";
  latency.yardstick = "p50 of append+fdatasync + one socket round trip, us";
  latency.yardstick_value = append.latencies.percentile_us(0.5) + ping.latencies.percentile_us(0.5);
  latency.goal = "<= 1.5 x the yardstick";
  latency.met = latency.ratio() <= 1.5;
  figures.push_back(latency);

  Figure many =
      figure("dispatch, 16 clients",
             measure([&] { return dispatch_from_many(subject, 16, setting.seconds); }), last.latencies);
  many.yardstick = "goal, dispatches/s";
  many.yardstick_value = 60'000;
  many.goal = ">= 60k/s";
  many.met = many.value >= 60'000;
  figures.push_back(many);

  Figure deep = figure("dispatch, 1 client with 128 outstanding",
                       measure([&] { return dispatch_from(subject, 128, setting.seconds); }), last.latencies);
  const Rate batch = rocksdb_sync_put(setting.scratch, 128, setting.seconds);
  deep.yardstick = "raw RocksDB sync put in batches of 128, puts/s";
  deep.yardstick_value = batch.per_second;
  deep.goal = ">= 300k/s";
  deep.met = deep.value >= 300'000;
  figures.push_back(deep);
  return figures;
}

}  // namespace luzia::bench
