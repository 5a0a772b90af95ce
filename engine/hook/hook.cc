#include "engine/hook/hook.h"

#include <algorithm>

#include "engine/base/hash.h"

namespace luzia {
namespace {

/// Maximum number of subjects remembered for a hook with a cooldown.
constexpr std::size_t kMostTold = 4096;
/// Maximum bytes of a failure's description in the log.
constexpr std::size_t kDetailBytes = 500;

TimeUs span_us(std::uint64_t ms) {
  return static_cast<TimeUs>(std::min<std::uint64_t>(ms, 1'000'000'000'000ULL)) * kMillisecondUs;
}

/// Up to a quarter of `pause`. Derived from hook, event and try, so that every replay gives the same.
TimeUs jitter(const std::string& hook, Position position, std::uint32_t tries, TimeUs pause) {
  const std::string text = hook + '/' + std::to_string(position) + '/' + std::to_string(tries);
  const Hash hash = blake2b({as_bytes(text)});
  const auto part = static_cast<TimeUs>((hash[0] << 8) | hash[1]);
  return pause / 4 * part / 65'536;
}

}  // namespace

bool concerns(const HookRule& rule, const HookEvent& event, std::string_view project) {
  if (!event.only_for.empty()) {
    return event.only_for == rule.called && (rule.escalated & event.mask) != 0;
  }
  if ((rule.on & event.mask) == 0) return false;
  if (!rule.callbacks_below.empty() && !event.callback.starts_with(rule.callbacks_below)) return false;
  return rule.projects.empty() ||
         std::find(rule.projects.begin(), rule.projects.end(), project) != rule.projects.end();
}

std::string HookProgress::key_of(const HookEvent& event) const {
  return std::string(hook_event_name(event.on)) + '/' + event.subject;
}

void HookProgress::change(HookRule rule) {
  rule_ = std::move(rule);
  const auto of_no_concern = [this](const Waiting& waiting) {
    return waiting.event.only_for.empty() && (rule_.on & waiting.event.mask) == 0;
  };
  // The event that is being delivered or retried stays.
  const auto first = waiting_.begin() + (under_way_ || tries_ > 0 ? 1 : 0);
  waiting_.erase(std::remove_if(first, waiting_.end(), of_no_concern), waiting_.end());
}

void HookProgress::take(const HookEvent& event, std::string_view project) {
  if (event.position <= seen_) return;
  seen_ = event.position;
  if (event.over_for != 0) {
    for (Waiting& waiting : waiting_) {
      const HookEvent& told = waiting.event;
      const bool same =
          told.subject == event.subject && (event.request.empty() || event.request == told.request);
      if (same && (told.mask & event.over_for) != 0) waiting.over = true;
    }
  }
  if (!concerns(rule_, event, project)) return;
  // Escalations have waited long enough.
  const TimeUs dwell = event.only_for.empty() ? span_us(rule_.dwell_ms) : 0;
  waiting_.push_back({event, event.time + dwell, false, quiet_until_ != 0});
}

void HookProgress::quiet_until(TimeUs until) {
  quiet_until_ = until;
  if (until == 0) return;
  for (Waiting& waiting : waiting_) waiting.held = true;
}

void HookProgress::notified_before(const HookEvent& event) {
  if (rule_.cooldown_ms != 0) note_told(event);
}

bool HookProgress::is_cooling(const HookEvent& event) const {
  if (rule_.cooldown_ms == 0 || (rule_.cooled & event.mask) == 0) return false;
  const auto it = told_.find(key_of(event));
  return it != told_.end() && event.time - it->second < span_us(rule_.cooldown_ms);
}

/// Why the event is skipped; null: it is delivered.
const char* HookProgress::why_left_out(const Waiting& waiting) const {
  const bool escalated = !waiting.event.only_for.empty();
  if (waiting.over && (rule_.dwell_ms != 0 || waiting.held || escalated)) {
    if (escalated) return "over before it was sent";
    return waiting.held ? "over before the quiet hours had passed" : "over before the dwell time had passed";
  }
  if (escalated) return nullptr;  // watching is not answering
  if (waiting.event.watched && rule_.unless_watched) return "somebody was watching the job";
  return is_cooling(waiting.event) ? "the same was sent within the cooldown" : nullptr;
}

schema::HookDeliveredT HookProgress::fact_of(const Waiting& waiting, schema::HookOutcome outcome) const {
  schema::HookDeliveredT fact;
  fact.hook = rule_.name;
  fact.position = waiting.event.position;
  fact.outcome = outcome;
  fact.tries = tries_;
  return fact;
}

HookProgress::Step HookProgress::next(TimeUs now) const {
  if (waiting_.empty() || under_way_) return Nothing{};
  const Waiting& first = waiting_.front();
  if (last_.delivered || last_.nobody || given_up_) {
    auto fact = fact_of(first, given_up_         ? schema::HookOutcome::given_up
                               : last_.delivered ? schema::HookOutcome::delivered
                                                 : schema::HookOutcome::suppressed);
    fact.elapsed_ms = last_.elapsed_ms;
    if (!last_.delivered) fact.detail = last_.detail.substr(0, kDetailBytes);
    return Record{std::move(fact)};
  }
  if (const char* why = tries_ == 0 ? why_left_out(first) : nullptr) {
    auto fact = fact_of(first, schema::HookOutcome::suppressed);
    fact.detail = why;
    return Record{std::move(fact)};
  }
  TimeUs due = tries_ == 0 ? first.due : try_at_;
  if (quiet_until_ != 0) due = std::max(due, quiet_until_);
  if (due > now) return Wait{due};
  return Deliver{first.event.position, tries_ + 1};
}

void HookProgress::finished(TimeUs now, const HookTry& result) {
  under_way_ = false;
  ++tries_;
  last_ = result;
  if (result.delivered || result.nobody) return;
  given_up_ = result.final || tries_ > rule_.retries;
  const unsigned doublings = std::min<unsigned>(tries_ - 1, 20);
  const TimeUs pause = std::min(kLongestPause, kFirstPause << doublings);
  const TimeUs asked = std::min(kLongestAsked, span_us(result.retry_after_ms));
  try_at_ = now + std::max(asked, pause + jitter(rule_.name, waiting_.front().event.position, tries_, pause));
}

void HookProgress::note_told(const HookEvent& event) {
  const TimeUs newest = event.time;
  TimeUs& told = told_[key_of(event)];
  told = std::max(told, newest);
  if (told_.size() > kMostTold) {
    std::erase_if(told_,
                  [&](const auto& each) { return newest - each.second >= span_us(rule_.cooldown_ms); });
  }
  if (told_.size() > kMostTold) told_.erase(told_.begin());
}

void HookProgress::recorded() {
  const HookEvent& event = waiting_.front().event;
  recorded_ = event.position;
  if (last_.delivered && rule_.cooldown_ms != 0) note_told(event);
  waiting_.pop_front();
  tries_ = 0;
  try_at_ = 0;
  last_ = {};
  given_up_ = false;
}

void HookProgress::clock_stepped(TimeUs step) {
  for (Waiting& waiting : waiting_) waiting.due += step;
  if (try_at_ != 0) try_at_ += step;
  for (auto& [key, time] : told_) time += step;
}

}  // namespace luzia
