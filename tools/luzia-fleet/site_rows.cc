#include "tools/luzia-fleet/site_rows.h"

#include <algorithm>
#include <array>
#include <map>

#include "adapters/socket/fleet_frame.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "projections/rows/row_bytes.h"
#include "tools/luzia-fleet/site.h"
#include "tools/luzia-fleet/site_query.h"
#include "tools/luzia-fleet/stored_values.h"
#include "view.fb.h"

namespace luzia {
namespace {

constexpr std::size_t kSitesAtOnce = 256;
constexpr std::size_t kMostNamedJobs = 100;  // of a site, of which the beginnings of ids may be
constexpr std::size_t kReadForShown = 8;     // issues that are read for each one that is not folded
constexpr std::uint32_t kFewRows = 1'000;    // of more, those of one site at a time are in memory
static_assert(kMostBytesOfSite < kMaxFrameBytes);

Result<PostgresRows> site_rows_for(Postgres& database, const std::string& sql,
                                   const std::vector<PostgresValue>& values = {}) {
  auto found = database.run(sql, values);
  if (!found) return tl::unexpected(with_schema_hint(found.error(), database.last_sqlstate()));
  return found;
}

std::uint64_t count_in(const std::optional<std::string>& text) {
  return text ? parse_whole_number(*text).value_or(0) : 0;
}

std::unique_ptr<wire::RefusedT> refused_site(const Error& error) {
  auto made = std::make_unique<wire::RefusedT>();
  made->code = error.code;
  made->message = error.message;
  made->hint = error.hint;
  made->exit_code = static_cast<std::uint8_t>(error.kind);
  return made;
}

/// The bytes of a bytea in text form, "\x0011...".
std::string bytea_in(std::string_view text) {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) << 4 | digit(text[i + 1]));
  }
  return bytes;
}

using Sites = std::vector<std::unique_ptr<wire::FleetSiteT>>;

Result<Sites> read_sites(Postgres& database, const std::vector<std::string>& named, TimeUs now) {
  // Waiting is no fault, and a site shows life every 30 seconds.
  std::string sql =
      "SELECT site, host, version, rows_position, "
      "greatest(0, extract(epoch FROM clock_timestamp() - last_seen) * 1000000)::bigint, "
      "last_seen < clock_timestamp() - interval '1 minute', fault FROM luzia.sites";
  std::vector<PostgresValue> values;
  if (!named.empty()) {
    sql += " WHERE site = ANY ($1::text[])";
    values.push_back({text_array(named)});
  }
  const auto found = LUZIA_TRY(site_rows_for(database, sql + " ORDER BY site", values));
  Sites sites;
  for (const PostgresRow& row : found.rows) {
    auto site = std::make_unique<wire::FleetSiteT>();
    site->name = row[0].value_or("");
    site->host = row[1].value_or("");
    site->version = row[2].value_or("");
    site->position = count_in(row[3]);
    site->as_of_us = now - static_cast<TimeUs>(count_in(row[4]));
    site->unreachable = row[5] == "t";
    site->fault = row[6].value_or("");
    sites.push_back(std::move(site));
  }
  return sites;
}

class SiteAnswers {
 public:
  SiteAnswers(Postgres& database, const wire::QueryT& query) : database_(database), query_(query) {}

  /// Gives each of the sites its rows.
  Status fill(std::span<std::unique_ptr<wire::FleetSiteT>> sites) {
    by_name_.clear();
    for (const auto& site : sites) by_name_.emplace(site->name, Filled{site.get()});
    LUZIA_TRY(check_jobs());
    most_ = query_.limit == 0 ? 0 : (std::size_t{query_.limit} + 1) * (leaves_out() ? kReadForShown : 1);
    const SiteQuery made = LUZIA_TRY(site_query(query_, most_));
    for (auto& [name, filled] : by_name_) {
      if (filled.site->refused) continue;
      filled.site->rows = std::make_unique<wire::RowsT>();
      filled.site->rows->type = made.type;
      filled.site->rows->position = filled.site->position;
    }
    return made.table.empty() ? Status() : read_rows(made);
  }

 private:
  struct Filled {
    wire::FleetSiteT* site = nullptr;
    std::size_t bytes = 0;
    std::size_t read = 0;  // rows
  };

  /// No column of the table says which issues are folded.
  bool leaves_out() const { return query_.without_folded && query_.view == wire::View::issues; }
  bool is_left_out(const std::string& bytes) const {
    const auto* issue = leaves_out() ? verified_row<view::Issue>(as_bytes(bytes)) : nullptr;
    return issue != nullptr && issue->folded();
  }

  std::vector<PostgresValue> values_of(const SiteQuery& made) const {
    std::vector<std::string> names;
    for (const auto& [name, filled] : by_name_) {
      if (!filled.site->refused) names.push_back(name);
    }
    std::vector<PostgresValue> values = {{text_array(names)}};
    values.insert(values.end(), made.values.begin(), made.values.end());
    return values;
  }

  void refuse(Filled& filled, const Error& error) {
    filled.site->rows.reset();
    filled.site->refused = refused_site(error);
  }

  /// A site that has none of the jobs that the filter names, or several that one word may mean.
  Status check_jobs() {
    if (!query_.filter || query_.filter->jobs.empty()) return {};
    wire::QueryT of_jobs;
    of_jobs.view = wire::View::jobs;
    of_jobs.filter = std::make_unique<wire::FilterT>();
    of_jobs.filter->jobs = query_.filter->jobs;
    const SiteQuery made = LUZIA_TRY(site_query(of_jobs, kMostNamedJobs, "id"));
    const auto found = LUZIA_TRY(site_rows_for(database_, made.sql, values_of(made)));
    std::map<std::string, std::vector<std::string>> ids;
    for (const PostgresRow& row : found.rows) ids[row[0].value_or("")].push_back(row[1].value_or(""));
    for (auto& [name, filled] : by_name_) {
      if (!ids.contains(name)) {
        refuse(filled,
               {ErrorKind::not_found, "no_such_job", "there is no job '" + query_.filter->jobs.front() + "'",
                "luzia-query jobs --all --fleet lists those of the fleet"});
        continue;
      }
      for (const std::string& word : query_.filter->jobs) refuse_if_several(filled, word, ids.at(name));
    }
    return {};
  }
  void refuse_if_several(Filled& filled, const std::string& word, const std::vector<std::string>& ids) {
    if (!is_job_id_prefix(word)) return;
    std::vector<std::string> matching;
    std::ranges::copy_if(ids, std::back_inserter(matching),
                         [&](const auto& id) { return id.starts_with(word); });
    if (matching.size() < 2) return;
    refuse(filled, {ErrorKind::usage, "ambiguous_job",
                    "'" + word + "' matches " + matching[0] + ", " + matching[1] +
                        (matching.size() > 2 ? ", ..." : ""),
                    "give more of the id"});
  }

  Status read_rows(const SiteQuery& made) {
    const auto found = LUZIA_TRY(site_rows_for(database_, made.sql, values_of(made)));
    for (const PostgresRow& row : found.rows) {
      const auto site = by_name_.find(row[0].value_or(""));
      if (site != by_name_.end() && !site->second.site->refused) add_row(site->second, row[1]);
    }
    return {};
  }
  void add_row(Filled& filled, const std::optional<std::string>& value) {
    wire::RowsT& rows = *filled.site->rows;
    const std::string bytes = value ? bytea_in(*value) : std::string();
    if (++filled.read == most_) rows.next = "more";
    if (is_left_out(bytes)) return;
    if (query_.limit != 0 && rows.rows.size() == query_.limit) {
      rows.next = "more";
      return;
    }
    if (!value) {
      return refuse(filled, {ErrorKind::trouble, "older_rows", "an older luzia-fleet has written its rows",
                             "run luzia-fleet rebuild on that machine"});
    }
    auto row = std::make_unique<wire::RowT>();
    row->data.assign(bytes.begin(), bytes.end());
    filled.bytes += bytes.size() + kBytesBesideRow;
    rows.rows.push_back(std::move(row));
    if (filled.bytes >= kMostBytesOfSite) {
      refuse(filled, {ErrorKind::trouble, "too_much", "it has more rows than fit into one answer",
                      "a filter or --limit N takes fewer"});
    }
  }

  Postgres& database_;
  const wire::QueryT& query_;
  std::size_t most_ = 0;  // rows of a site that are read; 0: all
  std::map<std::string, Filled> by_name_;
};

}  // namespace

Status check_reader(Postgres& database) {
  const auto found = LUZIA_TRY(site_rows_for(database,
                                             "SELECT session_user, row_security_active('luzia.jobs'), "
                                             "pg_has_role(session_user, 'luzia_reader', 'MEMBER')"));
  const PostgresRow& row = found.rows.front();
  if (row[1] != "t") return {};  // the owner of the schema
  if (row[2] == "t") {
    const auto projects = LUZIA_TRY(
        site_rows_for(database, "SELECT FROM luzia.reader_projects r WHERE r.role = session_user LIMIT 1"));
    if (!projects.rows.empty()) return {};
  }
  const std::string role = row[0].value_or("");
  return fail(ErrorKind::refused, "not_a_reader",
              "the role " + role + " may not read the rows of other machines in the fleet's database",
              "luzia-fleet init --url URL --reader " + role +
                  " --projects '*' allows it; or set [fleet] people_url with the role of a reader");
}

Status answer_question(Postgres& database, const wire::FleetQuestion& question, TimeUs now,
                       const std::function<Status(wire::FleetAnswerT)>& send) {
  const std::unique_ptr<wire::FleetQuestionT> asked(question.UnPack());
  Sites sites = LUZIA_TRY(read_sites(database, asked->sites, now));
  const auto answer_of = [&](std::span<std::unique_ptr<wire::FleetSiteT>> some) {
    wire::FleetAnswerT answer;
    answer.id = asked->id;
    answer.sites.insert(answer.sites.end(), std::move_iterator(some.begin()), std::move_iterator(some.end()));
    return answer;
  };
  if (asked->query == nullptr) {
    LUZIA_TRY(send(answer_of(sites)));
  } else {
    const std::uint32_t most = asked->query->limit;
    const std::size_t at_once = most == 0 || most > kFewRows ? 1 : kSitesAtOnce;
    SiteAnswers answers(database, *asked->query);
    for (std::size_t at = 0; at < sites.size(); at += at_once) {
      const auto some = std::span(sites).subspan(at, std::min(at_once, sites.size() - at));
      LUZIA_TRY(answers.fill(some));
      for (std::size_t i = 0; i < some.size(); ++i) LUZIA_TRY(send(answer_of(some.subspan(i, 1))));
    }
  }
  wire::FleetAnswerT end;
  end.id = asked->id;
  end.last = true;
  return send(std::move(end));
}

}  // namespace luzia
