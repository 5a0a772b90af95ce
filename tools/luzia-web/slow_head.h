// Whether a client sends the head of its request slowly, piece by piece, and when the server reads from it
// again: more and more seldom, so that a thousand such clients cost what a few others do. Whoever sends a head
// at once never notices; one that comes in two pieces waits a quarter of a second at worst. Pure: times in
// microseconds that never go back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace luzia::web {

class SlowHead {
 public:
  static constexpr std::int64_t kFirstPauseUs = 200'000, kMostPauseUs = 2'000'000;

  SlowHead() = default;
  /// `received`: how many bytes had come before the head.
  explicit SlowHead(std::uint64_t received) : received_(received) {}

  /// The head is not whole, and so many bytes have come since the connection opened. True: the head is slow
  /// from now on.
  bool look(std::uint64_t received, std::int64_t now_us) {
    const bool more = received_ && received > *received_;
    if (!received_) received_ = received;
    if (more) due_us_ = now_us + pause_us_;
    return more;
  }
  bool is_slow() const { return due_us_ != 0; }
  /// When it is to be read; 0: it is not slow.
  std::int64_t due_us() const { return due_us_; }
  bool is_due(std::int64_t now_us) const { return is_slow() && due_us_ <= now_us; }
  /// It is read now; the next time later.
  void read(std::int64_t now_us) {
    pause_us_ = std::min(2 * pause_us_, kMostPauseUs);
    due_us_ = now_us + pause_us_;
  }

 private:
  std::optional<std::uint64_t> received_;  // before the head; nullopt: what the first look finds
  std::int64_t pause_us_ = kFirstPauseUs, due_us_ = 0;
};

}  // namespace luzia::web
