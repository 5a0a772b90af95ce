#include "tools/luzia-web/feed.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "engine/base/try.h"
#include "engine/event/event.h"
#include "projections/rows/json.h"

namespace luzia::web {
namespace {

using FeedClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kSoon{50}, kLater{1'000}, kWaitSlice{60'000};
// Between two deliveries, and the most that is collected meanwhile.
constexpr std::chrono::milliseconds kCollect{10};
constexpr std::size_t kMostCollected = 256 << 10;

/// The id of the device that the event revokes; empty: it does none.
std::string revoked_by(const schema::Event& event) {
  const auto* domain = event.payload_as_DeviceEvent();
  const auto* fact = domain == nullptr ? nullptr : domain->fact_as_DeviceRevoked();
  return fact == nullptr ? std::string() : std::string(text(fact->device()));
}

}  // namespace

std::string block_of(Position position, std::string_view json) {
  return "id: " + std::to_string(position) + "\ndata: " + std::string(json) + "\n\n";
}

Feed::Feed(const DaemonDoor& door, std::string device, std::function<void(Batch)> deliver)
    : door_(door),
      device_(std::move(device)),
      deliver_(std::move(deliver)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { run(); }) {}

Feed::~Feed() {
  stopping_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

void Feed::run() {
  while (!stopping_) {
    const Status followed = follow();
    if (stopping_) return;
    const bool restarts = followed || is_passing(followed.error());
    pollfd waiting{stop_.get(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>((restarts ? kSoon : kLater).count()));
  }
}

/// Follows until the connection ends.
Status Feed::follow() {
  Client client = LUZIA_TRY(door_.connect_as(device_));
  if (!begun_) {
    const auto pong = LUZIA_TRY(client.ask(request_of(wire::ControlT())));
    const auto* welcome = pong->reply.AsWelcome();
    if (welcome == nullptr) return tl::unexpected(unexpected_answer());
    position_ = welcome->position;
    begun_ = true;
    deliver_(Batch{position_, position_});
  }
  wire::FollowT follow;
  follow.since = position_;
  follow.live = true;
  const auto id = LUZIA_TRY(client.send(request_of(std::move(follow))));
  Batch batch{position_, position_};
  FeedClock::time_point rested = FeedClock::now();  // when the next delivery may be
  while (!stopping_) {
    const auto frame = LUZIA_TRY(client.receive(std::chrono::milliseconds(0)));
    if (const auto* refused = frame == nullptr ? nullptr : frame->reply_as_Refused())
      return tl::unexpected(error_from(*refused));
    const auto* events = frame == nullptr || frame->id() != id ? nullptr : frame->reply_as_Events();
    if (events != nullptr) add_to(batch, *events);
    const auto now = FeedClock::now();
    const bool urgent = now >= rested || batch.bytes >= kMostCollected || !batch.revoked.empty();
    if (batch.position > position_ && urgent) {
      position_ = batch.position;
      deliver_(std::exchange(batch, Batch{position_, position_}));
      rested = now + kCollect;
    } else if (frame == nullptr && batch.position > position_) {
      client.wait_beside(stop_.get(), rested);
    } else if (frame == nullptr) {
      client.wait_beside(stop_.get(), kWaitSlice);
    }
  }
  return {};
}

void Feed::add_to(Batch& batch, const wire::Events& events) {
  const Position known = batch.position;
  batch.position = std::max(known, events.position());
  for (std::uint32_t i = 0; events.events() != nullptr && i < events.events()->size(); ++i) {
    const auto* data = events.events()->Get(i)->data();
    const auto event =
        data == nullptr ? Result<const schema::Event*>(nullptr) : verify_event({data->data(), data->size()});
    if (!event || *event == nullptr || (*event)->position() <= known) continue;
    const Position position = (*event)->position();
    batch.position = std::max(batch.position, position);
    batch.blocks.push_back(
        {position, std::make_shared<const std::string>(block_of(position, event_json(**event)))});
    batch.bytes += batch.blocks.back().text->size();
    if (std::string revoked = revoked_by(**event); !revoked.empty())
      batch.revoked.push_back(std::move(revoked));
  }
}

void Ring::add(const Batch& batch) {
  if (!begun_ || batch.after > position_) {
    // The feed has begun, or lacks something: older readers look the rest up.
    blocks_.clear();
    bytes_ = 0;
    base_ = batch.after;
    begun_ = true;
  }
  for (const Block& block : batch.blocks) {
    bytes_ += block.text->size();
    blocks_.push_back(block);
  }
  position_ = std::max(position_, batch.position);
  while (bytes_ > kMostBytes && blocks_.size() > 1) {
    base_ = blocks_.front().position;
    bytes_ -= blocks_.front().text->size();
    blocks_.pop_front();
  }
}

Position Ring::read(Position position, std::size_t most, std::string& out) const {
  auto block = std::ranges::upper_bound(blocks_, position, {}, &Block::position);
  for (; block != blocks_.end(); ++block) {
    if (out.size() >= most) return position;
    out += *block->text;
    position = block->position;
  }
  return std::max(position, position_);
}

}  // namespace luzia::web
