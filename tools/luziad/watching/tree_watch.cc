#include "tools/luziad/watching/tree_watch.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "adapters/launcher/launcher.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr TimeUs kShortestBetween = kSecondUs, kLongestBetween = 10 * kSecondUs;
constexpr TimeUs kCostShare = 40;
constexpr std::uint64_t kLookLimitMs = 5'000;
/// More than `luzia snapshot changed` prints at its limits.
constexpr std::size_t kMostText = 1 << 20;
/// Consecutive checks without a result: the machine is busy, or luzia is just being replaced.
constexpr std::uint32_t kMostFailures = 3;
/// A folder may become a repository.
constexpr TimeUs kTopIsKnownFor = 60 * kSecondUs;
constexpr std::size_t kMostFolders = 1000, kMostEnded = 1000, kMostLeft = 1000;
/// Lasts beyond its last job. Files may be removed, or become ignored.
constexpr TimeUs kGivenUpFor = 600 * kSecondUs;
/// Slewing moves the clock by less than this between two checks.
constexpr TimeUs kSmallestClockStep = 50'000;

std::vector<std::string> look_environment(const std::string& home) {
  const char* path = std::getenv("PATH");
  return {std::string("PATH=") + (path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path), "HOME=" + home};
}

bool is_below(std::string_view folder, std::string_view above) {
  if (above.empty() || above == folder || !folder.starts_with(above)) return false;
  return above == "/" || folder[above.size()] == '/';
}

std::string real_path(const std::string& directory) {
  std::error_code error;
  const std::string real = std::filesystem::canonical(directory, error).string();
  return error ? std::string() : real;
}

std::string why_not(const CommandRun& listed) {
  const std::string said = listed.output.substr(0, listed.output.find('\n'));
  return listed.end + (said.empty() ? "" : ": " + make_harmless(said));
}

}  // namespace

/// A worker's task and its result. Times are of the wall clock.
struct TreeWatch::Look {
  std::string top;
  std::uint64_t tree = 0;
  std::vector<std::string> jobs;
  std::vector<ProcessId> runners;  // aligned with `jobs`, like the marks
  std::vector<Account> accounts;   // accounts with jobs in the tree itself
  HookCommand command;

  std::vector<RestMark> before, after;
  TimeUs began_at = 0, ended_at = 0, took = 0;
  TimeUs clock_offset = 0, clock_moved = 0;
  Result<ChangedFiles> found = {};
  bool refused = false;  // the tree will never be checked: too many files

  /// Chooses the account to run as: some may not enter the tree, and git requires its owner.
  void become_one_of_them() {
    struct stat tree {};
    const bool has_owner = ::stat(top.c_str(), &tree) == 0;
    const auto owner = std::ranges::find(accounts, tree.st_uid, &Account::uid);
    const Account& one = has_owner && owner != accounts.end() ? *owner : accounts.front();
    command.environment = look_environment(one.home);
    if (one.uid != ::geteuid()) command.user = runner_user(one.uid, one.gid);
  }

  void run(const std::stop_token& stop) {
    become_one_of_them();
    const TimeUs start = monotonic_now();
    began_at = wall_now();
    clock_offset = began_at - start;
    before = rest_marks(runners);
    const CommandRun listed = run_command(command, {}, stop);
    if (listed.exit_code == 0) {
      found = changed_files_from_text(listed.output);
    } else {
      found = fail(ErrorKind::trouble, "no_look", why_not(listed));
      refused = listed.exit_code == static_cast<int>(ErrorKind::refused);
    }
    after = rest_marks(runners);
    const TimeUs end = monotonic_now();
    ended_at = wall_now();
    took = end - start;
    clock_moved = ended_at - end - clock_offset;
  }
};

TreeWatch::TreeWatch(uv_loop_t* loop, Workers& workers, std::stop_token stopping, Setting setting, Tell tell)
    : workers_(workers),
      stopping_(std::move(stopping)),
      setting_(std::move(setting)),
      tell_(std::move(tell)),
      timer_(std::make_unique<Timer>(loop)),
      began_at_(wall_now()) {}

void TreeWatch::close() {
  timer_.reset();
}

// ----------------------------------------------------------------------------------- where jobs work

void TreeWatch::begin(const JobState& job, TimeUs at) {
  const schema::JobSpecT& spec = *job.spec;
  // It shares its own worktree with nobody.
  if (setting_.client_program.empty() || spec.worktree || !timer_) return;
  const std::string& directory = spec.working_dir;
  Folder& folder = folders_[directory];
  const bool known =
      folder.known_at != 0 && (folder.jobs > 0 || monotonic_now() - folder.known_at < kTopIsKnownFor);
  ++folder.jobs;
  folder_of_[job.job] = directory;
  Arrival arrival{job.job, {job.attempt, {spec.uid, spec.gid, spec.home}}, std::max(at, began_at_)};
  if (known) return arrive(directory, folder, arrival);
  folder.known_at = 0;
  folder.arrivals.push_back(std::move(arrival));
  if (folder.arrivals.size() == 1) find_top(directory);
}

void TreeWatch::find_top(const std::string& directory) {
  struct Found {
    std::string real, top;
  };
  auto found = std::make_shared<Found>();
  workers_.run(
      [found, directory] {
        found->real = real_path(directory);
        found->top = work_tree_top(directory);
      },
      [this, found, directory] {
        if (!timer_) return;
        Folder& folder = folders_[directory];
        folder.real = found->real;
        folder.top = found->top;
        folder.known_at = monotonic_now();
        for (const Arrival& arrival : std::exchange(folder.arrivals, {})) {
          arrive(directory, folder, arrival);
          if (arrival.to == 0) continue;
          if (!depart(found->top, arrival.job, arrival.to)) tell_.settled(arrival.job, arrival.work.attempt);
        }
        if (all_are_placed()) departed_.clear();
      });
}

bool TreeWatch::all_are_placed() const {
  return std::ranges::all_of(folders_, [](const auto& entry) { return entry.second.arrivals.empty(); });
}

/// Its folder has been looked up.
void TreeWatch::arrive(const std::string& directory, const Folder& folder, const Arrival& arrival) {
  if (tell_.linked && !folder.real.empty() && folder.real != directory) tell_.linked(directory, folder.real);
  const std::string& reach = folder.top.empty() ? folder.real : folder.top;
  places_[arrival.job] = {reach, arrival.work, arrival.from};
  for (auto& [top, tree] : trees_) {
    if (is_below(top, reach)) invite_guests(tree, top);
  }
  if (!folder.top.empty()) enter(folder.top, arrival);
}

/// Other users' jobs cannot change the tree. Otherwise one such job in the root folder would make every
/// change unattributable.
bool TreeWatch::may_change(std::uint32_t uid, const Tree& tree) {
  return uid == 0 ||
         std::ranges::any_of(tree.jobs, [uid](const auto& entry) { return entry.second.account.uid == uid; });
}

void TreeWatch::invite_guests(Tree& tree, const std::string& top) {
  for (const auto& [job, place] : places_) {
    if (!is_below(top, place.reach) || tree.guests.contains(job)) continue;
    if (!may_change(place.work.account.uid, tree)) continue;
    tree.times.begin(job, place.from);
    tree.guests[job] = place.work;
  }
}

/// Adds jobs that would be guests if they had not left.
void TreeWatch::remember_guests(Tree& tree, const std::string& top, std::optional<std::uint32_t> uid) {
  for (const Departed& gone : departed_) {
    // A job working in the tree by now has a newer period there.
    if (!is_below(top, gone.reach) || tree.guests.contains(gone.job) || tree.jobs.contains(gone.job))
      continue;
    if (uid ? gone.uid != *uid : !may_change(gone.uid, tree)) continue;
    tree.times.begin(gone.job, gone.from);
    tree.times.end(gone.job, gone.to);
  }
}

/// True: `settled` will follow.
bool TreeWatch::depart(const std::string& top, const std::string& job, TimeUs at) {
  const auto place = places_.find(job);
  if (place != places_.end()) {
    if (departed_.size() >= kMostEnded) departed_.erase(departed_.begin());
    if (!all_are_placed()) {
      const Place& was = place->second;
      departed_.push_back({job, was.work.account.uid, was.reach, was.from, at});
    }
    places_.erase(place);
  }
  for (auto& [below, tree] : trees_) {
    if (tree.guests.erase(job) > 0) tree.times.end(job, at);
  }
  return !top.empty() && leave(top, job, at);
}

void TreeWatch::enter(const std::string& top, const Arrival& arrival) {
  const auto [it, is_new] = trees_.try_emplace(top);
  Tree& tree = it->second;
  if (is_new) {
    tree.number = ++trees_so_far_;
    tree.looked_at = arrival.from;
    tree.clock_offset = wall_now() - monotonic_now();
    tree.times.forget_before(began_at_);
    if (const auto left = left_.find(top); left != left_.end()) {
      tree.not_before = left->second.not_before;
      const bool holds = monotonic_now() - left->second.given_up_at < kGivenUpFor;
      if (holds) tree.given_up_at = left->second.given_up_at;
      left_.erase(left);
    }
  }
  const bool is_first_of_user = !may_change(arrival.work.account.uid, tree);
  tree.jobs[arrival.job] = arrival.work;
  tree.times.begin(arrival.job, arrival.from);
  if (is_new || is_first_of_user) {
    // The tree already knows other users' jobs that may change it.
    remember_guests(tree, top, is_new ? std::nullopt : std::optional(arrival.work.account.uid));
    invite_guests(tree, top);
  }
  if (tree.jobs.size() > 1) hurry(tree);
}

bool TreeWatch::end(const std::string& job, TimeUs at) {
  const auto known = folder_of_.find(job);
  if (known == folder_of_.end()) return false;
  const std::string directory = known->second;
  folder_of_.erase(known);
  Folder& folder = folders_[directory];
  --folder.jobs;
  const auto arrival = std::ranges::find_if(
      folder.arrivals, [&](const Arrival& each) { return each.job == job && each.to == 0; });
  if (arrival != folder.arrivals.end()) {
    arrival->to = at;
    return true;
  }
  const std::string top = folder.top;
  if (folder.jobs == 0 && folder.arrivals.empty() && folders_.size() > kMostFolders)
    folders_.erase(directory);
  return depart(top, job, at);
}

bool TreeWatch::leave(const std::string& top, const std::string& job, TimeUs at) {
  const auto it = trees_.find(top);
  if (it == trees_.end()) return false;
  Tree& tree = it->second;
  const auto work = tree.jobs.find(job);
  if (work == tree.jobs.end()) return false;
  const std::uint32_t attempt = work->second.attempt;
  tree.jobs.erase(work);
  tree.times.end(job, at);
  if (tree.jobs.empty()) {
    // All jobs that it could conflict with have ended too.
    settle(tree, std::numeric_limits<TimeUs>::max());
    keep(top, tree);
    trees_.erase(it);
    return false;
  }
  if (tree.given_up_at != 0 || tree.ended.size() >= kMostEnded) return false;
  tree.ended.push_back({job, attempt, at});
  hurry(tree);
  return true;
}

/// Jobs come and go; the cost of a check stays, so keep it.
void TreeWatch::keep(const std::string& top, const Tree& tree) {
  const TimeUs now = monotonic_now();
  const auto is_kept = [now](const auto& each) {
    return each.not_before > now || (each.given_up_at != 0 && now - each.given_up_at < kGivenUpFor);
  };
  std::erase_if(left_, [&](const auto& entry) { return !is_kept(entry.second); });
  if (is_kept(tree) && left_.size() < kMostLeft) left_[top] = {tree.not_before, tree.given_up_at};
}

void TreeWatch::settle(Tree& tree, TimeUs until) {
  std::vector<Ended> rest;
  for (Ended& ended : std::exchange(tree.ended, {})) {
    if (ended.at <= until) {
      tell_.settled(ended.job, ended.attempt);
    } else {
      rest.push_back(std::move(ended));
    }
  }
  tree.ended = std::move(rest);
}

// -------------------------------------------------------------------------------------------- checking

/// A job joined or left: check again sooner.
void TreeWatch::hurry(Tree& tree) {
  tree.pause = kShortestBetween;
  const TimeUs now = monotonic_now();
  const TimeUs soonest = std::max(now, tree.not_before);
  tree.due = tree.due == 0 ? soonest : std::min(tree.due, soonest);
  arm();
}

void TreeWatch::arm() {
  if (looking_ || !timer_) return;
  TimeUs first = 0;
  for (const auto& [top, tree] : trees_) {
    if (tree.due != 0 && tree.given_up_at == 0 && (first == 0 || tree.due < first)) first = tree.due;
  }
  if (first == 0) return timer_->stop();
  const TimeUs wait = std::max<TimeUs>(first - monotonic_now(), 0);
  timer_->start(static_cast<std::uint64_t>((wait + 999) / 1000), [this] { look_where_due(); });
}

void TreeWatch::look_where_due() {
  const TimeUs now = monotonic_now();
  for (auto& [top, tree] : trees_) {
    if (tree.due != 0 && tree.due <= now && tree.given_up_at == 0) return look(top, tree);
  }
  arm();
}

void TreeWatch::look(const std::string& top, Tree& tree) {
  auto look = std::make_shared<Look>();
  look->top = top;
  look->tree = tree.number;
  for (const auto* group : {&tree.jobs, &tree.guests}) {
    for (const auto& [job, work] : *group) {
      look->jobs.push_back(job);
      look->runners.push_back(setting_.runner_of(job));
      if (group == &tree.jobs) look->accounts.push_back(work.account);
    }
  }
  HookCommand& command = look->command;
  command.runner = setting_.runner_program;
  command.command = {setting_.client_program,
                     "snapshot",
                     "changed",
                     "--from",
                     top,
                     "--since",
                     std::to_string(tree.looked_at),
                     "--timeout",
                     std::to_string(kLookLimitMs) + "ms"};
  command.timeout_ms = kLookLimitMs + 1'000;
  command.open_files = setting_.open_files;
  command.most_output = kMostText;
  looking_ = true;
  tree.due = 0;
  workers_.run([look, stop = stopping_] { look->run(stop); },
               [this, look] {
                 looking_ = false;
                 if (!timer_ || stopping_.stop_requested()) return;
                 looked(*look);
                 arm();
               });
}

void TreeWatch::looked(const Look& look) {
  const auto it = trees_.find(look.top);
  if (it == trees_.end() || it->second.number != look.tree) return;
  Tree& tree = it->second;
  const TimeUs now = monotonic_now();
  tree.not_before = now + std::max(kShortestBetween, look.took * kCostShare);
  learn_rests(tree, look);
  if (look.found) {
    // The next check can better attribute changes made during this one.
    const TimeUs until = std::min(look.began_at, all_are_in_trees_until());
    tell_in_order(tree, look, until);
    tree.looked_at = until;
    tree.failures = 0;
    settle(tree, until);
  } else if (look.refused || ++tree.failures >= kMostFailures) {
    spdlog::info("which files change in {} is not known: {}", make_harmless(look.top),
                 look.found.error().message);
    tree.given_up_at = now;
    settle(tree, std::numeric_limits<TimeUs>::max());
  }
  if (tree.jobs.size() < 2 && tree.ended.empty()) {
    tree.due = 0;
    return;
  }
  tree.due = std::max(tree.not_before, now + tree.pause);
  tree.pause = std::min(2 * tree.pause, kLongestBetween);
}

/// Records which jobs slept from their last mark until this check began.
void TreeWatch::learn_rests(Tree& tree, const Look& look) {
  const TimeUs step = look.clock_offset - tree.clock_offset;
  const auto is_step = [](TimeUs moved) { return moved > kSmallestClockStep || moved < -kSmallestClockStep; };
  if (is_step(step) || is_step(look.clock_moved)) {
    // Times before and after a clock step cannot be compared.
    tree.times.forget_before(std::max(look.began_at, look.ended_at));
    for (auto* group : {&tree.jobs, &tree.guests}) {
      for (auto& [job, work] : *group) work.mark.clear();
    }
    for (Ended& ended : tree.ended) ended.at = std::min(ended.at, look.began_at);
    tree.looked_at = std::min(tree.looked_at, look.began_at);
  }
  tree.clock_offset = look.clock_offset + look.clock_moved;
  for (std::size_t i = 0; i < look.jobs.size(); ++i) {
    auto work = tree.jobs.find(look.jobs[i]);
    if (work == tree.jobs.end()) {
      work = tree.guests.find(look.jobs[i]);
      if (work == tree.guests.end()) continue;
    }
    if (have_rested(work->second.mark, look.before[i], look.after[i])) {
      tree.times.rested(look.jobs[i], work->second.marked_at, look.began_at);
    } else {
      work->second.mark = look.after[i];
      work->second.marked_at = look.ended_at;
    }
  }
}

/// A job whose folder is not known yet may be working in any tree.
TimeUs TreeWatch::all_are_in_trees_until() const {
  TimeUs until = std::numeric_limits<TimeUs>::max();
  for (const auto& [directory, folder] : folders_) {
    for (const Arrival& arrival : folder.arrivals) until = std::min(until, arrival.from - 1);
  }
  return until;
}

/// Reports changes and ends in order of time: a change after a job's end does not conflict with that job.
void TreeWatch::tell_in_order(Tree& tree, const Look& look, TimeUs until) {
  std::vector<ChangedFile> files = look.found->files;
  // Later changes come again with the next check, which knows who worked then. So do changes that may be from
  // before or after the start of a job whose tree is not known yet.
  std::erase_if(files, [&](const ChangedFile& file) {
    return file.from_us > until || (until < look.began_at && file.until_us > until);
  });
  std::ranges::sort(files, {}, &ChangedFile::from_us);
  std::vector<TimeUs> ends;
  for (const Ended& ended : tree.ended) {
    if (ended.at <= until) ends.push_back(ended.at);
  }
  std::ranges::sort(ends);
  std::span<const ChangedFile> left = files;
  for (const TimeUs end : ends) {
    const auto later = std::ranges::upper_bound(left, end, {}, &ChangedFile::from_us);
    const auto count = static_cast<std::size_t>(later - left.begin());
    tell_changes(look.top, tree, left.first(count));
    left = left.subspan(count);
    settle(tree, end);
  }
  tell_changes(look.top, tree, left);
}

void TreeWatch::tell_changes(const std::string& top, const Tree& tree, std::span<const ChangedFile> changed) {
  std::map<std::pair<std::string, std::uint32_t>, std::vector<ChangedFile>> by_attempt;
  for (const ChangedFile& file : changed) {
    const std::string_view job = tree.times.only_one_at_work(file.from_us, file.until_us);
    const std::uint32_t attempt = job.empty() ? 0 : attempt_at(tree, job, file.from_us);
    if (attempt != 0) by_attempt[{std::string(job), attempt}].push_back(file);
  }
  for (const auto& [who, files] : by_attempt) tell_.changed(who.first, who.second, top, files);
}

/// A retried job may have ended since the last check and be running again. 0: it is settled and gone.
std::uint32_t TreeWatch::attempt_at(const Tree& tree, std::string_view job, TimeUs at) {
  // In order of their ends.
  const auto ended =
      std::ranges::find_if(tree.ended, [&](const Ended& each) { return each.job == job && each.at >= at; });
  if (ended != tree.ended.end()) return ended->attempt;
  const auto work = tree.jobs.find(std::string(job));
  return work == tree.jobs.end() ? 0 : work->second.attempt;
}

}  // namespace luzia
