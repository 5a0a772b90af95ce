// The parts of web that need no browser: reads beside the socket's, many readers of events, and attacks.
#include <algorithm>

#include "bench/harness/driving.h"
#include "bench/harness/event_load.h"
#include "bench/harness/event_readers.h"
#include "bench/harness/http_connection.h"
#include "bench/harness/least_door.h"
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

Figure comparison_figure(Figure figure, const std::string& beside, std::string yardstick, double value) {
  figure.name += ", beside " + beside;
  figure.yardstick = std::move(yardstick);
  figure.yardstick_value = value;
  figure.goal = "(for comparison)";
  figure.met = true;
  return figure;
}

/// Figures beside the same flood of a plain server, and beside no flood at all; of bodies also beside a plain
/// server that keeps the senders waiting, as luzia-web does: it has far fewer of them, each of which sends
/// more.
std::vector<Figure> attacked(const Setting& setting, const Subject& subject, const WebSubject& web,
                             const Attack& attack) {
  const std::string name = std::string("dispatch p99 beside ") + attack.name;
  if (WebFlood::most_connections() < attack.connections)
    return {missing_figure(name, "the limit of open files is too low here (ulimit -Hn)")};
  show_progress("web: " + name);
  const PlainServer plain, keeping(PlainServer::Refused::kept);
  const bool bodies = attack.kind == FloodKind::bodies;
  std::vector<double> without, beside_plain, beside_keeping;
  const auto with = repeated(setting.repetitions, [&] {
    without.push_back(dispatch_p99(subject, setting.seconds));
    beside_plain.push_back(flooded_p99(setting, subject, plain.port(), attack));
    if (bodies) beside_keeping.push_back(flooded_p99(setting, subject, keeping.port(), attack));
    return flooded_p99(setting, subject, web.port(), attack);
  });
  Figure figure = plain_figure(name, with.first, "us");
  figure.spread = with.second;
  figure.p99_us = with.first;
  figure.yardstick = "beside the same on a plain server, us";
  figure.yardstick_value = median(beside_plain);
  figure.goal = "<= 1.2 x the yardstick";
  figure.met = figure.ratio() <= 1.2;
  std::vector<Figure> figures{figure, comparison_figure(figure, "none", "without, us", median(without))};
  if (bodies)
    figures.push_back(comparison_figure(figure, "a server that keeps them waiting",
                                        "beside the same on such a plain server, us",
                                        median(beside_keeping)));
  return figures;
}

/// Times of a read in turns, and of a constant answer.
struct ReadTimes {
  Latencies by_api, by_socket, by_least, by_new_socket, constant, least_constant;
};

std::vector<Figure> read_figures(const ReadTimes& times) {
  const auto beside = [](Figure figure, std::string name, std::string yardstick, double value) {
    figure.name = std::move(name);
    figure.yardstick = std::move(yardstick);
    figure.yardstick_value = value;
    figure.goal = "(for comparison)";
    figure.met = true;
    return figure;
  };
  const double socket = times.by_socket.percentile_us(0.5), least = times.by_least.percentile_us(0.5);
  const Figure api = latency_figure("API read of a job", times.by_api, 0);
  Figure judged = beside(api, api.name, "the same by the least that an HTTP server does, p50, us", least);
  judged.goal = "<= 1.25 x the yardstick";
  judged.met = times.by_api.count() > 0 && judged.ratio() <= 1.25;
  const std::string by_socket = "the same by socket, p50, us";
  return {judged,
          beside(latency_figure("", times.by_least, 0), "the least any HTTP door costs: read of a job",
                 by_socket, socket),
          beside(api, api.name + ", beside the socket", by_socket, socket),
          beside(api, api.name + ", beside a new connection each", by_socket,
                 times.by_new_socket.percentile_us(0.5)),
          beside(latency_figure("", times.constant, 0), "API, a constant answer",
                 "the same by the least that an HTTP server does, p50, us",
                 times.least_constant.percentile_us(0.5))};
}

}  // namespace

std::vector<Figure> measure_read(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/read", 1);
  subject.start();
  Client client = subject.connect();
  const std::string job = dispatch_all(client, "true", 1).front();
  wait_for_all(client, {job});
  const WebSubject web(subject);
  const LeastDoor least(subject.socket());
  std::vector<std::string> tokens;
  for (int i = 0; i < kReadingDevices; ++i) tokens.push_back(web.pair());
  HttpConnection connection(web.port()), least_connection(least.port());
  const wire::RequestUnion query = job_query(job);
  const std::string address = "/v1/jobs/" + job;
  ReadTimes times;
  const auto timed = [](Latencies& into, auto ask) {
    const double begin = now_seconds();
    ask();
    into.add(now_seconds() - begin);
  };
  const double start = now_seconds();
  for (std::size_t turn = 0; now_seconds() - start < 3 * setting.seconds; ++turn) {
    timed(times.by_socket, [&] {
      if (!client.ask(query)) give_up("the daemon does not answer");
    });
    timed(times.by_api, [&] { connection.ask(address, tokens[turn % tokens.size()], "", 200); });
    timed(times.by_least, [&] { least_connection.ask(address, "", "", 200); });
    timed(times.constant, [&] { connection.ask("/healthz", "", "", 200); });
    timed(times.least_constant, [&] { least_connection.ask("/healthz", "", "", 200); });
    timed(times.by_new_socket, [&] {
      if (!subject.connect().ask(query)) give_up("the daemon does not answer");
    });
  }
  return read_figures(times);
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
