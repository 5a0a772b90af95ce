#include "tools/read/beside_jobs.h"

#include <algorithm>

#include "engine/base/local_time.h"
#include "engine/base/try.h"

namespace luzia {

RowPage ask_queue(Session& session, Source& source, const std::vector<const view::Job*>& jobs) {
  wire::QueryT query = session.query(wire::View::queue);
  const auto queued = queued_among(jobs);
  if (queued.empty()) return {};
  query.cursor.clear();
  query.without_positions = true;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = queued;
  auto page = collect_pages(source, query, 0);
  return page ? std::move(*page) : RowPage();
}

QueueEntries queue_of(const RowPage& page) {
  const auto entries = rows_of<view::QueueEntry>(page);
  return entries ? by_job(*entries) : QueueEntries();
}

namespace {

/// The open rows of one view of a job, as text made by `text_of`. Empty if an older daemon does not know it.
template <class Row>
Result<std::string> open_text(Session& session, Source& source, wire::View view, const std::string& job,
                              std::string (*text_of)(const std::vector<const Row*>&, TimeUs,
                                                     const TableStyle&)) {
  wire::QueryT query = session.query(view);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job};
  query.filter->ended = false;
  const auto page = collect_pages(source, query, 0);
  if (!page && page.error().code == "unknown_view") return std::string();
  if (!page) return tl::unexpected(page.error());
  const auto rows = LUZIA_TRY(rows_of<Row>(*page));
  const auto as_of = LUZIA_TRY(session.seen_until());
  return text_of(rows, as_of, session.console().style());
}

}  // namespace

Result<std::string> open_prompts_of(Session& session, Source& source, const std::string& job) {
  const auto questions =
      LUZIA_TRY(open_text<view::Question>(session, source, wire::View::questions, job, questions_text));
  const auto approvals =
      LUZIA_TRY(open_text<view::Approval>(session, source, wire::View::approvals, job, approvals_text));
  return questions + (questions.empty() || approvals.empty() ? "" : "\n") + approvals;
}

Result<RowPage> ask_pauses(Session& session, Source& source) {
  wire::QueryT query = session.query(wire::View::switches);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->projects = session.options().filter.projects;
  query.cursor.clear();
  return source.query(query);
}

void report_unwatched(Session& session, const std::vector<const view::Job*>& jobs, Position position) {
  const Options& options = session.options();
  if (!options.at.is_now() || options.format == Format::json) return;
  using enum schema::JobState;
  const bool is_live = std::ranges::any_of(jobs, [](const view::Job* job) {
    return job->state() == starting || job->state() == running || job->state() == waiting;
  });
  const bool is_reported = session.console().has_person() && !session.reads_offline();
  if (!is_live || is_reported || !session.is_unwatched()) return;
  const auto& last = session.last_event();
  session.console().say(session.name() + ": no luziad runs on this store: as of position " +
                        std::to_string(position) + (last ? ", " + format_local(*last) : "") +
                        "; jobs shown as running may have ended");
}

Result<RowPage> ask_job(Session& session, Source& source, const std::string& job) {
  wire::QueryT query = session.query(wire::View::jobs);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job};
  query.limit = 1;
  auto page = source.query(query);
  if (!page || !page->rows.empty()) return page;
  if (session.options().at.is_now()) {
    return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'",
                session.name() + " jobs --all lists them");
  }
  return fail(ErrorKind::not_found, "no_such_job",
              "there was no job '" + job + "' at position " + std::to_string(page->position),
              "leave out --at to see it as it is now");
}

Result<RowPage> ask_waiting(Session& session, Source& source, const std::string& job) {
  if (!source.is_daemon() || !session.options().at.is_now()) return RowPage();
  wire::QueryT query = session.query(wire::View::waiting);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job};
  auto page = source.query(query);
  return page || page.error().code != "unknown_view" ? std::move(page) : Result<RowPage>(RowPage());
}

}  // namespace luzia
