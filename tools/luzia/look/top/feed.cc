#include "tools/luzia/look/top/feed.h"

#include <algorithm>

#include "engine/base/try.h"

namespace luzia {

void TopFeed::drawn(Clock::time_point now) {
  drawn_ = now;
  next_draw_ = now + kTopTick;
  if (!model_.has_moved_on() || std::exchange(move_is_shown_, true)) return;
  quiet_since_ = std::max(quiet_since_, now);
}

void TopFeed::show_soon(Clock::time_point now) {
  next_draw_ = std::min(next_draw_, std::max(now, drawn_ + kShortestTopGap));
}

TopFeed::Clock::time_point TopFeed::next_step() const {
  Clock::time_point next = next_draw_;
  if (changed_ && !link_.is_asking()) next = std::min(next, asked_ + kShortestTopGap);
  if (link_.is_away()) next = std::min(next, tried_ + kTopReconnectEvery);
  if (move_is_shown_) next = std::min(next, quiet_since_ + kTopSettle);
  return next;
}

/// A daemon that hangs keeps its connection: only an answer that stays out shows that the screen is old.
void TopFeed::watch_silence(Clock::time_point now, bool heard) {
  if (heard || link_.is_away() || !link_.is_waiting() || heard_ == Clock::time_point()) {
    heard_ = now;
    if (std::exchange(said_silence_, false)) model_.say("");
  }
  if (!link_.is_away() && now >= probed_ + kTopProbeEvery) {
    probed_ = now;
    link_.probe();
  }
  const auto silent = now - heard_;
  if (silent < kTopSilence) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silent).count();
  model_.say("the daemon has not answered for " + std::to_string(seconds) + " s: what is shown is old");
  said_silence_ = true;
}

/// A selection that has moved on takes keys once it was shown and no key came for a moment.
void TopFeed::settle(Clock::time_point now) {
  if (!move_is_shown_ || (model_.has_moved_on() && now < quiet_since_ + kTopSettle)) return;
  move_is_shown_ = false;
  model_.settle();
}

Status TopFeed::take_news(Clock::time_point now, TimeUs wall) {
  settle(now);
  auto news = LUZIA_TRY(link_.take());
  changed_ = changed_ || news.changed;
  watch_silence(now, news.heard);
  if (news.overview) {
    model_.take(std::move(news.overview), wall);
    show_soon(now);
  }
  if (news.detail) {
    model_.take(std::move(*news.detail));
    show_soon(now);
  }
  if (!news.said.empty()) {
    model_.say(std::move(news.said));
    show_soon(now);
  }
  if (link_.is_away() && now >= tried_ + kTopReconnectEvery) {
    tried_ = now;
    link_.try_again();
    model_.say(link_.is_away() ? "the daemon is away; luzia daemon start starts it" : "");
    show_soon(now);
  }
  if (changed_ && !link_.is_asking() && now >= asked_ + kShortestTopGap) {
    changed_ = false;
    asked_ = now;
    link_.ask();
  }
  return {};
}

}  // namespace luzia
