#include "tools/luziad/secrets/secret_book.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tools/luziad/base/loop.h"

namespace luzia {

Result<std::vector<std::string>> SecretBook::read_for_start(const std::string& job,
                                                            const schema::JobSpecT& spec,
                                                            const schema::JobSpecT& of_all) {
  auto values = LUZIA_TRY(read_secrets(spec, around_));
  std::vector<std::string> entries;
  entries.reserve(values.size());
  for (const SecretValue& secret : values) entries.push_back(secret.name + "=" + secret.value);
  if (!knows(job, of_all)) remember(job, of_all, LUZIA_TRY(read_secrets(of_all, around_)), true);
  remember(job, spec, values, true);
  return entries;
}

bool SecretBook::knows(const std::string& job, const schema::JobSpecT& spec) const {
  const std::lock_guard lock(mutex_);
  const auto entry = jobs_.find(job);
  return entry != jobs_.end() && entry->second.knows(spec);
}

bool SecretBook::is_settled(const std::string& job, const schema::JobSpecT& spec) const {
  const std::lock_guard lock(mutex_);
  const auto entry = jobs_.find(job);
  if (entry == jobs_.end() || !entry->second.redactor) return false;
  return entry->second.redactor->is_blind() || entry->second.knows(spec);
}

bool SecretBook::Entry::knows(const schema::JobSpecT& spec) const {
  return redactor && !redactor->is_blind() && std::ranges::includes(places, places_of(spec));
}

std::shared_ptr<const Redactor> SecretBook::known(const std::string& job) const {
  const std::lock_guard lock(mutex_);
  const auto entry = jobs_.find(job);
  return entry == jobs_.end() ? nullptr : entry->second.redactor;
}

bool SecretBook::ask_runner(const std::string& job, const schema::JobSpecT& spec, const ProcessId& runner) {
  const auto held = secrets_held_by(runner);
  if (!held || held->size() != spec.secrets.size()) return false;
  std::vector<SecretValue> values;
  for (const std::string& entry : *held) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) return false;
    values.push_back({entry.substr(0, equals), entry.substr(equals + 1)});
  }
  remember(job, spec, values, true);
  return true;
}

void SecretBook::await(const std::string& job) {
  const std::lock_guard lock(mutex_);
  Entry& entry = jobs_[job];
  entry.live = true;
  entry.used = ++uses_;
  entry.redactor = std::make_shared<const Redactor>(Redactor::blind());
}

void SecretBook::read_again(const std::string& job, const schema::JobSpecT& spec) {
  if (auto values = read_secrets(spec, around_)) {
    remember(job, spec, *values, true);
  } else {
    await(job);
  }
}

Result<std::shared_ptr<const Redactor>> SecretBook::for_reading(const std::string& job,
                                                                const schema::JobSpecT& spec) {
  const auto refuse = [&job](const std::string& why) {
    return fail(ErrorKind::refused, kSecretUnavailable,
                "cannot show output of job " + job + ": its secrets cannot be blacked out: " + why,
                "its user can read output.log in its directory; luzia job " + job + " names it");
  };
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = jobs_[job];
    entry.used = ++uses_;
    // A job that went on with another agent has the secrets of both, and an attempt tells its own alone.
    if (entry.knows(spec)) return entry.redactor;
    if (!entry.unread.empty() && monotonic_now() - entry.unread_since < kFailureHolds)
      return refuse(entry.unread);
  }
  auto values = read_secrets(spec, around_);
  if (values) return remember(job, spec, *values, false);
  const std::lock_guard lock(mutex_);
  Entry& entry = jobs_[job];
  entry.unread = values.error().message;
  entry.unread_since = monotonic_now();
  forget_some();
  return refuse(entry.unread);
}

void SecretBook::attempt_over(const std::string& job) {
  const std::lock_guard lock(mutex_);
  const auto entry = jobs_.find(job);
  if (entry == jobs_.end() || !std::exchange(entry->second.live, false)) return;
  forget_some();
}

std::set<SecretBook::Place> SecretBook::places_of(const schema::JobSpecT& spec) {
  std::set<Place> places;
  for (const auto& secret : spec.secrets) places.emplace(secret->name, secret->kind, secret->source);
  return places;
}

/// Values of earlier attempts stay: their output is still there.
std::shared_ptr<const Redactor> SecretBook::remember(const std::string& job, const schema::JobSpecT& spec,
                                                     const std::vector<SecretValue>& values, bool live) {
  std::vector<SecretValue> before, all;
  for (std::shared_ptr<const Redactor> redactor;; redactor.reset()) {
    {
      const std::lock_guard lock(mutex_);
      before = jobs_[job].values;
      all = values;
      for (const SecretValue& old : before) {
        if (std::ranges::find(all, old) == all.end()) all.push_back(old);
      }
      const auto same = std::ranges::find_if(jobs_, [&all](const auto& each) {
        const auto& known = each.second.redactor;
        return known && !known->is_blind() && each.second.values == all;
      });
      if (same != jobs_.end()) redactor = same->second.redactor;
    }
    if (!redactor) redactor = std::make_shared<const Redactor>(all);
    const std::lock_guard lock(mutex_);
    Entry& entry = jobs_[job];
    if (entry.values != before) continue;  // another thread has learned others meanwhile
    entry.values = std::move(all);
    entry.places.merge(places_of(spec));
    entry.redactor = redactor;
    entry.live = entry.live || live;
    entry.used = ++uses_;
    entry.unread.clear();
    forget_some();
    return redactor;
  }
}

/// The least recently used of those that have ended.
void SecretBook::forget_some() {
  while (true) {
    std::size_t ended = 0, bytes = 0;
    std::set<const Redactor*> counted;
    auto oldest = jobs_.end();
    for (auto each = jobs_.begin(); each != jobs_.end(); ++each) {
      const Redactor* const redactor = each->second.redactor.get();
      if (redactor != nullptr && counted.insert(redactor).second) bytes += redactor->bytes();
      if (each->second.live) continue;
      ++ended;
      if (oldest == jobs_.end() || each->second.used < oldest->second.used) oldest = each;
    }
    // One stays in any case: that which was asked for just now.
    if (ended <= 1 || (ended <= kMostEnded && bytes <= kMostBytes)) return;
    jobs_.erase(oldest);
  }
}

}  // namespace luzia
