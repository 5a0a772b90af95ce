// The parts of web that need no browser: reads beside the socket's, many readers of events, and attacks.
#include <algorithm>

#include "bench/harness/driving.h"
#include "bench/harness/event_load.h"
#include "bench/harness/event_readers.h"
#include "bench/harness/http_connection.h"
#include "bench/harness/plain_server.h"
#include "bench/harness/progress.h"
#include "bench/harness/web_flood.h"
#include "bench/harness/web_parts.h"
#include "bench/harness/web_subject.h"

namespace luzia::bench {
namespace {

constexpr int kReadingDevices = 12;  // each may ask 500 times a second
constexpr int kReaders = 200;
constexpr double kLeastLoad = 5;  // seconds

struct Attack {
  FloodKind kind;
  int connections;
  const char* name;
};
constexpr Attack kAttacks[] = {{FloodKind::slow_heads, 500, "500 connections with slow headers (slowloris)"},
                               {FloodKind::idle, 10'000, "10,000 idle connections"},
                               {FloodKind::bodies, 64, "64 senders of 1 GB bodies"}};

/// Processor time of both servers over a while, as shares of a core.
struct Shares {
  double daemon = 0, web = 0;
};
Shares shares_over(const Subject& subject, const WebSubject& web, double seconds) {
  const double begin = now_seconds();
  const double daemon = use_of(subject.pid()).cpu_seconds, page = use_of(web.pid()).cpu_seconds;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double took = now_seconds() - begin;
  return {(use_of(subject.pid()).cpu_seconds - daemon) / took * 100,
          (use_of(web.pid()).cpu_seconds - page) / took * 100};
}

Figure latest_figure(const std::string& name, const EventReaders::Result& read,
                     const EventFollower::Result& followed) {
  Figure figure = plain_figure(name + ": latest event", read.latest_s * 1e3, "ms");
  figure.p50_us = read.late.percentile_us(0.5);
  figure.p99_us = read.late.percentile_us(0.99);
  figure.yardstick = "latest at a follower of the socket, ms";
  figure.yardstick_value = followed.latest_s * 1e3;
  figure.goal = "none behind by over 1 s";
  figure.met = read.behind == 0 && read.late.count() > 0 && read.latest_s <= 1;
  return figure;
}

double dispatch_p99(const Subject& subject, double seconds) {
  return dispatch_for(subject, 1, seconds).latencies.percentile_us(0.99);
}

/// The same while `port` is flooded.
double flooded_p99(const Setting& setting, const Subject& subject, std::uint16_t port, const Attack& attack) {
  const WebFlood flood(port, attack.kind, attack.connections);
  const double p99 = dispatch_p99(subject, setting.seconds);
  if (flood.opened() < static_cast<std::uint64_t>(attack.connections))
    give_up("only " + std::to_string(flood.opened()) + " connections were taken");
  return p99;
}

/// Two figures: beside the same flood of a plain server, and beside no flood at all.
std::vector<Figure> attacked(const Setting& setting, const Subject& subject, const WebSubject& web,
                             const Attack& attack) {
  const std::string name = std::string("dispatch p99 beside ") + attack.name;
  if (WebFlood::most_connections() < attack.connections)
    return {missing_figure(name, "the limit of open files is too low here (ulimit -Hn)")};
  show_progress("web: " + name);
  const PlainServer plain;
  std::vector<double> without, beside_plain;
  const auto with = repeated(setting.repetitions, [&] {
    without.push_back(dispatch_p99(subject, setting.seconds));
    beside_plain.push_back(flooded_p99(setting, subject, plain.port(), attack));
    return flooded_p99(setting, subject, web.port(), attack);
  });
  Figure figure = plain_figure(name, with.first, "us");
  figure.spread = with.second;
  figure.p99_us = with.first;
  figure.yardstick = "beside the same on a plain server, us";
  figure.yardstick_value = median(beside_plain);
  figure.goal = "<= 1.2 x the yardstick";
  figure.met = figure.ratio() <= 1.2;
  Figure quiet = figure;
  quiet.name += ", beside none";
  quiet.yardstick = "without, us";
  quiet.yardstick_value = median(without);
  quiet.goal = "(for comparison)";
  quiet.met = true;
  return {figure, quiet};
}

}  // namespace

std::vector<Figure> measure_read(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/read", 1);
  subject.start();
  Client client = subject.connect();
  const std::string job = dispatch_all(client, "true", 1).front();
  wait_for_all(client, {job});
  const WebSubject web(subject);
  std::vector<std::string> tokens;
  for (int i = 0; i < kReadingDevices; ++i) tokens.push_back(web.pair());
  HttpConnection connection(web.port());
  const wire::RequestUnion query = job_query(job);
  Latencies by_api, by_socket, by_new_socket, without_daemon;
  const auto timed = [](Latencies& into, auto ask) {
    const double begin = now_seconds();
    ask();
    into.add(now_seconds() - begin);
  };
  const double start = now_seconds();
  for (std::size_t turn = 0; now_seconds() - start < 3 * setting.seconds; ++turn) {
    timed(by_socket, [&] {
      if (!client.ask(query)) give_up("the daemon does not answer");
    });
    timed(by_api, [&] { connection.ask("/v1/jobs/" + job, tokens[turn % tokens.size()], "", 200); });
    timed(without_daemon, [&] { connection.ask("/healthz", "", "", 200); });
    timed(by_new_socket, [&] {
      if (!subject.connect().ask(query)) give_up("the daemon does not answer");
    });
  }
  Figure kept = latency_figure("API read of a job", by_api, 0);
  kept.yardstick = "the same by socket, p50, us";
  kept.yardstick_value = by_socket.percentile_us(0.5);
  kept.goal = "<= 2 x the yardstick";
  kept.met = by_api.count() > 0 && kept.ratio() <= 2;
  Figure fresh = kept;
  fresh.name = "API read of a job, beside a new connection each";
  fresh.yardstick_value = by_new_socket.percentile_us(0.5);
  fresh.goal = "(for comparison)";
  fresh.met = true;
  Figure least = fresh;
  least.name = "API read of a job, beside an answer without the daemon and a read by socket";
  least.yardstick = "/healthz and the same by socket, p50, us";
  least.yardstick_value = without_daemon.percentile_us(0.5) + by_socket.percentile_us(0.5);
  return {kept, fresh, least};
}

std::vector<Figure> measure_readers(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/readers", kLoadedJobs);
  subject.start();
  const WebSubject web(subject);
  const double seconds = std::max(kLeastLoad, setting.seconds);
  const int count = setting.clients > 0 ? setting.clients : kReaders;
  EventLoad load(subject, kWebEventsPerSecond);
  const Shares alone = shares_over(subject, web, seconds);
  EventReaders readers(web, count);
  EventFollower follower(subject);
  readers.begin();
  const std::uint64_t before = load.count();
  const Shares with = shares_over(subject, web, seconds);
  const double rate = static_cast<double>(load.count() - before) / seconds;
  const EventReaders::Result read = readers.stop(load.stop());
  const EventFollower::Result followed = follower.stop();
  const std::string name = std::to_string(count) + " readers of events";
  Figure events = plain_figure(name + ": events", rate, "events/s");
  events.yardstick = "wanted, events/s";
  events.yardstick_value = kWebEventsPerSecond;
  events.goal = "(the load)";
  events.met = events.ratio() >= 0.9;
  Figure page = plain_figure(name + ": CPU of luzia-web", with.web, "% of a core");
  page.yardstick = "without readers, % of a core";
  page.yardstick_value = alone.web;
  page.goal = "<= 100 %";
  page.met = with.web <= 100;
  Figure daemon = plain_figure(name + ": CPU of the daemon", with.daemon, "% of a core");
  daemon.yardstick = page.yardstick;
  daemon.yardstick_value = alone.daemon;
  daemon.goal = "<= 1.2 x the yardstick";
  daemon.met = daemon.ratio() <= 1.2;
  return {events, latest_figure(name, read, followed), page, daemon};
}

std::vector<Figure> measure_attacks(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/attacks", 1);
  subject.start();
  pause(subject);
  const WebSubject web(subject);
  std::vector<Figure> figures;
  for (const Attack& attack : kAttacks) {
    for (Figure& figure : attacked(setting, subject, web, attack)) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace luzia::bench
