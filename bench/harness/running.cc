// Jobs that run: end to end, output to event, silent crowds.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "bench/harness/scenarios.h"
#include "bench/harness/subject.h"
#include "bench/harness/yardsticks.h"
#include "event.fb.h"
#include "view.fb.h"

namespace luzia::bench {
namespace {

/// Dispatches without waiting for each; the ids in order.
std::vector<std::string> dispatch_all(Client& client, const std::string& task, int count) {
  std::vector<std::string> ids;
  const wire::RequestUnion request = dispatch_request(task);
  for (int i = 0; i < count; ++i) {
    if (!client.post(request)) return ids;
  }
  while (static_cast<int>(ids.size()) < count) {
    auto frame = client.receive();
    if (!frame || *frame == nullptr || (*frame)->reply_type() != wire::Reply::Accepted) break;
    ids.push_back((*frame)->reply_as_Accepted()->ids()->Get(0)->str());
  }
  return ids;
}

void wait_for_all(Client& client, std::vector<std::string> ids, std::vector<schema::JobState> until = {}) {
  wire::WaitT wait;
  wait.jobs = std::move(ids);
  wait.until = std::move(until);
  wire::RequestUnion request;
  request.Set(std::move(wait));
  (void)client.ask(request);
}

struct ProcessUse {
  std::uint64_t wakeups = 0;
  double cpu_seconds = 0;
  double rss_kib = 0;
};

ProcessUse use_of(pid_t pid) {
  ProcessUse use;
  const std::string base = "/proc/" + std::to_string(pid);
  std::ifstream stat(base + "/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skip;
  for (int i = 0; i < 11; ++i) fields >> skip;
  double user = 0, system = 0;
  fields >> user >> system;
  use.cpu_seconds = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream status(base + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) use.rss_kib = std::stod(line.substr(6));
  }
  for (const auto& task : std::filesystem::directory_iterator(base + "/task")) {
    std::ifstream switches(task.path() / "status");
    for (std::string line; std::getline(switches, line);) {
      if (line.starts_with("voluntary_ctxt_switches:")) use.wakeups += std::stoull(line.substr(24));
    }
  }
  return use;
}

}  // namespace

std::vector<Figure> run_e2e(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/e2e", 4);
  subject.start();
  Client client = subject.connect();
  wait_for_all(client, dispatch_all(client, "true", 20));
  const Rate spawn = spawn_true(setting.seconds);
  const auto rate = repeated(setting.repetitions, [&] {
    const double start = now_seconds();
    wait_for_all(client, dispatch_all(client, "true", setting.jobs));
    return setting.jobs / (now_seconds() - start);
  });
  Figure figure;
  figure.name = "end to end, true jobs";
  figure.value = rate.first;
  figure.spread = rate.second;
  figure.unit = "finished/s";
  figure.yardstick = "raw spawn of the same two processes, pairs/s";
  figure.yardstick_value = spawn.per_second / 2;
  figure.goal = ">= 0.5 x the yardstick";
  figure.met = figure.ratio() >= 0.5;
  return {figure};
}

std::vector<Figure> run_watch(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/watch", 4);
  subject.start();
  Client follower = subject.connect();
  wire::FollowT follow;
  follow.live = true;
  follow.from_now = true;
  wire::RequestUnion request;
  request.Set(std::move(follow));
  if (!follower.send(request)) return {};
  const int marks = std::max(40, static_cast<int>(setting.seconds * 200));
  Client client = subject.connect();
  // The agent is this program again: each of its lines carries the time of its writing.
  char program[4096] = {};
  if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return {};
  (void)client.ask(dispatch_request(std::string(program) + " marks " + std::to_string(marks)));
  Latencies latencies;
  while (static_cast<int>(latencies.count()) < marks) {
    auto frame = follower.receive(std::chrono::milliseconds(5000));
    if (!frame || *frame == nullptr) break;
    const double now = now_seconds();
    const auto* events = (*frame)->reply_as_Events();
    if (events == nullptr || events->events() == nullptr) continue;
    for (const auto* row : *events->events()) {
      const auto* event = schema::GetEvent(row->data()->data());
      const auto* output = event->payload_as_OutputEvent();
      const auto* note = output != nullptr ? output->fact_as_AnnotationFound() : nullptr;
      if (note == nullptr || note->message() == nullptr) continue;
      latencies.add(now - std::stod(note->message()->str()));
    }
  }
  Figure figure;
  figure.name = "output to event, 200 lines/s";
  figure.value = latencies.percentile_us(0.5);
  figure.unit = "us";
  figure.p50_us = latencies.percentile_us(0.5);
  figure.p99_us = latencies.percentile_us(0.99);
  figure.yardstick = "p50 of append+fdatasync, us";
  figure.yardstick_value = append_fdatasync(setting.scratch, setting.seconds).latencies.percentile_us(0.5);
  figure.goal = "p50 <= 500 us, p99 <= 2000 us";
  figure.met =
      static_cast<int>(latencies.count()) == marks && *figure.p50_us <= 500 && *figure.p99_us <= 2000;
  return {figure};
}

std::vector<Figure> run_idle(const Setting& setting) {
  const int jobs = setting.jobs;
  Subject subject(setting.bin, setting.scratch + "/idle", jobs);
  subject.start();
  Client client = subject.connect();
  const ProcessUse empty = use_of(subject.pid());
  const std::vector<std::string> ids = dispatch_all(client, "exec sleep 1000", jobs);
  for (const std::string& id : ids) wait_for_all(client, {id}, {schema::JobState::running});
  sleep(6);
  const double seconds = std::max(10.0, setting.seconds);
  const ProcessUse before = use_of(subject.pid());
  usleep(static_cast<useconds_t>(seconds * 1e6));
  const ProcessUse after = use_of(subject.pid());
  wire::ActOnJobsT cancel;
  cancel.jobs = ids;
  cancel.grace_ms = 0;
  wire::RequestUnion request;
  request.Set(std::move(cancel));
  (void)client.ask(request);
  wait_for_all(client, ids);

  const auto make = [&](const char* name, double value, const char* unit, const char* goal, bool met) {
    Figure figure;
    figure.name = std::to_string(jobs) + " live silent jobs: " + name;
    figure.value = value;
    figure.unit = unit;
    figure.goal = goal;
    figure.met = met;
    return figure;
  };
  const double wakeups = static_cast<double>(after.wakeups - before.wakeups) / seconds;
  const double cpu = (after.cpu_seconds - before.cpu_seconds) / seconds * 100;
  const double each = (after.rss_kib - empty.rss_kib) / jobs;
  return {make("wakeups", wakeups, "1/s", "one timer", wakeups <= 2),
          make("CPU", cpu, "% of a core", "< 0.5 %", cpu < 0.5),
          make("memory per live job", each, "KiB", "<= 24 KiB", each <= 24)};
}

}  // namespace luzia::bench
