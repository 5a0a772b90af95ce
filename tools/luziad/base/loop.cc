#include "tools/luziad/base/loop.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <system_error>
#include <thread>

namespace luzia {
namespace {

TimeUs read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<TimeUs>(now.tv_sec) * kSecondUs + now.tv_nsec / 1000;
}

}  // namespace

void give_way_to_others() {
  constexpr int kLeastWanted = 19, kOneThread = 1, kThisOne = 0, kIdleDisk = 3 << 13;
  (void)setpriority(PRIO_PROCESS, kThisOne, kLeastWanted);
  (void)syscall(SYS_ioprio_set, kOneThread, kThisOne, kIdleDisk);
}

TimeUs wall_now() {
  return read_clock(CLOCK_REALTIME);
}
TimeUs monotonic_now() {
  return read_clock(CLOCK_MONOTONIC);
}

struct Mailbox::Shared {
  uv_async_t async;
  std::mutex mutex;
  std::vector<std::function<void()>> messages;  // under mutex
  bool closed = false;                          // under mutex

  void post(std::function<void()> message) {
    const std::lock_guard lock(mutex);
    if (closed) return;
    messages.push_back(std::move(message));
    if (messages.size() == 1) uv_async_send(&async);
  }
};

Mailbox::Mailbox(uv_loop_t* loop) : shared_(std::make_shared<Shared>()) {
  // The handle keeps the shared part alive until libuv has closed it.
  shared_->async.data = new std::shared_ptr<Shared>(shared_);
  uv_async_init(loop, &shared_->async, [](uv_async_t* async) {
    const std::shared_ptr<Shared> shared = *static_cast<std::shared_ptr<Shared>*>(async->data);
    std::vector<std::function<void()>> messages;
    {
      std::lock_guard lock(shared->mutex);
      messages.swap(shared->messages);
    }
    for (auto& message : messages) message();
  });
}

Mailbox::~Mailbox() {
  close();
}

void Mailbox::post(std::function<void()> message) {
  shared_->post(std::move(message));
}

std::function<void(std::function<void()>)> Mailbox::poster() const {
  return [shared = shared_](std::function<void()> message) { shared->post(std::move(message)); };
}

void Mailbox::close() {
  {
    std::lock_guard lock(shared_->mutex);
    if (shared_->closed) return;
    shared_->closed = true;
    shared_->messages.clear();
  }
  uv_close(reinterpret_cast<uv_handle_t*>(&shared_->async),
           [](uv_handle_t* handle) { delete static_cast<std::shared_ptr<Shared>*>(handle->data); });
}

struct Workers::Task {
  uv_work_t request;
  Workers* workers;
  std::function<void()> work, then;
};

void Workers::run(std::function<void()> work, std::function<void()> then) {
  auto* task = new Task{{}, this, std::move(work), std::move(then)};
  task->request.data = task;
  ++busy_;
  uv_queue_work(
      loop_, &task->request, [](uv_work_t* request) { static_cast<Task*>(request->data)->work(); },
      [](uv_work_t* request, int) {
        const std::unique_ptr<Task> done(static_cast<Task*>(request->data));
        --done->workers->busy_;
        done->then();
      });
}

bool run_aside(std::function<void()> work) {
  try {
    std::thread(std::move(work)).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

struct Timer::State {
  uv_timer_t timer;
  std::function<void()> then;
};

Timer::Timer(uv_loop_t* loop) : state_(new State) {
  state_->timer.data = state_;
  uv_timer_init(loop, &state_->timer);
}

Timer::~Timer() {
  uv_close(reinterpret_cast<uv_handle_t*>(&state_->timer),
           [](uv_handle_t* handle) { delete static_cast<State*>(handle->data); });
}

void Timer::start(std::uint64_t after_ms, std::function<void()> then) {
  state_->then = std::move(then);
  // The loop's time dates from its last wake-up; without the update a timer could fire early by that
  // difference.
  uv_update_time(state_->timer.loop);
  uv_timer_start(
      &state_->timer,
      [](uv_timer_t* timer) {
        const auto then = std::move(static_cast<State*>(timer->data)->then);
        then();
      },
      after_ms, 0);
}

void Timer::stop() {
  uv_timer_stop(&state_->timer);
}

bool Timer::running() const {
  return uv_is_active(reinterpret_cast<const uv_handle_t*>(&state_->timer)) != 0;
}

struct ProcessWatch::State {
  uv_poll_t poll;
  int pidfd;
  std::function<void()> gone;
};

ProcessWatch::ProcessWatch(uv_loop_t* loop, int pidfd, std::function<void()> gone)
    : state_(new State{{}, pidfd, std::move(gone)}) {
  state_->poll.data = state_;
  uv_poll_init(loop, &state_->poll, pidfd);
  uv_poll_start(&state_->poll, UV_READABLE, [](uv_poll_t* poll, int, int) {
    uv_poll_stop(poll);
    const auto gone = std::move(static_cast<State*>(poll->data)->gone);
    gone();
  });
}

ProcessWatch::~ProcessWatch() {
  uv_poll_stop(&state_->poll);
  ::close(state_->pidfd);
  uv_close(reinterpret_cast<uv_handle_t*>(&state_->poll),
           [](uv_handle_t* handle) { delete static_cast<State*>(handle->data); });
}

}  // namespace luzia
