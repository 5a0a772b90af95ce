#include "bench/harness/event_load.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "bench/harness/driving.h"
#include "event.fb.h"
#include "tools/publisher/publisher.h"

namespace luzia::bench {
namespace {

constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

double seconds_since(std::int64_t time_us) {
  using std::chrono::system_clock;
  const std::chrono::duration<double> now = system_clock::now().time_since_epoch();
  return now.count() - static_cast<double>(time_us) / 1e6;
}

EventLoad::EventLoad(const Subject& subject, double per_second) : subject_(subject), pause_(1 / per_second) {
  Client client = subject.connect();
  jobs_ = dispatch_all(client, "exec sleep 100000", kLoadedJobs);
  wait_for_all(client, jobs_, {schema::JobState::running});
  thread_ = std::jthread([this](const std::stop_token& stopped) { report(stopped); });
}

EventLoad::~EventLoad() {
  stop();
}

std::uint64_t EventLoad::stop() {
  if (!thread_.joinable()) return last_position_;
  thread_.request_stop();
  thread_.join();
  Client client = subject_.connect();
  cancel_all(client, jobs_);
  return last_position_;
}

void EventLoad::report(const std::stop_token& stopped) {
  PublisherOptions options;
  options.store = subject_.store();
  std::vector<std::unique_ptr<Publisher>> publishers;
  for (const std::string& job : jobs_) {
    options.job = job;
    publishers.push_back(std::make_unique<Publisher>(options));
  }
  double next = now_seconds();
  while (!stopped.stop_requested()) {
    const auto said = publishers[count_ % publishers.size()]->publish(publication::Progress{
        .progress_percent = 40, .current_step_name = "mark " + std::to_string(count_) + "."});
    if (!said) give_up(said.message);
    last_position_ = said.position;
    ++count_;
    next = std::max(next + pause_, now_seconds() - pause_);  // a late one is not followed by a burst
    std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, next - now_seconds())));
  }
}

EventFollower::EventFollower(const Subject& subject) : client_(subject.connect()) {
  wire::FollowT follow;
  follow.live = true;
  follow.from_now = true;
  if (auto sent = client_.send(request_of(std::move(follow))); !sent) give_up(sent.error().message);
  thread_ = std::jthread([this](const std::stop_token& stopped) { this->follow(stopped); });
}

EventFollower::Result EventFollower::stop() {
  thread_.request_stop();
  thread_.join();
  return result_;
}

void EventFollower::follow(const std::stop_token& stopped) {
  while (!stopped.stop_requested()) {
    auto frame = client_.receive(kLookEvery);
    if (!frame) give_up("a follower of the socket: " + frame.error().message);
    const auto* events = *frame == nullptr ? nullptr : (*frame)->reply_as_Events();
    if (events == nullptr || events->events() == nullptr) continue;
    for (const auto* row : *events->events()) {
      const double late = seconds_since(schema::GetEvent(row->data()->data())->time_us());
      result_.late.add(late);
      result_.latest_s = std::max(result_.latest_s, late);
    }
  }
}

}  // namespace luzia::bench
