#include "tools/luzia-telegram/poller.h"

#include <sys/eventfd.h>

#include <chrono>

#include "adapters/notify/telegram_messages.h"

namespace luzia {
namespace {

constexpr int kPollSeconds = 50;
constexpr std::uint64_t kCallMs = (kPollSeconds + 20) * 1'000;

}  // namespace

Poller::Poller(const BotApi& api) : api_(api), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  thread_ = std::thread([this] { serve(); });
  thread_.detach();
}

void Poller::ask(std::int64_t offset, std::uint64_t pause_s) {
  const std::lock_guard lock(mutex_);
  offset_ = offset;
  pause_s_ = pause_s;
  changed_.notify_one();
}

std::optional<CallResult> Poller::result() {
  eventfd_t count = 0;
  (void)!::eventfd_read(wake_, &count);
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

void Poller::serve() {
  for (;;) {
    std::int64_t offset = 0;
    std::uint64_t pause_s = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return offset_.has_value(); });
      offset = *std::exchange(offset_, std::nullopt);
      pause_s = pause_s_;
    }
    std::this_thread::sleep_for(std::chrono::seconds(pause_s));
    CallResult result = api_.call("getUpdates", updates_body(offset, kPollSeconds), kCallMs);
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    (void)!::eventfd_write(wake_, 1);
  }
}

}  // namespace luzia
