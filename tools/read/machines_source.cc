#include "tools/read/machines_source.h"

#include <poll.h>

#include <algorithm>
#include <set>

#include "engine/base/ids.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

using std::chrono::milliseconds;

/// Of the time that the others took.
constexpr int kTenths = 11;
constexpr milliseconds kLeastGrace{20};
constexpr std::size_t kMostOfAReason = 500;  // bytes; a machine may say anything

/// Whether the rows of a view are kept for the time when their machine does not answer.
bool is_kept(wire::View view) {
  using enum wire::View;
  return view == jobs || view == overview || view == questions || view == approvals || view == issues;
}

/// Whether the error is the answer of a machine that works and has no such rows.
bool has_none(const Error& error) {
  return error.code == "no_such_job" || error.code == "no_such_flow";
}

/// Whether the answer may be that a word names several jobs.
bool names_beginnings(const wire::QueryT& query) {
  return query.filter &&
         std::ranges::any_of(query.filter->jobs, [](const auto& word) { return !is_job_id(word); });
}

tl::unexpected<Error> of_one_machine(const char* what) {
  return fail(ErrorKind::usage, "bad_usage", std::string(what) + " is about one machine, not about several",
              "leave out --machines or --fleet");
}

Error silent_error(milliseconds most) {
  return {ErrorKind::trouble, "machine_silent",
          "no answer within " + format_duration(most.count() * kMillisecondUs), "--patience D waits longer"};
}

}  // namespace

MachinesSource::MachinesSource(std::vector<MachineToAsk> machines, KnownMachines known, std::string asked,
                               TimeUs now, milliseconds most)
    : known_(std::move(known)), question_(std::move(asked)), begun_(Clock::now()), most_(most) {
  rows_.now = now;
  for (MachineToAsk& machine : machines) {
    const TimeUs silent = known_.silent_since(machine.name);
    auto asked = machine.asked ? machine.asked() : std::make_unique<MachineProcess>(machine.open);
    rows_.machines.push_back({.name = machine.name});
    asked_.push_back({std::move(machine), std::move(asked), silent != 0 && now - silent < kSilentFor});
  }
  remember_jobs();
}

/// Whoever had a job first keeps it, even while that machine is silent and another one claims it.
void MachinesSource::remember_jobs() {
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t i = 0; i < asked_.size(); ++i) places.emplace(asked_[i].machine.name, i);
  for (const auto& [id, machine] : known_.machines_of_jobs()) {
    const auto place = places.find(machine);
    if (place != places.end()) rows_.first_seen.emplace(id, place->second);
  }
}

/// Full ids whose machine is known go there alone; a machine without any is not asked. This machine is the
/// last one, because the answer of a source that is open here is waited for.
void MachinesSource::ask_each(const wire::QueryT& query, std::size_t limit) {
  const auto& named = query.filter ? query.filter->jobs : std::vector<std::string>();
  const bool all_known = !named.empty() && std::ranges::all_of(named, [&](const std::string& id) {
    return rows_.of_id.contains(id) && !rows_.also_of_id.contains(id);
  });
  for (std::size_t i = asked_.size(); i-- > 0;) {
    Asked& asked = asked_[i];
    asked.answer.reset();
    wire::QueryT its = query;
    if (all_known) std::erase_if(its.filter->jobs, [&](const auto& id) { return rows_.of_id.at(id) != i; });
    // One that has failed would only cost the time again.
    asked.pending = !asked.failed && !(all_known && its.filter->jobs.empty());
    if (asked.pending) asked.asked->ask(std::move(its), limit);
  }
}

MachinesSource::Clock::time_point MachinesSource::deadline() const {
  const auto end = begun_ + most_;
  const bool all_silent_lately =
      std::ranges::all_of(asked_, [](const Asked& asked) { return !asked.pending || asked.was_silent; });
  if (!all_silent_lately || slowest_ == Clock::time_point()) return end;
  const auto grace = (slowest_ - begun_) * kTenths / 10;
  return std::min(end, begun_ + std::max<Clock::duration>(grace, slowest_ - begun_ + kLeastGrace));
}

void MachinesSource::wait_for_answers() {
  while (true) {
    std::vector<pollfd> fds;
    for (Asked& asked : asked_) {
      if (!asked.pending) continue;
      asked.answer = asked.asked->take();
      asked.pending = !asked.answer;
      if (asked.pending) fds.push_back({asked.asked->fd(), POLLIN, 0});
      if (asked.answer && *asked.answer) slowest_ = Clock::now();
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline() - Clock::now());
    if (fds.empty() || left.count() <= 0) return;
    ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
  }
}

std::string MachinesSource::question_of(const wire::QueryT& query) const {
  return question_ + " " + wire::EnumNameView(query.view);
}

void MachinesSource::take_failure(std::size_t i, const Error& error) {
  rows_.machines[i].failed = error;
  asked_[i].failed = true;
  const bool is_silent = error.code == "machine_silent" || error.code == "daemon_silent";
  // Who was not waited for as long as the others may be slow only: the time of the whole wait stands.
  if (is_silent && !asked_[i].was_silent) known_.keep_silent(asked_[i].machine.name, rows_.now);
}

/// The pages of all machines. An error only if the query names what no machine has, or means several things.
Result<std::vector<MachineAnswer>> MachinesSource::take_answers(const wire::QueryT& query) {
  std::vector<MachineAnswer> answers;
  std::optional<Error> refused;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    Asked& asked = asked_[i];
    RowMachine& machine = rows_.machines[i];
    const std::string known_by = asked.machine.name + " " + asked.machine.address;
    const bool in_time = asked.answer.has_value();
    if (!in_time && !asked.pending && !asked.failed) continue;  // it was not asked
    Result<RowPage> page = in_time ? std::move(*asked.answer) : tl::unexpected(silent_error(most_));
    asked.pending = false;
    if (page && !check_rows(query, *page)) page = bad_row();
    if (page) {
      auto [as_of_us, silent] = asked.asked->known();
      machine.position = std::max(machine.position, page->position);
      machine.as_of_us = as_of_us;
      machine.failed = std::move(silent);
      if (is_kept(query.view) && !question_.empty())
        known_.keep_rows(known_by, question_of(query), *page, rows_.now);
      known_.keep_silent(asked.machine.name, 0);
      answers.push_back({i, std::move(*page)});
    } else if (!asked.failed && ((page.error().code == "ambiguous_job" && names_beginnings(query)) ||
                                 (page.error().kind == ErrorKind::usage && asked.asked->speaks_for_all()))) {
      return tl::unexpected(page.error());
    } else if (!asked.failed && has_none(page.error())) {
      refused = page.error();
    } else if (is_kept(query.view)) {
      if (!asked.failed) take_failure(i, page.error());
      auto rows = question_.empty() ? std::nullopt : known_.rows_of(known_by, question_of(query));
      if (!rows || !check_rows(query, rows->page)) continue;
      machine.as_of_us = rows->as_of_us;
      answers.push_back({i, std::move(rows->page)});
    }
  }
  if (answers.empty() && refused) return tl::unexpected(*refused);
  return answers;
}

/// So that `luzia job ID` finds them, and nobody else can claim them.
void MachinesSource::learn_jobs() {
  std::vector<std::vector<std::string>> ids(asked_.size());
  for (const auto& [id, machine] : rows_.of_id) {
    if (!rows_.contested.contains(id)) ids[machine].push_back(id);
  }
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i].machine.name != kThisMachine) known_.keep_jobs(asked_[i].machine.name, ids[i]);
  }
}

Status MachinesSource::check_beginnings(const wire::QueryT& query) const {
  if (!query.filter) return {};
  for (const std::string& word : query.filter->jobs) {
    if (!is_job_id_prefix(word)) continue;
    std::set<std::size_t> having;
    std::string which;
    for (auto at = rows_.of_id.lower_bound(word); at != rows_.of_id.end() && at->first.starts_with(word);
         ++at) {
      if (!having.insert(at->second).second) continue;
      which += (which.empty() ? "" : ", ") + at->first + " on " + rows_.machines[at->second].name;
    }
    if (having.size() < 2) continue;
    return fail(ErrorKind::usage, "ambiguous_job", "'" + word + "' matches " + which,
                "give more of the id, or luzia --on MACHINE");
  }
  return {};
}

Result<RowPage> MachinesSource::query(const wire::QueryT& query) {
  return collect(query, query.limit == 0 ? kDefaultLimit : query.limit);
}

Result<RowPage> MachinesSource::collect(const wire::QueryT& query, std::size_t limit) {
  if (!query.cursor.empty()) return of_one_machine("a cursor");
  if (query.at_position != 0) return of_one_machine("a position of the log");
  ask_each(query, limit);
  wait_for_answers();
  auto answers = LUZIA_TRY(take_answers(query));
  MergedRows merged = merged_rows(query, limit, std::move(answers), rows_);
  LUZIA_TRY(check_beginnings(query));
  learn_jobs();
  is_cut_ = is_cut_ || merged.is_cut;
  if (query.view == wire::View::overview) {
    of_pauses_ = std::move(merged.of_pauses);
    of_alerts_ = std::move(merged.of_alerts);
  }
  return std::move(merged.page);
}

Result<std::string> MachinesSource::output_from(const std::string&, std::uint64_t) {
  return of_one_machine("output");
}

Result<std::string> MachinesSource::verify(const ProgressSink&) {
  return of_one_machine("verify");
}

Result<std::string> MachinesSource::rebuild(const ProgressSink&) {
  return of_one_machine("rebuild");
}

Result<std::string> MachinesSource::backup(const std::string&, const ProgressSink&) {
  return of_one_machine("backup");
}

void MachinesSource::name_rows(const StatusNotes& notes) {
  for (std::size_t i = 0; i < std::min(notes.pauses.size(), of_pauses_.size()); ++i) {
    rows_.of_row[notes.pauses[i]] = of_pauses_[i];
  }
  for (std::size_t i = 0; i < std::min(notes.alerts.size(), of_alerts_.size()); ++i) {
    rows_.of_row[notes.alerts[i]] = of_alerts_[i];
  }
}

std::string MachinesSource::missing_text() const {
  std::string words;
  for (const RowMachine& machine : rows_.machines) {
    if (machine.answered()) continue;
    std::string_view why = machine.failed->message;
    const std::string itself = "machine " + machine.name + ": ";
    if (why.starts_with(itself)) why.remove_prefix(itself.size());
    why = why.substr(0, std::min(why.find('\n'), kMostOfAReason));
    words += words.empty() ? "not all machines have answered: " : "; ";
    words.append(machine.name).append(" (").append(why).append("; ");
    words += machine.as_of_us == 0
                 ? "none of its rows are known)"
                 : "its rows are from " + format_duration(std::max<TimeUs>(0, rows_.now - machine.as_of_us)) +
                       " ago)";
  }
  return words;
}

std::string MachinesSource::claims_text(std::string_view beginning) const {
  constexpr std::size_t kMostNamed = 3;
  std::string words;
  std::size_t found = 0;
  for (auto at = rows_.also_of_id.lower_bound(beginning);
       at != rows_.also_of_id.end() && at->first.starts_with(beginning); ++at) {
    const std::string& owner = rows_.machines[rows_.of_id.at(at->first)].name;
    // This machine may be configured under another name.
    if (owner == kThisMachine || ++found > kMostNamed) continue;
    words += (words.empty() ? "both " : "; both ") + owner + " and " + rows_.machines[at->second].name +
             " say that they have " + at->first;
    if (!rows_.contested.contains(at->first)) words += ", which was on " + owner + " before";
  }
  return found <= kMostNamed ? words : words + "; and " + std::to_string(found - kMostNamed) + " more";
}

}  // namespace luzia
