// The time from a line of output to its event: one job at 200 lines/s, and many jobs.
#include <thread>

#include "bench/harness/driving.h"
#include "bench/harness/progress.h"
#include "bench/harness/scenarios.h"
#include "bench/harness/yardsticks.h"
#include "event.fb.h"
#include "view.fb.h"

namespace luzia::bench {
namespace {

constexpr double kMarksPerSecond = 200, kWatchStart = 1;
constexpr double kCrowdLinesPerSecond = 20;
constexpr int kCrowdMarkEvery = 20;
constexpr double kCrowdStart = 2, kCrowdStartsPerSecond = 100;

/// Follows every event from now on.
class Follower {
 public:
  explicit Follower(const Subject& subject) : client_(subject.connect()) {
    wire::FollowT follow;
    follow.live = true;
    follow.from_now = true;
    wire::RequestUnion request;
    request.Set(std::move(follow));
    if (auto sent = client_.send(request); !sent) give_up(sent.error().message);
  }
  /// Reads until `marks` notices were seen, or none came for `patience`.
  Latencies read_marks(std::uint64_t marks, std::chrono::milliseconds patience) {
    Latencies latencies;
    while (latencies.count() < marks) {
      auto frame = client_.receive(patience);
      if (!frame || *frame == nullptr) break;
      const auto* events = (*frame)->reply_as_Events();
      if (events != nullptr && events->events() != nullptr) add(*events->events(), latencies);
      if (latencies.count() % 512 == 0) {
        show_progress("reading marks", static_cast<double>(latencies.count()), static_cast<double>(marks));
      }
    }
    return latencies;
  }

 private:
  using Events = flatbuffers::Vector<flatbuffers::Offset<wire::Row>>;
  static void add(const Events& events, Latencies& latencies) {
    const double now = now_seconds();
    for (const auto* row : events) {
      const auto* output = schema::GetEvent(row->data()->data())->payload_as_OutputEvent();
      const auto* note = output != nullptr ? output->fact_as_AnnotationFound() : nullptr;
      if (note != nullptr && note->message() != nullptr) {
        latencies.add(now - strtod(note->message()->c_str(), nullptr));
      }
    }
  }
  Client client_;
};

std::string agent(const Setting& setting, int lines, double per_second, int mark_every) {
  return "exec " + setting.agents + "/luzia-bench-agent " + std::to_string(lines) + " " +
         std::to_string(per_second) + " " + std::to_string(mark_every);
}

void wait_until(double moment) {
  std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, moment - now_seconds())));
}

/// The agents write from `begin` on.
void wait_until_running(Client& client, const std::vector<std::string>& jobs, double begin) {
  wait_for_all(client, jobs, {schema::JobState::running});
  if (now_seconds() > begin) {
    give_up("starting " + std::to_string(jobs.size()) + " jobs took longer here than is left for it");
  }
}

/// The number of lines that the daemon counted in the jobs' outputs.
std::uint64_t lines_of(Client& client, const std::vector<std::string>& jobs) {
  std::uint64_t lines = 0;
  for (const std::string& job : jobs) {
    auto reply = client.ask(job_query(job));
    if (!reply) give_up(reply.error().message);
    const auto* rows = (*reply)->reply.AsRows();
    if (rows == nullptr || rows->rows.size() != 1) give_up("no row of job " + job);
    lines += flatbuffers::GetRoot<view::Job>(rows->rows.front()->data.data())->output_lines();
  }
  return lines;
}

}  // namespace

std::vector<Figure> run_watch(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/watch", 4);
  subject.start();
  Follower follower(subject);
  const int marks = std::max(40, static_cast<int>(setting.seconds * kMarksPerSecond));
  Client client = subject.connect();
  // It starts before it writes: another scenario measures the cost of a start (e2e).
  const double begin = now_seconds() + kWatchStart;
  const auto jobs =
      dispatch_all(client, agent(setting, marks, kMarksPerSecond, 1) + " " + std::to_string(begin), 1);
  // If the start takes longer, its first lines would come all at once, not at that rate.
  wait_until_running(client, jobs, begin);
  const Latencies latencies = follower.read_marks(static_cast<std::uint64_t>(marks), std::chrono::seconds(5));
  Figure figure = latency_figure("output to event, 200 lines/s", latencies, 500);
  Figure disk = latency_figure("append+fdatasync, 200 a second",
                               append_fdatasync_paced(setting.scratch, kMarksPerSecond, setting.seconds), 0);
  disk.goal = "(a yardstick)";
  disk.met = true;
  figure.yardstick = "p50 of append+fdatasync at that pace, us";
  figure.yardstick_value = disk.value;
  figure.goal = "p50 <= 500 us, p99 <= 2000 us";
  figure.met = figure.met && latencies.count() == static_cast<std::uint64_t>(marks) && *figure.p99_us <= 2000;
  return {figure, disk};
}

std::vector<Figure> run_crowd(const Setting& setting) {
  Subject subject(setting.bin, setting.scratch + "/crowd", setting.live);
  subject.start();
  Client client = subject.connect();
  Follower follower(subject);
  const double seconds = std::max(5.0, setting.seconds);
  const int lines = static_cast<int>(seconds * kCrowdLinesPerSecond);
  // All start before any writes: another scenario measures the cost of a thousand starts (e2e).
  const double begin = now_seconds() + kCrowdStart + setting.live / kCrowdStartsPerSecond;
  const auto jobs = dispatch_all(
      client, agent(setting, lines, kCrowdLinesPerSecond, kCrowdMarkEvery) + " " + std::to_string(begin),
      setting.live);
  wait_until_running(client, jobs, begin);
  const auto marks = static_cast<std::uint64_t>(lines / kCrowdMarkEvery) * jobs.size();
  double cpu_seconds = 0;
  std::thread meter([&] {
    wait_until(begin);
    const double before = use_of(subject.pid()).cpu_seconds;
    wait_until(begin + seconds);
    cpu_seconds = use_of(subject.pid()).cpu_seconds - before;
  });
  const Latencies latencies = follower.read_marks(marks, std::chrono::seconds(60));
  meter.join();
  wait_for_all(client, jobs);
  const std::uint64_t seen = lines_of(client, jobs);
  const std::uint64_t written = static_cast<std::uint64_t>(lines) * jobs.size();

  const std::string who = std::to_string(setting.live) + " live jobs at 20 lines/s: ";
  Figure missed = plain_figure(who + "lines missed", static_cast<double>(written - seen), "lines");
  missed.yardstick = "lines written";
  missed.yardstick_value = static_cast<double>(written);
  missed.goal = "0";
  missed.met = seen == written && latencies.count() == marks;
  Figure late = latency_figure(who + "latest event", latencies, 1e6);
  late.value = latencies.percentile_us(1);
  late.goal = "none late by over 1 s";
  late.met = latencies.count() == marks && late.value <= 1e6;
  Figure cpu = plain_figure(who + "daemon CPU while they write", cpu_seconds / seconds * 100, "% of a core");
  cpu.goal = "<= 40 %";
  cpu.met = cpu.value <= 40;
  return {missed, late, cpu};
}

}  // namespace luzia::bench
