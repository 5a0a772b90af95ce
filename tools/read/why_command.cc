// why: shows the chain of causes behind a job's state, with evidence.
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/waiting_text.h"
#include "projections/rows/wrapped.h"
#include "tools/read/beside_jobs.h"
#include "tools/read/commands.h"
#include "tools/read/event_pages.h"
#include "tools/read/listing.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

/// The texts of the questions and answers that these events mention. Failures are ignored: the texts only add
/// detail. `page` receives the rows and must outlive the result.
QuestionWords ask_words(Session& session, Source& source, const Events& events, RowPage& page) {
  if (!tells_of_questions(events)) return {};
  wire::QueryT query = session.query(wire::View::questions);
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {session.options().name};
  query.filter->ended = true;
  query.cursor.clear();
  query.limit = kMaxLimit;
  auto asked = source.query(query);
  if (!asked) return {};
  page = std::move(*asked);
  const auto rows = rows_of<view::Question>(page);
  return rows ? question_words(*rows) : QuestionWords{};
}

/// Prints the current state after the events: what the job waits for in the queue, or what it asks.
Status print_end(Session& session, Source& source) {
  const std::string& job = session.options().name;
  const auto page = LUZIA_TRY(ask_waiting(session, source, job));
  const auto waits = LUZIA_TRY(rows_of<view::Waiting>(page));
  const TableStyle style = session.console().style();
  for (const view::Waiting* waiting : waits) {
    const std::string words =
        make_harmless(waiting_text(*waiting, session.invocation().now()),
                      {.keep_newlines = false, .keep_tabs = false, .unicode = style.unicode});
    LUZIA_TRY(session.console().write(coloured("now", Colour::bold, style.colour) + "  " +
                                      wrap_hanging(words, style.width, 5) + "\n"));
  }
  const auto asked = LUZIA_TRY(open_prompts_of(session, source, job));
  return asked.empty() ? Status() : session.console().write("\n" + asked);
}

Status print_json(Session& session, Source& source, const Events& events, Position position) {
  const auto page = LUZIA_TRY(ask_waiting(session, source, session.options().name));
  const auto waits = LUZIA_TRY(rows_of<view::Waiting>(page));
  const view::Waiting* waiting = waits.empty() ? nullptr : waits.front();
  return session.console().write_line(why_json(events, position, waiting, session.invocation().now()));
}

Result<int> run_why(Session& session) {
  auto source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(wire::View::why);
  query.filter->jobs = {session.options().name};
  const auto page = LUZIA_TRY(collect_pages(*source, query, 0));
  const auto events = LUZIA_TRY(events_of(page));
  Console& console = session.console();
  if (session.options().format == Format::json) {
    LUZIA_TRY(print_json(session, *source, events, page.position));
  } else if (session.options().format == Format::csv) {
    LUZIA_TRY(console.write(events_table(events, Form::data).csv()));
  } else {
    RowPage words;
    LUZIA_TRY(console.write(why_text(events, console.style(), {}, ask_words(session, *source, events, words),
                                     explained_job(events))));
    LUZIA_TRY(print_end(session, *source));
    report_place(session, page);
  }
  return 0;
}

constexpr Option kWhyOptions[] = {kAtOption, kCsvOption};

}  // namespace

const Command kWhyCommand = {
    "why",
    "Look",
    "[JOB] [--at TIME]",
    "explain a job's state: its events, their causes and evidence",
    "Evidence is \"asserted\" by the process that knows, or \"seen\" in output.log by a rule.",
    "luzia why @last\n"
    "luzia why 0kx8 --json\n"
    "luzia why 0kx8 --at 14:05",
    kWhyOptions,
    {0, 1, Completes::job},
    reading_where_it_is<run_why>,
    kNeedsStore,
    kOneJob,
    {},
    kLastJob};

}  // namespace luzia
