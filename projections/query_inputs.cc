// Pages of questions and approvals; single ones with their texts.
#include <algorithm>
#include <type_traits>

#include "engine/base/hash.h"
#include "projections/flow_gates.h"
#include "projections/input_table.h"
#include "projections/inputs.h"
#include "projections/query_pages.h"
#include "projections/rows/overview_parts.h"
#include "projections/rows/row_bytes.h"

namespace luzia {
namespace {

std::string joined(const EventLog& log, Position event, const schema::BlobRefT* text) {
  return text ? shown_text(log, event, *text) : std::string();
}

void join_texts(view::QuestionT& row, const EventLog& log) {
  row.question = joined(log, row.position, row.text.get());
  if (row.answer_text) row.answer = joined(log, row.answer_position, row.answer_text.get());
}

void join_texts(view::ApprovalT& row, const EventLog& log) {
  row.description = joined(log, row.position, row.description_text.get());
  row.tool_input = joined(log, row.position, row.input_text.get());
}

template <class Row>
constexpr bool kIsQuestion = std::is_same_v<Row, view::Question>;
template <class Row>
constexpr const ProjectionInfo& kViewOf = kIsQuestion<Row> ? kQuestionsView : kApprovalsView;

/// Collects requests until the page is full.
template <class Row>
class InputsPage {
 public:
  InputsPage(const QueryRun& run, const QueryFilter& filter)
      : run_(run), filter_(filter), limit_(page_limit(run.query)) {
    page_.type = kIsQuestion<Row> ? wire::RowType::question : wire::RowType::approval;
    page_.position = run.at;
  }

  /// `key`: within the view. False: the page is full and there is more.
  bool offer(std::string_view key, std::string_view value) {
    const StoredRow<Row> row(value);
    if (!takes(*row)) return true;
    if (taken_ == limit_ || bytes_ > run_.page_bytes) {
      page_.next = to_hex(as_bytes(last_));
      return false;
    }
    ++taken_;
    last_ = key;
    auto native = row.native();
    join_texts(native, run_.sources.log);
    bytes_ += page_.rows.emplace_back(row_bytes(native)).size();
    return true;
  }
  /// Adds a row that is not from the view, before all others and regardless of the limit.
  void begin_with(std::string row) { page_.rows.push_back(std::move(row)); }
  bool is_full() const { return !page_.next.empty(); }
  RowPage take() { return std::move(page_); }

 private:
  bool takes(const Row& row) const {
    if (!filter_.takes_time(row.asked_us()) || !filter_.takes_job_id(text(row.job()))) return false;
    if (!filter_.takes_project(text(row.project())) || !filter_.takes_agent(text(row.agent()))) return false;
    if (!filter_.needs_job_row()) return true;
    const auto job = read_row<view::Job>(run_.rows, kJobsView, text(row.job()));
    return job && filter_.takes_job_but_time(**job);
  }

  const QueryRun& run_;
  const QueryFilter& filter_;
  std::size_t limit_, taken_ = 0, bytes_ = 0;
  std::string last_;
  RowPage page_;
};

/// Key of the last row of the page before; empty: from the beginning.
Result<std::string> place_in_list(const std::string& cursor) {
  auto key = cursor_key(cursor);
  const bool sound = key && (key->empty() || (key->size() >= open_input_key(0).size() &&
                                              (key->front() == 'o' || key->front() == 'c')));
  if (sound) return key;
  return fail(ErrorKind::usage, "bad_cursor", "'" + cursor + "' is not a cursor of this list",
              "give the value of \"next\" of the page before");
}

/// Offers open requests after the key `after`, longest waiting first.
template <class Row>
void offer_open(InputsPage<Row>& page, const QueryRun& run, const std::string& after) {
  const ProjectionInfo& info = kViewOf<Row>;
  const std::string from = row_key(info, after.empty() ? "o" : after + '\0');
  run.rows.scan(from, row_key(info, "p"), [&](std::string_view key, std::string_view value) {
    return page.offer(key.substr(row_key(info, "").size()), value);
  });
}

/// Offers requests of these jobs that are over, by the index.
template <class Row>
void offer_closed_of(InputsPage<Row>& page, const QueryRun& run, const std::vector<std::string>& jobs,
                     const std::string& before) {
  const ProjectionInfo& info = kViewOf<Row>;
  std::vector<std::string> keys;
  for (const std::string& job : jobs) {
    const std::string from = row_key(info, inputs_of_job_key(job));
    run.rows.scan(from, after_prefix(from), [&](std::string_view key, std::string_view) {
      std::string closed = std::string("c").append(key.substr(from.size()));
      if (before.empty() || closed < before) keys.push_back(std::move(closed));
      return true;
    });
  }
  std::sort(keys.rbegin(), keys.rend());
  for (const std::string& key : keys) {
    const auto value = run.rows.get(row_key(info, key));
    if (value && !page.offer(key, *value)) return;
  }
}

/// Gates of flows belong to no job, so a filter by jobs excludes them.
bool excludes_gates(const QueryRun& run) {
  return run.query.filter && narrows_jobs(*run.query.filter);
}

/// Whether the query takes the gate: any, or those of one flow.
bool takes_gate(const QueryRun& run, const QueryFilter& filter, const view::Approval& row) {
  const bool of_flow = run.query.id.empty() || text(row.id()).starts_with(run.query.id + "/");
  return of_flow && filter.takes_project(text(row.project())) && filter.takes_time(row.asked_us());
}

/// Gates at which flow steps wait, longest waiting first. There are few of them.
std::vector<view::ApprovalT> waiting_gates(const QueryRun& run, const QueryFilter& filter) {
  std::vector<view::ApprovalT> rows;
  if (excludes_gates(run)) return rows;
  run.rows.scan(row_key(kFlowGatesView, "o"), row_key(kFlowGatesView, "p"),
                [&](std::string_view, std::string_view value) {
                  const StoredRow<view::Approval> row(value);
                  if (takes_gate(run, filter, *row)) rows.push_back(row.native());
                  return true;
                });
  std::ranges::stable_sort(rows, {}, &view::ApprovalT::position);
  return rows;
}

struct PastGate {
  std::string key, row;
};

/// Gates of flows that are decided or no longer needed, below `before`; at most one page.
std::vector<PastGate> past_gates(const QueryRun& run, const QueryFilter& filter, const std::string& before) {
  std::vector<PastGate> gates;
  if (excludes_gates(run)) return gates;
  const std::size_t key_begin = row_key(kFlowGatesView, "").size(), most = page_limit(run.query) + 1;
  run.rows.scan_back(row_key(kFlowGatesView, "c"), row_key(kFlowGatesView, before.empty() ? "d" : before),
                     [&](std::string_view key, std::string_view value) {
                       const StoredRow<view::Approval> row(value);
                       if (takes_gate(run, filter, *row)) {
                         gates.push_back({std::string(key.substr(key_begin)), std::string(value)});
                       }
                       return gates.size() < most;
                     });
  return gates;
}

/// Offers requests that are over below `before`, newest first, with `gates` sorted in between.
template <class Row>
void offer_past(InputsPage<Row>& page, const QueryRun& run, const std::string& before,
                const std::vector<PastGate>& gates) {
  const ProjectionInfo& info = kViewOf<Row>;
  const std::size_t key_begin = row_key(info, "").size();
  auto gate = gates.begin();
  const auto offer_gates_above = [&](std::string_view key) {
    for (; gate != gates.end() && gate->key > key; ++gate) {
      if (!page.offer(gate->key, gate->row)) return false;
    }
    return true;
  };
  run.rows.scan_back(row_key(info, "c"), row_key(info, before.empty() ? "d" : before),
                     [&](std::string_view key, std::string_view value) {
                       const std::string_view own = key.substr(key_begin);
                       return offer_gates_above(own) && page.offer(own, value);
                     });
  if (!page.is_full()) offer_gates_above("c");
}

/// Open ones first, longest waiting first, because that one should be answered next. With filter.ended also
/// those that are over, newest first, whatever the state of their jobs.
template <class Row>
Result<RowPage> inputs_page(const QueryRun& run) {
  wire::FilterT of_jobs = run.query.filter ? *run.query.filter : wire::FilterT();
  const bool over_too = of_jobs.ended;
  of_jobs.ended = true;
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, &of_jobs));
  const auto last = LUZIA_TRY(place_in_list(run.query.cursor));
  const bool in_closed = last.starts_with('c');
  InputsPage<Row> page(run, filter);
  if constexpr (!kIsQuestion<Row>) {
    if (last.empty()) {
      for (const auto& gate : waiting_gates(run, filter)) page.begin_with(row_bytes(gate));
    }
  }
  if (!in_closed) offer_open(page, run, last);
  if (over_too && !page.is_full()) {
    const std::string from = in_closed ? last : std::string();
    if (filter.jobs().empty()) {
      offer_past(page, run, from, kIsQuestion<Row> ? std::vector<PastGate>() : past_gates(run, filter, from));
    } else {
      offer_closed_of(page, run, filter.jobs(), from);
    }
  }
  return page.take();
}

/// The gates of one flow, without any approval of a job.
Result<RowPage> gates_of_flow(const QueryRun& run) {
  const auto filter = LUZIA_TRY(QueryFilter::make(run.rows, run.sources, run.query.filter.get()));
  const auto last = LUZIA_TRY(place_in_list(run.query.cursor));
  InputsPage<view::Approval> page(run, filter);
  if (last.empty()) {
    for (const auto& gate : waiting_gates(run, filter)) page.begin_with(row_bytes(gate));
  }
  for (const PastGate& gate : past_gates(run, filter, last)) {
    if (!page.offer(gate.key, gate.row)) break;
  }
  return page.take();
}

}  // namespace

Result<RowPage> questions_page(const QueryRun& run) {
  return inputs_page<view::Question>(run);
}

Result<RowPage> approvals_page(const QueryRun& run) {
  if (!run.query.id.empty()) return gates_of_flow(run);
  return inputs_page<view::Approval>(run);
}

}  // namespace luzia
