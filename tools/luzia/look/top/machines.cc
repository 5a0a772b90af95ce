#include "tools/luzia/look/top/machines.h"

#include "engine/base/try.h"

namespace luzia {
namespace {

wire::QueryT state_query() {
  wire::QueryT query = view_query(wire::View::overview);
  query.filter->ended = false;
  query.limit = 1;
  return query;
}

void add_count(std::string& words, std::uint64_t count, const char* what) {
  if (count > 0) words += (words.empty() ? "" : ", ") + std::to_string(count) + " " + what;
}

Result<std::shared_ptr<const Overview>> seen_in(RowPage page) {
  LUZIA_TRY(check_rows(state_query(), page));
  auto overview = LUZIA_TRY(overview_of(std::move(page), state_query()));
  return std::make_shared<const Overview>(std::move(overview));
}

/// "1 needs input, 3 working, 20 queued"; "idle".
std::string machine_words(const Overview& overview) {
  auto groups = group_by_attention(overview.jobs, 0);
  count_all(groups, overview.totals, false);
  std::string words;
  for (const AttentionGroup& group : groups) {
    if (group.key == "needs_input") add_count(words, needing_input(group, overview.notes), "needs input");
    if (group.key == "working") add_count(words, group.total, "working");
    if (group.key == "queued") add_count(words, group.total, "queued");
  }
  return words.empty() ? "idle" : words;
}

}  // namespace

TopMachines::TopMachines(std::vector<MachineToAsk> machines) {
  for (MachineToAsk& machine : machines) machines_.push_back({.machine = std::move(machine)});
}

void TopMachines::ask(Watched& watched, Clock::time_point now) {
  if (!watched.process) watched.process = std::make_unique<MachineProcess>(watched.machine.open);
  watched.process->ask(state_query(), 0);
  watched.asked = now;
  watched.pending = true;
}

void TopMachines::take(Watched& watched, Clock::time_point now) {
  auto answer = watched.process->take();
  const bool given_up = !answer && now - watched.asked > kTopMachineGivenUp;
  if (!answer && !given_up) return;
  watched.pending = false;
  watched.next = now + (given_up ? std::chrono::milliseconds(0) : kTopMachinesEvery);
  if (given_up) return watched.process.reset();
  auto seen = *answer ? seen_in(std::move(**answer))
                      : Result<std::shared_ptr<const Overview>>(tl::unexpected(answer->error()));
  watched.failed = !seen;
  watched.state = seen ? machine_words(**seen) : seen.error().message;
  if (seen) {
    watched.seen = std::move(*seen);
  } else {
    watched.process.reset();
  }
}

void TopMachines::step(Clock::time_point now) {
  for (Watched& watched : machines_) {
    if (watched.pending) take(watched, now);
    if (!watched.pending && now >= watched.next) ask(watched, now);
  }
}

std::string TopMachines::text(Clock::time_point now) const {
  std::string words;
  for (const Watched& watched : machines_) {
    const auto silent = std::chrono::duration_cast<std::chrono::seconds>(now - watched.asked);
    words += (words.empty() ? "" : "; ") + watched.machine.name + ": " +
             (watched.is_silent(now)  ? "no answer for " + format_duration(silent.count() * kSecondUs)
              : watched.state.empty() ? "..."
                                      : watched.state);
  }
  return words;
}

std::vector<TopFar> TopMachines::seen(Clock::time_point now) const {
  std::vector<TopFar> all;
  for (const Watched& watched : machines_) {
    if (watched.seen)
      all.push_back({watched.machine.name, watched.seen, watched.failed || watched.is_silent(now)});
  }
  return all;
}

}  // namespace luzia
