#include "tools/luzia-fleet/site_query.h"

#include <algorithm>

#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "projections/rows/export_table.h"
#include "projections/rows/names.h"
#include "projections/rows/times.h"
#include "tools/luzia-fleet/stored_values.h"
#include "tools/luzia-fleet/touched.h"

namespace luzia {
namespace {

constexpr std::string_view kNewestJob = "@last";

tl::unexpected<Error> not_in_fleet(const std::string& what) {
  return fail(ErrorKind::usage, "not_in_fleet", "the database of the fleet does not have " + what,
              "leave out --fleet, or ask that machine: luzia --on MACHINE");
}

std::vector<std::string> state_names(const std::vector<schema::JobState>& states) {
  std::vector<std::string> names;
  for (const schema::JobState state : states) names.emplace_back(state_name(state));
  return names;
}

std::vector<std::string> ended_states() {
  std::vector<std::string> names;
  for (const schema::JobState state : schema::EnumValuesJobState()) {
    if (is_terminal(state)) names.emplace_back(state_name(state));
  }
  return names;
}

bool is_by_end(const wire::FilterT& filter) {
  return filter.ended_since_us != 0 || filter.ended_before_us != 0;
}

/// The conditions of a query, and the values in them.
class Conditions {
 public:
  explicit Conditions(const wire::FilterT& filter) : filter_(filter) {}

  std::string value(std::string bytes) {
    values_.push_back({std::move(bytes)});
    return "$" + std::to_string(values_.size() + 1);
  }
  void add(const std::string& condition) { sql_ += " AND " + condition; }

  /// The column has one of these names.
  void add_names(const std::string& column, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::vector<std::string> stored;
    for (const std::string& name : names) stored.push_back(storable_name(name));
    add(column + " = ANY (" + value(text_array(stored)) + "::text[])");
  }
  void add_time(const std::string& column) { add_time(column, filter_.since_us, filter_.until_us); }
  void add_time(const std::string& column, TimeUs since, TimeUs before) {
    const auto moment = [this](TimeUs time) {
      return "timestamptz 'epoch' + " + value(std::to_string(time)) + "::bigint * interval '1 microsecond'";
    };
    if (since != 0) add(column + " >= " + moment(since));
    if (before != 0) add(column + " < " + moment(before));
  }
  /// A day counts if any part of it is within the time.
  void add_days() {
    if (filter_.since_us > 0) add("t.day >= " + value(day_text(day_number(filter_.since_us))));
    if (filter_.until_us > 0) add("t.day <= " + value(day_text(day_number(filter_.until_us - 1))));
    add_names("t.project", filter_.projects);
  }

  /// The column has one of the jobs that the filter names: by id, by its beginning, or as the newest.
  void add_jobs(const std::string& column) {
    std::string any;
    for (const std::string& word : filter_.jobs) {
      any += any.empty() ? "" : " OR ";
      if (word == kNewestJob) {
        any += column + " = (SELECT max(n.id) FROM luzia.jobs n WHERE n.site = s.site)";
        continue;
      }
      const std::string begin = value(storable_name(word));
      // Ids are digits and lower-case letters: the range uses the index in any collation.
      any += "(" + column + " BETWEEN " + begin + " AND " + begin + " || 'zzzzzzzzzzzzz' AND starts_with(" +
             column + ", " + begin + "))";
    }
    if (!any.empty()) add("(" + any + ")");
  }

  /// What of the filter is about the row of a job, without its id and time.
  void add_of_job(const std::string& job) {
    const auto has_ended = [&] {
      return job + ".state = ANY (" + value(text_array(ended_states())) + "::text[])";
    };
    if (!filter_.ended) add("NOT " + has_ended());
    if (is_by_end(filter_)) {
      add(has_ended());
      add_time(job + ".ended_at", filter_.ended_since_us, filter_.ended_before_us);
    }
    add_names(job + ".agent", filter_.agents);
    add_names(job + ".project", filter_.projects);
    add_names(job + ".schedule", filter_.schedules);
    add_names(job + ".step", filter_.steps);
    add_names("coalesce(nullif(" + job + ".model, ''), 'unknown')", filter_.models);
    if (!filter_.tags.empty()) {
      add("string_to_array(" + job + ".tags, ',') @> " + value(text_array(filter_.tags)) + "::text[]");
    }
    std::string any;
    if (!filter_.states.empty()) {
      any = job + ".state = ANY (" + value(text_array(state_names(filter_.states))) + "::text[])";
    }
    for (const auto& [wanted, name] : {std::pair(filter_.proved, "proved"), {filter_.refuted, "refuted"}}) {
      if (wanted) any += (any.empty() ? "" : " OR ") + job + ".verified = '" + name + "'";
    }
    if (!any.empty()) add("(" + any + ")");
  }
  /// The same for a row that names its job and project. Its own project counts, since a gate has no job.
  void add_of_its_job() {
    add_jobs("t.job");
    add_names("t.project", filter_.projects);
    const bool needs_job = !filter_.agents.empty() || !filter_.tags.empty() || !filter_.states.empty() ||
                           !filter_.schedules.empty() || !filter_.models.empty() || !filter_.steps.empty() ||
                           filter_.proved || filter_.refuted || is_by_end(filter_);
    if (!needs_job) return;
    Conditions of_job(*this);
    of_job.sql_.clear();
    of_job.add_of_job("j");
    values_ = std::move(of_job.values_);
    add("EXISTS (SELECT FROM luzia.jobs j WHERE j.site = s.site AND j.id = t.job" + of_job.sql_ + ")");
  }

  const std::string& sql() const { return sql_; }
  std::vector<PostgresValue> take_values() { return std::move(values_); }

 private:
  const wire::FilterT& filter_;
  std::string sql_;
  std::vector<PostgresValue> values_;
};

/// What a view is in the tables. `order`: empty: any.
struct ViewTable {
  wire::RowType type;
  std::string_view table, order;
};

/// Views that the tables do not have, and that lists look at beside their rows, have none.
std::optional<ViewTable> table_of_view(wire::View view) {
  constexpr std::string_view kOpenFirst =
      "(t.state <> 'open'), CASE WHEN t.state = 'open' THEN t.asked_at END, t.asked_at DESC, t.id";
  using enum wire::View;
  if (view == jobs) return ViewTable{wire::RowType::job, "jobs", "t.id DESC"};
  if (view == questions) return ViewTable{wire::RowType::question, "questions", kOpenFirst};
  if (view == approvals) return ViewTable{wire::RowType::approval, "approvals", kOpenFirst};
  if (view == issues) return ViewTable{wire::RowType::issue, "issues", "t.job DESC, t.fingerprint DESC"};
  if (view == issue_days) return ViewTable{wire::RowType::issue_day, "issue_stats", ""};
  if (view == costs) return ViewTable{wire::RowType::cost_day, "costs", ""};
  if (view == outcomes) return ViewTable{wire::RowType::outcome_day, "outcomes", ""};
  if (view == queue) return ViewTable{wire::RowType::queue_entry, "", ""};
  if (view == waiting) return ViewTable{wire::RowType::waiting, "", ""};
  if (view == spending) return ViewTable{wire::RowType::project_spending, "", ""};
  return std::nullopt;
}

Status check_query(const wire::QueryT& query) {
  if (query.at_position != 0 || query.at_time_us != 0) return not_in_fleet("earlier rows (--at)");
  if (!query.cursor.empty()) return not_in_fleet("further pages (--cursor): --limit N shows more rows");
  if (!query.text.empty()) return not_in_fleet("whole tasks, so words in them are not found");
  if (!query.id.empty() || (query.filter && !query.filter->after.empty())) return not_in_fleet("this");
  return {};
}

void add_conditions(const wire::QueryT& query, Conditions& conditions) {
  const wire::FilterT& filter = *query.filter;
  using enum wire::View;
  if (query.view == jobs) {
    conditions.add_jobs("t.id");
    conditions.add_of_job("t");
    conditions.add_time("t.queued_at");
  } else if (query.view == issues) {
    conditions.add_of_its_job();
    conditions.add_time("nullif(t.last_seen, '')::timestamptz");
    if (query.unfixed_only) conditions.add("t.state <> 'fixed'");
  } else if (query.view == questions || query.view == approvals) {
    conditions.add_of_its_job();
    conditions.add_time("t.asked_at");
    if (!filter.ended) conditions.add("t.state = 'open'");
  } else {
    conditions.add_days();
    if (query.view != issue_days) conditions.add_names("t.agent", filter.agents);
  }
}

}  // namespace

Result<SiteQuery> site_query(const wire::QueryT& query, std::size_t limit, const std::string& column) {
  LUZIA_TRY(check_query(query));
  const auto view = table_of_view(query.view);
  if (!view) return not_in_fleet("rows of the view " + std::string(wire::EnumNameView(query.view)));
  SiteQuery made{view->type, std::string(view->table), {}, {}};
  if (made.table.empty()) return made;
  wire::QueryT whole(query);
  if (!whole.filter) whole.filter = std::make_unique<wire::FilterT>();
  Conditions conditions(*whole.filter);
  add_conditions(whole, conditions);
  // As a daemon: the last end first, unless jobs are named.
  const bool by_end =
      query.view == wire::View::jobs && is_by_end(*whole.filter) && whole.filter->jobs.empty();
  const std::string_view by = by_end ? "t.ended_at DESC, t.id DESC" : view->order;
  const std::string order = by.empty() ? "" : " ORDER BY " + std::string(by);
  const std::size_t rows = limit == 0 ? kMostBytesOfSite / kBytesBesideRow : limit;
  const std::string most = " LIMIT " + std::to_string(rows);
  // A machine writes its rows itself, so they may be of any number and size: those after too many bytes are
  // not read.
  const std::string bytes = std::to_string(kMostBytesOfSite);
  made.sql = "SELECT s.site, substr(r.found, 1, " + bytes +
             ") FROM luzia.sites s CROSS JOIN LATERAL (SELECT q.found, "
             "sum(coalesce(octet_length(q.found), 0) + " +
             std::to_string(kBytesBesideRow) +
             ") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM (SELECT t." +
             pg_name(column) + " AS found FROM luzia." + made.table + " t WHERE t.site = s.site" +
             conditions.sql() + order + most +
             ") q) r WHERE s.site = ANY ($1::text[]) AND coalesce(r.before, 0) < " + bytes;
  made.values = conditions.take_values();
  return made;
}

}  // namespace luzia
