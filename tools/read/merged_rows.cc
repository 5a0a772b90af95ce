#include "tools/read/merged_rows.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "adapters/config/config.h"
#include "engine/base/characters.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

template <class Row>
const Row& row_in(const std::string& bytes) {
  return *flatbuffers::GetRoot<Row>(bytes.data());
}

/// One row of one machine, and where it belongs: by rank, then number, then the name that sorts last.
struct MachineRow {
  std::string bytes;
  std::size_t machine = 0;
  std::string asker = {};   // its job or flow; empty: it has none
  std::string itself = {};  // its id on its machine; empty: it has none
  int rank = 0;
  std::int64_t number = 0;
  std::string name = {};

  bool operator<(const MachineRow& other) const {
    if (rank != other.rank) return rank < other.rank;
    return number != other.number ? number < other.number : name > other.name;
  }
};

constexpr int kLiveRank = 0, kQueuedRank = 1, kEndedRank = 2;  // of jobs in an overview

/// Of jobs: newest first, last end first, or as an overview shows them.
enum class JobOrder { newest, last_end, overview };

JobOrder order_of(const wire::QueryT& query) {
  if (query.view == wire::View::overview) return JobOrder::overview;
  const bool of_ends =
      query.filter && (query.filter->ended_since_us != 0 || query.filter->ended_before_us != 0);
  return of_ends ? JobOrder::last_end : JobOrder::newest;
}

/// An overview keeps the order of each queue: places of two queues cannot be compared.
void place_job(const view::Job& job, JobOrder order, MachineRow& row) {
  const bool in_overview = order == JobOrder::overview;
  row.itself = row.asker;
  const bool is_queued = job.state() == schema::JobState::queued;
  if (in_overview) row.rank = is_terminal(job.state()) ? kEndedRank : is_queued ? kQueuedRank : kLiveRank;
  if (row.rank == kEndedRank || order == JobOrder::last_end) row.number = -job.ended_us();
  if (row.rank == kLiveRank) row.name = row.asker;
}

template <class Row>
void place_prompt(const Row& prompt, MachineRow& row) {
  row.itself = text(prompt.id());
  const bool is_open = prompt.state() == view::QuestionState::open;
  row.rank = is_open ? 0 : 1;
  row.number = is_open ? prompt.asked_us() : -prompt.asked_us();
}

/// The job or flow that a row is about; empty: none.
std::string_view asker_in(wire::RowType type, const std::string& bytes) {
  using enum wire::RowType;
  if (type == job) return text(row_in<view::Job>(bytes).id());
  if (type == question) return text(row_in<view::Question>(bytes).job());
  if (type == approval) return asker_of(row_in<view::Approval>(bytes));
  if (type == issue) return text(row_in<view::Issue>(bytes).job());
  if (type == queue_entry) return text(row_in<view::QueueEntry>(bytes).job());
  if (type == flow) return text(row_in<view::Flow>(bytes).id());
  return {};
}

MachineRow placed(wire::RowType type, JobOrder order, std::string bytes, std::size_t machine) {
  using enum wire::RowType;
  MachineRow row{std::move(bytes), machine};
  row.asker = asker_in(type, row.bytes);
  if (type == job) place_job(row_in<view::Job>(row.bytes), order, row);
  if (type == question) place_prompt(row_in<view::Question>(row.bytes), row);
  if (type == approval) place_prompt(row_in<view::Approval>(row.bytes), row);
  if (type == issue) {
    row.name = row.asker;
    row.itself = row.asker + "/" + std::string(text(row_in<view::Issue>(row.bytes).fingerprint()));
  }
  if (type == queue_entry || type == flow) row.itself = row.asker;
  return row;
}

/// Empty: the row is about no job.
bool is_plain_id(std::string_view id) {
  return std::ranges::all_of(id, is_letter_or_digit);
}

/// Whether a script may use its ids as arguments of commands. Those of flows' gates have names of steps.
template <class Row>
bool has_plain_ids(const Row& row) {
  if constexpr (std::is_same_v<Row, view::Job>) return is_plain_id(text(row.id()));
  bool all_plain = true;
  if constexpr (requires { text(row.id()); }) all_plain = !text(row.id()).starts_with('-');
  if constexpr (requires { text(row.job()); }) all_plain = all_plain && is_plain_id(text(row.job()));
  return all_plain;
}

template <class Row>
bool all_valid(const RowPage& page) {
  return std::ranges::all_of(page.rows, [](const std::string& bytes) {
    const Row* row = verified_row<Row>(as_bytes(bytes));
    return row != nullptr && has_plain_ids(*row);
  });
}

/// Whether the rows are what the type says. Of types that are only passed on they are checked when used.
bool is_valid(const RowPage& page) {
  using enum wire::RowType;
  if (page.type == job) return all_valid<view::Job>(page);
  if (page.type == question) return all_valid<view::Question>(page);
  if (page.type == approval) return all_valid<view::Approval>(page);
  if (page.type == issue) return all_valid<view::Issue>(page);
  if (page.type == queue_entry) return all_valid<view::QueueEntry>(page);
  if (page.type == flow) return all_valid<view::Flow>(page);
  if (page.type == alert) return all_valid<view::Alert>(page);
  if (page.type == queue_switch) return all_valid<view::QueueSwitch>(page);
  if (page.type == totals) return all_valid<view::ProjectTotals>(page);
  if (page.type == outcome_day) return all_valid<view::OutcomeDay>(page);
  if (page.type == cost_day) return all_valid<view::CostDay>(page);
  if (page.type == issue_day) return all_valid<view::IssueDay>(page);
  return true;
}

/// The type that an answer to this query has; nothing: any.
std::optional<wire::RowType> type_of(wire::View view) {
  if (view == wire::View::jobs || view == wire::View::overview) return wire::RowType::job;
  if (view == wire::View::questions) return wire::RowType::question;
  if (view == wire::View::approvals) return wire::RowType::approval;
  if (view == wire::View::issues) return wire::RowType::issue;
  if (view == wire::View::queue) return wire::RowType::queue_entry;
  return std::nullopt;
}

/// Records that the machine has rows about this job or flow. It belongs to the machine that had it before,
/// else to the first that says so now. Nobody speaks for this machine.
void claim(std::string_view asker, std::size_t machine, RowMachines& machines) {
  const std::string id(asker);
  const auto is_local = [&](std::size_t i) { return machines.machines[i].name == kThisMachine; };
  const auto before = machines.first_seen.find(id);
  const bool was_seen = before != machines.first_seen.end() && !is_local(machine);
  const std::size_t owner = machines.of_id.emplace(id, was_seen ? before->second : machine).first->second;
  if (owner == machine) return;
  machines.also_of_id.emplace(id, machine);
  if (was_seen || is_local(owner)) return;
  RowMachine& several = machines.contested.emplace(id, machines.machines[owner]).first->second;
  const std::string more = " or " + machines.machines[machine].name;
  if ((several.name + " or ").find(more + " or ") == std::string::npos) several.name += more;
}

void claim_all(const RowPage& page, std::size_t machine, RowMachines& machines) {
  for (const std::string& bytes : page.rows) {
    const std::string_view asker = asker_in(page.type, bytes);
    if (!asker.empty()) claim(asker, machine, machines);
  }
  for (const RowPage& part : page.parts) claim_all(part, machine, machines);
}

/// Whether the row is shown. A row about another machine's job would be shown as that machine's words.
bool is_its_own(const MachineRow& row, const RowMachines& machines) {
  return row.asker.empty() || machines.of_id.at(row.asker) == row.machine ||
         machines.contested.contains(row.asker);
}

/// The rows of one type, of all machines.
std::vector<MachineRow> rows_of_all(std::vector<std::pair<std::size_t, RowPage*>> pages, JobOrder order,
                                    const RowMachines& machines) {
  std::vector<MachineRow> rows;
  std::set<std::pair<std::string, std::size_t>> seen;
  for (const auto& [machine, page] : pages) {
    for (std::string& bytes : page->rows) {
      MachineRow row = placed(page->type, order, std::move(bytes), machine);
      if (!is_its_own(row, machines)) continue;
      if (!row.itself.empty() && !seen.emplace(row.itself, machine).second) continue;
      rows.push_back(std::move(row));
    }
  }
  std::ranges::stable_sort(rows, [](const MachineRow& a, const MachineRow& b) { return a < b; });
  return rows;
}

/// Keeps the jobs that ended last, and after them the last ones that ended badly.
void cut_ended(std::vector<MachineRow>& rows, std::size_t most) {
  std::size_t ended = 0, failed = 0;
  std::erase_if(rows, [&](const MachineRow& row) {
    if (row.rank != kEndedRank || ended++ < most) return false;
    return !ended_badly(row_in<view::Job>(row.bytes)) || failed++ >= kFailedInStatus;
  });
}

/// What all machines count, in one row.
std::string sum_of(const std::vector<MachineRow>& days) {
  view::OutcomeDayT sum;
  for (const MachineRow& row : days) {
    const std::unique_ptr<view::OutcomeDayT> day(row_in<view::OutcomeDay>(row.bytes).UnPack());
    sum.completed += day->completed;
    sum.failed += day->failed;
    sum.killed += day->killed;
    sum.timed_out += day->timed_out;
    sum.lost += day->lost;
    sum.skipped += day->skipped;
    sum.cancelled += day->cancelled;
    for (auto& reason : day->reasons) sum.reasons.push_back(std::move(reason));
  }
  return row_bytes(sum);
}

/// One part of the overviews: all rows of that type.
void merge_part(wire::RowType type, std::vector<MachineAnswer>& answers, const RowMachines& machines,
                MergedRows& merged) {
  std::vector<std::pair<std::size_t, RowPage*>> pages;
  RowPage whole;
  whole.type = type;
  for (MachineAnswer& answer : answers) {
    for (RowPage& part : answer.page.parts) {
      if (part.type != type) continue;
      pages.emplace_back(answer.machine, &part);
      if (!part.next.empty()) whole.next = part.next;
    }
  }
  std::vector<MachineRow> rows = rows_of_all(std::move(pages), JobOrder::overview, machines);
  if (type == wire::RowType::outcome_day && !rows.empty()) {
    whole.rows.push_back(sum_of(rows));
    rows.clear();
  }
  for (MachineRow& row : rows) {
    if (type == wire::RowType::queue_switch) merged.of_pauses.push_back(row.machine);
    if (type == wire::RowType::alert) merged.of_alerts.push_back(row.machine);
    whole.rows.push_back(std::move(row.bytes));
  }
  merged.page.parts.push_back(std::move(whole));
}

}  // namespace

Status check_rows(const wire::QueryT& query, const RowPage& page) {
  const auto type = type_of(query.view);
  if ((type && page.type != *type) || !is_valid(page)) return bad_row();
  for (const RowPage& part : page.parts) {
    if (!is_valid(part)) return bad_row();
  }
  return {};
}

MergedRows merged_rows(const wire::QueryT& query, std::size_t limit, std::vector<MachineAnswer> answers,
                       RowMachines& machines) {
  MergedRows merged;
  const bool is_overview = query.view == wire::View::overview;
  std::vector<std::pair<std::size_t, RowPage*>> pages;
  std::set<wire::RowType> types;
  if (!answers.empty()) merged.page.type = answers.front().page.type;
  for (MachineAnswer& answer : answers) {
    claim_all(answer.page, answer.machine, machines);
    pages.emplace_back(answer.machine, &answer.page);
    merged.is_cut = merged.is_cut || !answer.page.next.empty();
    for (const RowPage& part : answer.page.parts) types.insert(part.type);
  }
  std::vector<MachineRow> rows = rows_of_all(std::move(pages), order_of(query), machines);
  if (is_overview) {
    cut_ended(rows, query.limit);
  } else if (limit != 0 && rows.size() > limit) {
    rows.resize(limit);
    merged.is_cut = true;
  }
  for (MachineRow& row : rows) merged.page.rows.push_back(std::move(row.bytes));
  for (const wire::RowType type : types) merge_part(type, answers, machines, merged);
  return merged;
}

}  // namespace luzia
