// What the daemon sends to luzia top, fed to its model, and when the next picture is due. Callers give the
// time. One thread.
#pragma once

#include <chrono>
#include <utility>

#include "tools/luzia/look/top/link.h"
#include "tools/luzia/look/top/model.h"

namespace luzia {

constexpr std::chrono::milliseconds kTopTick{1'000};          // elapsed times move on
constexpr std::chrono::milliseconds kShortestTopGap{50};      // between two looks, and two pictures
constexpr std::chrono::milliseconds kTopReconnectEvery{250};  // while the daemon is away
constexpr std::chrono::milliseconds kTopProbeEvery{2'000};    // whether it is there, while nothing comes
constexpr std::chrono::milliseconds kTopSettle{500};          // without a key, to see what is selected now
constexpr std::chrono::milliseconds kTopSilence{2'000};       // until the screen says so

class TopFeed {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TopFeed(TopLink link) : link_(std::move(link)) {}

  TopLink& link() { return link_; }
  TopModel& model() { return model_; }

  /// Everything that has come is in the model; what it changed is asked for, what is new is shown soon.
  /// `wall`: the time that the rows are looked at. An error: the daemon does not let this caller look.
  Status take_news(Clock::time_point now, TimeUs wall);
  /// Keys were pressed.
  void pressed(Clock::time_point now) { quiet_since_ = now; }
  /// Nobody looks until the link tries again.
  void hang_up() {
    link_.hang_up();
    heard_ = {};
  }
  /// What is shown is to be asked for again.
  void look_again() { changed_ = true; }

  /// The picture was drawn: the next one is due in a tick.
  void drawn(Clock::time_point now);
  /// A picture is due no sooner than the shortest gap after the last one.
  void show_soon(Clock::time_point now);
  Clock::time_point next_draw() const { return next_draw_; }
  /// When there is something to do though nothing comes.
  Clock::time_point next_step() const;

 private:
  void watch_silence(Clock::time_point now, bool heard);
  void settle(Clock::time_point now);

  TopLink link_;
  TopModel model_;
  bool changed_ = false;  // since it was asked for last
  Clock::time_point next_draw_ = Clock::time_point::min(), drawn_, asked_, tried_;
  Clock::time_point heard_, probed_;  // the last sign of life; when one was asked for
  Clock::time_point quiet_since_;     // the last key, or the picture of a selection that has moved on
  bool said_silence_ = false, move_is_shown_ = false;
};

}  // namespace luzia
