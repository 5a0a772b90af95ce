// Reads and starts: status, time until a daemon is ready, memory, and the cost of publishing.
#include <optional>

#include "adapters/memory/memory_event_log.h"
#include "adapters/memory/memory_history.h"
#include "bench/harness/driving.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/yardsticks.h"
#include "engine/base/ids.h"
#include "engine/core/engine.h"
#include "tools/publisher/publisher.h"

namespace luzia::bench {

namespace {

/// The daemon's own cost of returning a live job's state, with that many jobs alive.
Figure status_in_process(const Setting& setting) {
  MemoryEventLog log;
  MemoryHistory history(log);
  Committer committer(
      log, [](const CommitOutcome&) {}, Committer::Stepped{});
  Engine engine({}, committer, history, {});
  IdSource ids(7, "");
  std::vector<std::string> names;
  for (int i = 1; i <= setting.live; ++i) {
    JobState job;
    job.job = names.emplace_back(ids.next(1));
    job.state = schema::JobState::waiting;
    job.spec = std::make_unique<schema::JobSpecT>();
    job.queued_position = static_cast<Position>(i);
    engine.load(std::move(job));
  }
  const auto nanoseconds = repeated(setting.repetitions, [&] {
    constexpr int kRounds = 1'000;
    std::uint64_t found = 0;
    const double begin = now_seconds();
    for (int round = 0; round < kRounds; ++round) {
      for (const std::string& name : names) {
        found += engine.find_live(name)->state == schema::JobState::waiting ? 1u : 0u;
      }
    }
    const double seconds = now_seconds() - begin;
    if (found != names.size() * kRounds) give_up("a live job was not found");
    return seconds / static_cast<double>(found) * 1e9;
  });
  Figure figure = plain_figure("status of a live job in process, " + std::to_string(setting.live) + " live",
                               nanoseconds.first / 1000, "us");
  figure.spread = nanoseconds.second;
  figure.goal = "<= 0.1 us";
  figure.met = figure.value <= 0.1;
  return figure;
}

}  // namespace

std::vector<Figure> run_status(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/status", 1);
  subject.start();
  Client client = subject.connect();
  pause(subject);
  const std::string id = dispatch_all(client, "true", setting.jobs).back();
  Figure socket =
      latency_figure("status of a live job over the socket", ask_for_job(client, id, setting.seconds), 20);
  socket.yardstick = "socket ping p50, us";
  socket.yardstick_value = socket_ping(setting.seconds).latencies.percentile_us(0.5);
  const double spawn = spawn_true(setting.seconds).latencies.percentile_us(0.5);
  Figure process = latency_figure(
      "whole process luzia job ID",
      run_program({subject.program("luzia"), "--config", subject.config(), "job", id}, setting.seconds),
      1500);
  process.yardstick = "spawn of /bin/true p50, us";
  process.yardstick_value = spawn;
  subject.stop();
  Figure offline = latency_figure(
      "luzia-query job ID without daemon",
      run_program({subject.program("luzia-query"), "job", id, "--store", subject.store()}, setting.seconds),
      6000);
  offline.yardstick = process.yardstick;
  offline.yardstick_value = spawn;
  return {status_in_process(setting), socket, process, offline};
}

namespace {

/// The whole program `luzia PROJECT TASK` until its end, which follows the id, each time without a daemon.
/// The queue must be paused, so that no job's processes run beside the next measurement.
Figure first_command(const Setting& setting, const Subject& subject) {
  const std::string luzia = subject.program("luzia"), config = subject.config();
  const int times = std::max(10, 3 * setting.repetitions);
  Latencies first;
  for (int i = 0; i < times; ++i) {
    first.add_all(run_program({luzia, "--config", config, "bench", "true"}, 0));
    run_program({luzia, "--config", config, "daemon", "stop"}, 0);
  }
  Figure figure = latency_figure("first luzia PROJECT TASK without a daemon", first, 60'000);
  figure.goal = "p50 <= 60 ms";
  figure.yardstick = "spawn of two processes + append+fdatasync, p50, us";
  constexpr double kHalf = 0.5;
  figure.yardstick_value = 2 * spawn_true(setting.seconds).latencies.percentile_us(kHalf) +
                           append_fdatasync(setting.scratch, setting.seconds).latencies.percentile_us(kHalf);
  return figure;
}

}  // namespace

std::vector<Figure> run_open(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/open", 1);
  HistoryShape shape;
  shape.events = setting.events * 10;
  const HistoryCount history = fill_store(subject, shape);
  subject.start();
  pause(subject);
  const auto figure = [&](const std::string& name, std::pair<double, double> seconds, double bound_ms) {
    Figure result =
        plain_figure(name + ", " + std::to_string(history.events) + " events", seconds.first * 1000, "ms");
    result.spread = seconds.second;
    result.size = static_cast<double>(history.events);
    result.goal = "<= " + std::to_string(static_cast<int>(bound_ms)) + " ms with 10M events";
    result.met = result.value <= bound_ms;
    return result;
  };
  const auto clean = repeated(setting.repetitions, [&] {
    subject.stop();
    return subject.start();
  });
  subject.stop();
  Figure first = first_command(setting, subject);
  subject.start();
  const auto killed = repeated(setting.repetitions, [&] {
    dispatch_for(subject, 128, 0.5);
    subject.kill_hard();
    return subject.start();
  });
  return {figure("ready after a clean stop", clean, 40),
          figure("ready after kill -9 under load", killed, 500), std::move(first)};
}

std::vector<Figure> run_memory(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/memory", 1);
  HistoryShape shape;
  shape.jobs = setting.sizes.back();
  shape.terse = true;
  const HistoryCount history = fill_store(subject, shape);
  subject.start();
  Client client = subject.connect();
  ask_for_job(client, history.last_job, setting.seconds);
  const std::string jobs = std::to_string(history.jobs) + " finished jobs";
  Figure memory = plain_figure("memory of the daemon, " + jobs, use_of(subject.pid()).rss_kib / 1024, "MiB");
  memory.size = static_cast<double>(history.jobs);
  memory.goal = "<= 64 MiB";
  memory.met = memory.value <= 64;
  subject.stop();
  const double bytes = folder_bytes(subject.store() + "/log") + folder_bytes(subject.store() + "/views");
  Figure disk = plain_figure("disk per trivial job, events and rows, " + jobs,
                             bytes / static_cast<double>(history.jobs), "bytes");
  disk.size = memory.size;
  disk.goal = "<= 1024 bytes";
  disk.met = disk.value <= 1024;
  return {memory, disk};
}

std::vector<Figure> run_publish(const Setting& setting) {
  constexpr int kBurst = 64, kOfOneJob = 15 * kBurst;  // the daemon takes 1,000 of one job at once
  Subject subject(setting.bin, setting.scratch + "/publish", 1);
  subject.start();
  pause(subject);
  PublisherOptions options;
  options.store = subject.store();
  Client client = subject.connect();
  const auto jobs = dispatch_all(client, "true", 500);
  std::optional<Publisher> publisher;
  std::size_t next = 0;
  int left = 0;
  // Of the next job if this one has published enough. False: all have.
  const auto has_room = [&](int reports) {
    if (left < reports) {
      if (next == jobs.size()) return false;
      options.job = jobs[next++];
      publisher.emplace(options);
      left = kOfOneJob;
    }
    left -= reports;
    return true;
  };
  const publication::Progress progress{.progress_percent = 40, .current_step_name = "Run tests"};
  Latencies posted, durable;
  const double start = now_seconds();
  while (now_seconds() - start < setting.seconds && has_room(1)) {
    const double begin = now_seconds();
    if (const auto said = publisher->publish(progress); !said) give_up(said.message);
    durable.add(now_seconds() - begin);
  }
  for (const double from = now_seconds(); now_seconds() - from < setting.seconds && has_room(kBurst);) {
    const double begin = now_seconds();
    for (int i = 0; i < kBurst; ++i) {
      if (!publisher->publish_later(progress)) give_up("a report was not taken");
    }
    posted.add((now_seconds() - begin) / kBurst);
    if (!publisher->flush(std::chrono::minutes(1))) give_up("no answer to a report");
  }
  Figure later = latency_figure("one report from a program, asynchronous", posted, 2);
  Figure sure = latency_figure("one report from a program, durable", durable, 100);
  sure.yardstick = "p50 of append+fdatasync, us";
  sure.yardstick_value = append_fdatasync(setting.scratch, setting.seconds).latencies.percentile_us(0.5);
  return {later, sure};
}

}  // namespace luzia::bench
