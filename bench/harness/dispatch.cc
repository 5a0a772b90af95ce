// Durable dispatch: a task is accepted when its id is returned, which happens after its event is fsynced.
#include <algorithm>

#include "bench/harness/driving.h"
#include "bench/harness/durable_server.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/yardsticks.h"

namespace luzia::bench {
namespace {

constexpr const char* kUnit = "dispatches/s";

/// --clients and --outstanding: this load, compared with put batches as large as the number of dispatches in
/// flight.
std::vector<Figure> run_wanted_load(const Setting& setting, const Subject& subject) {
  const int clients = std::max(1, setting.clients), outstanding = std::max(1, setting.outstanding);
  Rate last;
  const auto rate = repeated(setting.repetitions, [&] {
    last = dispatch_from_many(subject, clients, outstanding, setting.seconds);
    return last.per_second;
  });
  const int under_way = clients * outstanding;
  Figure figure = rate_figure("dispatch, " + std::to_string(clients) + " clients with " +
                                  std::to_string(outstanding) + " outstanding",
                              rate, kUnit, last.latencies);
  figure.yardstick = "raw RocksDB sync put in batches of " + std::to_string(under_way) + ", puts/s";
  figure.yardstick_value = rocksdb_sync_put(setting.scratch, under_way, setting.seconds).per_second;
  figure.goal = "(for comparison)";
  figure.met = true;
  return {figure};
}

/// The load on the daemon, measured in turns with the same load on a bare durable server.
struct BesideBareSocket {
  std::pair<double, double> ours;  // median and spread of the dispatches per second
  double bare = 0;                 // median, answers/s
  Latencies latencies, bare_latencies;
};

BesideBareSocket beside_bare_socket(const Setting& setting, const Subject& subject, int clients,
                                    int outstanding) {
  BesideBareSocket run;
  std::vector<double> bare;
  run.ours = repeated(setting.repetitions, [&] {
    {
      const DurableServer server(setting.scratch + "/yardstick.socket", setting.scratch + "/yardstick.store");
      const Rate rate = dispatch_to(server.socket(), clients, outstanding, setting.seconds);
      bare.push_back(rate.per_second);
      run.bare_latencies.add_all(rate.latencies);
    }
    const Rate rate = dispatch_from_many(subject, clients, outstanding, setting.seconds);
    run.latencies.add_all(rate.latencies);
    return rate.per_second;
  });
  run.bare = median(bare);
  return run;
}

/// `share`: the ratio to the bare socket that met `goal` on the machine where the goal was set.
Figure rate_beside_bare_socket(const Setting& setting, const Subject& subject, const std::string& name,
                               int clients, int outstanding, int goal, double share) {
  const BesideBareSocket run = beside_bare_socket(setting, subject, clients, outstanding);
  Figure figure = rate_figure(name, run.ours, kUnit, run.latencies);
  figure.yardstick = "the same load on a bare socket with a durable put, answers/s";
  figure.yardstick_value = run.bare;
  figure.goal = ">= " + std::to_string(goal / 1'000) + "k/s, or " + std::to_string(share).substr(0, 4) +
                " x the yardstick";
  figure.met = figure.value >= goal || figure.ratio() >= share;
  return figure;
}

/// Shows how much of a single dispatch's latency is the two threads and the disk that any durable server
/// needs.
Figure latency_beside_bare_socket(const Setting& setting, const Subject& subject) {
  const BesideBareSocket run = beside_bare_socket(setting, subject, 1, 1);
  Figure figure =
      rate_figure("dispatch latency p50, 1 client, beside a bare socket", run.ours, "us", run.latencies);
  figure.value = *figure.p50_us;
  figure.yardstick = "p50 of the same load on a bare socket with a durable put, us";
  figure.yardstick_value = run.bare_latencies.percentile_us(0.5);
  figure.goal = "(for comparison)";
  figure.met = true;
  return figure;
}

}  // namespace

std::vector<Figure> run_dispatch(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/dispatch", 1);
  subject.start();
  pause(subject);
  dispatch_for(subject, 1, 0.3);  // warm up
  if (setting.clients != 0 || setting.outstanding != 0) return run_wanted_load(setting, subject);
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
  Figure one =
      rate_figure("dispatch, 1 client one at a time",
                  measure([&] { return dispatch_for(subject, 1, setting.seconds); }), kUnit, last.latencies);
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

  figures.push_back(latency_beside_bare_socket(setting, subject));
  figures.push_back(rate_beside_bare_socket(setting, subject, "dispatch, 16 clients", 16, 1, 60'000, 0.78));
  figures.push_back(rate_beside_bare_socket(setting, subject, "dispatch, 1 client with 128 outstanding", 1,
                                            128, 300'000, 0.55));
  return figures;
}

}  // namespace luzia::bench
