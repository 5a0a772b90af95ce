// The clients of the soak scenario's load: those that query, and the prober.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/harness/driving.h"
#include "bench/harness/held_load.h"

namespace luzia::bench {
namespace {

constexpr double kAskEvery = 1, kProbeEvery = 0.02, kStall = 0.1;  // seconds
constexpr std::size_t kSubscribers = 10;                           // one client in this many, for each kind

void sleep_until(double moment) {
  const double left = moment - now_seconds();
  if (left > 0) usleep(static_cast<useconds_t>(left * 1e6));
}

void ask(Client& client, const wire::RequestUnion& request) {
  if (auto reply = client.ask(request); !reply) give_up("a client of the load: " + reply.error().message);
}

void subscribe(Client& client, const wire::RequestUnion& request) {
  if (auto sent = client.send(request); !sent) give_up("a client of the load: " + sent.error().message);
}

void tail_output(Client& client, const std::string& job) {
  if (job.empty()) return;
  wire::TailT tail;
  tail.job = job;
  tail.live = true;
  subscribe(client, request_of(std::move(tail)));
}

/// Reads what the subscriptions have sent; returns whether an output ended.
bool take_frames(Client& client) {
  bool over = false;
  while (true) {
    auto frame = client.receive(std::chrono::milliseconds(0));
    if (!frame) give_up("a client of the load: " + frame.error().message);
    if (*frame == nullptr) return over;
    const auto* output = (*frame)->reply_as_Output();
    over = over || (output != nullptr && output->last());
  }
}

wire::RequestUnion view_query(wire::View view, const std::string& job, std::uint32_t limit) {
  wire::QueryT query;
  query.view = view;
  query.limit = limit;
  query.filter = std::make_unique<wire::FilterT>();
  if (!job.empty()) query.filter->jobs = {job};
  return request_of(std::move(query));
}

wire::RequestUnion question(std::size_t turn, const KnownJobs& known) {
  const std::string running = known.running(turn * 7), queued = known.last_queued();
  switch (turn % 4) {
    case 0:
      return running.empty() ? job_query(queued) : job_query(running);
    case 1:
      return view_query(wire::View::status, "", 10);
    case 2:
      return view_query(wire::View::queue, "", 10);
  }
  return view_query(wire::View::why, queued, 0);
}

/// How long this runnable thread has waited for a processor; 0 if the kernel does not say.
double waited_seconds(const std::string& schedstat) {
  std::ifstream file(schedstat);
  double ran = 0, waited = 0;
  file >> ran >> waited;
  return waited / 1e9;
}

std::string schedstat_of(pid_t process, pid_t thread) {
  return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/schedstat";
}

}  // namespace

AskingClients::AskingClients(const Subject& subject, int count, const KnownJobs& known) : known_(known) {
  for (int i = 0; i < count; ++i) clients_.push_back(subject.connect());
  thread_ = std::jthread([this](const std::stop_token& stopped) { ask_in_turn(stopped); });
}

Latencies AskingClients::stop() {
  thread_.request_stop();
  thread_.join();
  return answers_;
}

void AskingClients::ask_in_turn(const std::stop_token& stopped) {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (i % kSubscribers == 0) {
      wire::FollowT follow;
      follow.live = true;
      follow.from_now = true;
      subscribe(clients_[i], request_of(std::move(follow)));
    }
    if (i % kSubscribers == 1) tail_output(clients_[i], known_.running(i * 7));
  }
  double next = now_seconds();
  for (std::size_t turn = 0; !stopped.stop_requested(); ++turn) {
    const std::size_t i = turn % clients_.size();
    if (take_frames(clients_[i])) tail_output(clients_[i], known_.running(turn * 7));
    // Each client asks every kind in turn. Without the second term, 100 clients would begin each round with
    // the same.
    const wire::RequestUnion request = question(turn + turn / clients_.size(), known_);
    const double begin = now_seconds();
    ask(clients_[i], request);
    answers_.add(now_seconds() - begin);
    next = std::max(next + kAskEvery / static_cast<double>(clients_.size()), begin);
    sleep_until(next);
  }
}

Prober::Prober(const Subject& subject) : client_(subject.connect()), daemon_(subject.pid()) {
  thread_ = std::jthread([this](const std::stop_token& stopped) { probe(stopped); });
}

Prober::Result Prober::stop() {
  thread_.request_stop();
  thread_.join();
  return result_;
}

void Prober::probe(const std::stop_token& stopped) {
  const wire::RequestUnion ping = request_of(wire::ControlT{});
  const std::string loop = schedstat_of(daemon_, daemon_);  // the daemon's first thread is its loop
  const std::string self = schedstat_of(getpid(), static_cast<pid_t>(syscall(SYS_gettid)));
  const double start = now_seconds();
  for (double next = start; !stopped.stop_requested();) {
    next = std::max(next + kProbeEvery, now_seconds());
    sleep_until(next);
    const double late = now_seconds() - next;
    result_.timer.add(late);
    result_.slowest_timer_us = std::max(result_.slowest_timer_us, late * 1e6);
    const double waited_before = waited_seconds(loop) + waited_seconds(self);
    const double begin = now_seconds();
    ask(client_, ping);
    const double answer = now_seconds() - begin;
    note(begin - start, answer, waited_seconds(loop) + waited_seconds(self) - waited_before);
  }
}

void Prober::note(double at, double answer_s, double waited_s) {
  const double own = std::max(0.0, answer_s - waited_s);
  result_.answers.add(answer_s);
  result_.own.add(own);
  result_.slowest_us = std::max(result_.slowest_us, answer_s * 1e6);
  result_.slowest_own_us = std::max(result_.slowest_own_us, own * 1e6);
  if (answer_s <= kStall) return;
  ++result_.answers_over;
  if (own > kStall) ++result_.own_over;
  fprintf(stderr, "%.1f s: answered after %.0f ms, %.0f of them waiting for a processor\n", at,
          answer_s * 1e3, waited_s * 1e3);
}

}  // namespace luzia::bench
