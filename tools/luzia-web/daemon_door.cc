#include "tools/luzia-web/daemon_door.h"

#include <algorithm>
#include <thread>

#include "engine/base/try.h"

namespace luzia::web {
namespace {

using DoorClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kDaemonPatience{10'000}, kAskAgainAfter{50}, kUntilRestarted{5'000};

}  // namespace

Result<Client> DaemonDoor::connect_as(const std::string& device) const {
  auto client = Client::connect(socket_, {kDaemonPatience, {}});
  if (client && !device.empty()) client->act_at(device);
  return client;
}

Result<Client> DaemonDoor::take(const std::string& device) const {
  if (auto client = take_kept(device)) return std::move(*client);
  return connect_as(device);
}

std::optional<Client> DaemonDoor::take_kept(const std::string& device) const {
  while (true) {
    std::unique_lock lock(mutex_);
    // The newest: the others may grow too old.
    const auto found = std::ranges::find(kept_.rbegin(), kept_.rend(), device, &Kept::device);
    if (found == kept_.rend()) return std::nullopt;
    Client client = std::move(found->client);
    kept_.erase(std::next(found).base());
    lock.unlock();
    // The daemon may have closed it: it has ended, or the device was revoked.
    if (client.can_be_kept()) return client;
  }
}

void DaemonDoor::keep(const std::string& device, Client client) const {
  if (!client.can_be_kept()) return;
  std::optional<Client> oldest;  // closed without the lock
  const std::lock_guard lock(mutex_);
  if (kept_.size() >= kMostKept) {
    oldest = std::move(kept_.front().client);
    kept_.pop_front();
  }
  kept_.push_back({device, std::move(client), DoorClock::now()});
}

Result<std::unique_ptr<DaemonSource>> DaemonDoor::source_as(const std::string& device) const {
  auto client = LUZIA_TRY(take(device));
  return std::make_unique<DaemonSource>(
      std::move(client), [this, device] { return connect_as(device); },
      [this, device](Client used) { keep(device, std::move(used)); });
}

Result<std::unique_ptr<wire::ServerFrameT>> DaemonDoor::ask_as(const std::string& device,
                                                               const wire::RequestUnion& request) const {
  const auto deadline = DoorClock::now() + kUntilRestarted;
  while (true) {
    auto client = take(device);
    auto answer = client ? client->ask(request) : tl::unexpected(client.error());
    if (answer) keep(device, std::move(*client));
    if (answer || !is_passing(answer.error()) || DoorClock::now() >= deadline) return answer;
    std::this_thread::sleep_for(kAskAgainAfter);
  }
}

void DaemonDoor::close_idle(DoorClock::time_point now) const {
  const std::lock_guard lock(mutex_);
  while (!kept_.empty() && kept_.front().since < now - kMostIdle) kept_.pop_front();
}

std::size_t DaemonDoor::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

Error unexpected_answer() {
  return {ErrorKind::trouble, "protocol", "the daemon sent an unexpected answer",
          "use the same version of luzia-web and luziad"};
}

bool is_passing(const Error& error) {
  return error.code == "no_daemon" || error.code == "connection_lost" || starts_over(error);
}

}  // namespace luzia::web
