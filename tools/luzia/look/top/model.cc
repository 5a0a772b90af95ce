#include "tools/luzia/look/top/model.h"

#include <algorithm>

namespace luzia {
namespace {

constexpr std::size_t kLongestFilter = 200;

void drop_last_character(std::string& words) {
  while (!words.empty() && (static_cast<unsigned char>(words.back()) & 0xc0) == 0x80) words.pop_back();
  if (!words.empty()) words.pop_back();
}

/// Whether the key answers, decides or does something to a job, at once or as the answer to our question.
bool decides(const Key& key) {
  constexpr std::string_view kLetters = "123456789adcrtyY";
  return key.code == KeyCode::text && key.text.size() == 1 &&
         kLetters.find(key.text) != std::string_view::npos;
}

bool is_queued(const view::Job* job) {
  return job != nullptr && job->state() == schema::JobState::queued;
}

}  // namespace

void TopModel::group() {
  // The queue unfolds when a job of it is selected.
  const bool unfolded = is_queued(selected());
  groups_ = rows_.shown(filter_, unfolded);
  const TopRows::Jobs all = shown();
  if (mode_ == Mode::list) selection_.move_on(all, rows_);
  selection_.keep(all, mode_ == Mode::detail || below_ == Mode::detail);
  if (is_queued(selected()) && !unfolded) group();
}

TopRows::Jobs TopModel::shown() const {
  TopRows::Jobs all;
  for (const TopGroup& group : groups_) all.insert(all.end(), group.jobs.begin(), group.jobs.end());
  return all;
}

void TopModel::take(std::shared_ptr<const Overview> seen, TimeUs now) {
  rows_.take(std::move(seen), now);
  group();
}

void TopModel::take(TopDetail detail) {
  if (detail.job == detail_.job) detail_ = std::move(detail);
}

TopNeeds TopModel::needs() const {
  const view::Job* row = selected();
  return row == nullptr ? TopNeeds{} : rows_.needs_of(*row);
}

TopAction TopModel::press(const Key& key, std::size_t rows) {
  message_.clear();
  if (key.code == KeyCode::interrupt) return {TopAction::Kind::quit};
  if (key.code == KeyCode::suspend) return {TopAction::Kind::suspend};
  if (key.code == KeyCode::redraw) return {TopAction::Kind::redraw};
  if (selection_.has_moved_on() && mode_ == Mode::list && decides(key)) {
    message_ = "this is the next one: wait a moment, then press again";
    return {};
  }
  selection_.settle();
  switch (mode_) {
    case Mode::list:
    case Mode::detail:
      return press_in_list(key, rows);
    case Mode::help:
      mode_ = below_;
      return {};
    case Mode::filter:
      return press_in_filter(key);
    case Mode::confirm:
      return press_in_confirm(key);
  }
  return {};
}

TopAction TopModel::press_in_list(const Key& key, std::size_t rows) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, rows));
  constexpr std::ptrdiff_t kFar = 1 << 20;
  switch (key.code) {
    case KeyCode::text:
      return key.text.size() == 1 ? press_letter(key.text.front()) : TopAction{};
    case KeyCode::up:
      return move(-1);
    case KeyCode::down:
      return move(1);
    case KeyCode::page_up:
      return move(-page);
    case KeyCode::page_down:
      return move(page);
    case KeyCode::home:
      return move(-kFar);
    case KeyCode::end:
      return move(kFar);
    case KeyCode::enter:
      return open_detail();
    case KeyCode::escape:
    case KeyCode::backspace:
      return leave();
    case KeyCode::interrupt:
    case KeyCode::suspend:
    case KeyCode::redraw:
      break;
  }
  return {};
}

TopAction TopModel::press_letter(char letter) {
  const std::string& id = selection_.id();
  const view::Job* row = selected();
  if (letter >= '1' && letter <= '9') return offer(answer_act(id, needs(), letter - '0'));
  switch (letter) {
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 'q':
      return mode_ == Mode::detail ? leave() : TopAction{TopAction::Kind::quit};
    case '?':
      below_ = mode_;
      mode_ = Mode::help;
      return {};
    case '/':
      if (mode_ == Mode::detail) return {};
      filter_before_ = filter_;
      mode_ = Mode::filter;
      return {};
    case 'a':
    case 'd':
      return offer(decision_act(id, needs(), letter == 'a'));
    case 'c':
      return row == nullptr ? TopAction{} : offer(cancel_act(*row, needs()));
    case 'r':
      return row == nullptr ? TopAction{} : offer(retry_act(*row));
    case 't':
      return row == nullptr ? TopAction{} : offer(attach_act(*row));
    case 'l':
      return open_detail();
    default:
      return {};
  }
}

/// Asks the person first if the act has a question.
TopAction TopModel::offer(TopAct act) {
  message_ = std::move(act.message);
  if (act.question.empty()) return std::move(act.action);
  asked_first_ = std::move(act.action);
  question_ = std::move(act.question);
  below_ = mode_;
  mode_ = Mode::confirm;
  return {};
}

TopAction TopModel::press_in_confirm(const Key& key) {
  mode_ = below_;
  if (key.code == KeyCode::text && (key.text == "y" || key.text == "Y")) {
    selection_.acted(asked_first_.prompt);
    return std::move(asked_first_);
  }
  message_ = "left as it is";
  return {};
}

TopAction TopModel::press_in_filter(const Key& key) {
  if (key.code == KeyCode::text && filter_.size() < kLongestFilter) {
    filter_ += key.text;
  } else if (key.code == KeyCode::backspace) {
    drop_last_character(filter_);
  } else if (key.code == KeyCode::enter) {
    mode_ = Mode::list;
  } else if (key.code == KeyCode::escape) {
    filter_ = filter_before_;
    mode_ = Mode::list;
  } else if (key.code == KeyCode::up || key.code == KeyCode::down) {
    return move(key.code == KeyCode::up ? -1 : 1);
  }
  selection_.forget_act();
  group();
  return {};
}

TopAction TopModel::move(std::ptrdiff_t by) {
  const TopRows::Jobs all = shown();
  if (all.empty()) return {};
  selection_.move(all, by);
  group();
  return mode_ == Mode::detail ? open_detail() : TopAction{};
}

TopAction TopModel::open_detail() {
  if (selection_.id().empty()) return {};
  mode_ = below_ = Mode::detail;
  if (detail_.job == selection_.id()) return {};
  detail_ = {};
  detail_.job = selection_.id();
  const view::Job* shown = selected();
  if (shown != nullptr && is_flow_step(*shown)) return {TopAction::Kind::hide_detail};
  return {TopAction::Kind::show_detail, selection_.id()};
}

TopAction TopModel::leave() {
  selection_.forget_act();
  if (mode_ == Mode::detail) {
    mode_ = below_ = Mode::list;
    detail_ = {};
    group();
    return {TopAction::Kind::hide_detail};
  }
  if (filter_.empty()) return {TopAction::Kind::quit};
  filter_.clear();
  group();
  return {};
}

}  // namespace luzia
