// Reads and starts: status, and the time until a daemon is ready.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/harness/scenarios.h"
#include "bench/harness/subject.h"
#include "bench/harness/yardsticks.h"

namespace luzia::bench {
namespace {

wire::RequestUnion job_query(const std::string& id) {
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {id};
  wire::RequestUnion request;
  request.Set(std::move(query));
  return request;
}

std::string dispatch_many(Client& client, int count) {
  std::string last;
  const wire::RequestUnion request = dispatch_request("true");
  int waiting = 0;
  for (int i = 0; i < count || waiting > 0;) {
    while (i < count && waiting < 128) {
      if (!client.post(request)) return last;
      ++i;
      ++waiting;
    }
    auto frame = client.receive();
    if (!frame || *frame == nullptr || (*frame)->reply_type() != wire::Reply::Accepted) return last;
    last = (*frame)->reply_as_Accepted()->ids()->Get(0)->str();
    --waiting;
  }
  return last;
}

Rate run_program(const std::vector<std::string>& words, double seconds) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  Rate rate;
  const double start = now_seconds();
  while (now_seconds() - start < seconds) {
    const double begin = now_seconds();
    pid_t pid = 0;
    if (posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) break;
    int status = 0;
    waitpid(pid, &status, 0);
    if (status != 0) break;
    rate.latencies.add(now_seconds() - begin);
  }
  posix_spawn_file_actions_destroy(&actions);
  return rate;
}

Figure latency_figure(const std::string& name, const Latencies& latencies, double bound_us) {
  Figure figure;
  figure.name = name;
  figure.value = latencies.percentile_us(0.5);
  figure.unit = "us";
  figure.p50_us = figure.value;
  figure.p99_us = latencies.percentile_us(0.99);
  figure.goal = "<= " + std::to_string(static_cast<int>(bound_us)) + " us";
  figure.met = latencies.count() > 0 && figure.value <= bound_us;
  return figure;
}

}  // namespace

std::vector<Figure> run_status(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/status", 1);
  subject.start();
  Client client = subject.connect();
  (void)client.ask(pause_queue(true));
  const std::string id = dispatch_many(client, setting.jobs);
  const wire::RequestUnion query = job_query(id);
  Latencies latencies;
  const double start = now_seconds();
  while (now_seconds() - start < setting.seconds) {
    const double begin = now_seconds();
    if (!client.ask(query)) break;
    latencies.add(now_seconds() - begin);
  }
  Figure socket = latency_figure("status of a live job over the socket", latencies, 20);
  socket.yardstick = "socket ping p50, us";
  socket.yardstick_value = socket_ping(setting.seconds).latencies.percentile_us(0.5);
  const double spawn = spawn_true(setting.seconds).latencies.percentile_us(0.5);
  Figure process = latency_figure(
      "whole process luzia job ID",
      run_program({subject.program("luzia"), "--config", subject.config(), "job", id}, setting.seconds)
          .latencies,
      1500);
  process.yardstick = "spawn of /bin/true p50, us";
  process.yardstick_value = spawn;
  subject.stop();
  Figure offline = latency_figure(
      "luzia-query job ID without daemon",
      run_program({subject.program("luzia-query"), "job", id, "--store", subject.store()}, setting.seconds)
          .latencies,
      6000);
  offline.yardstick = process.yardstick;
  offline.yardstick_value = spawn;
  return {socket, process, offline};
}

std::vector<Figure> run_open(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/open", 1);
  subject.start();
  {
    Client client = subject.connect();
    (void)client.ask(pause_queue(true));
    dispatch_many(client, setting.jobs);
  }
  const auto figure = [&](const std::string& name, std::pair<double, double> seconds, double bound_ms) {
    Figure result;
    result.name = name + ", " + std::to_string(setting.jobs) + " queued jobs";
    result.value = seconds.first * 1000;
    result.spread = seconds.second;
    result.unit = "ms";
    result.goal = "<= " + std::to_string(static_cast<int>(bound_ms)) + " ms with 10M events";
    result.met = result.value <= bound_ms;
    return result;
  };
  const auto clean = repeated(setting.repetitions, [&] {
    subject.stop();
    return subject.start();
  });
  const auto killed = repeated(setting.repetitions, [&] {
    {
      Client client = subject.connect();
      dispatch_many(client, 200);
    }
    subject.kill_hard();
    return subject.start();
  });
  return {figure("ready after a clean stop", clean, 150), figure("ready after kill -9", killed, 1500)};
}

}  // namespace luzia::bench
