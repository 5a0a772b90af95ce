// inbox, questions and approvals: what agents ask people, and how to answer; now or in the past.
#include <algorithm>

#include "engine/base/try.h"
#include "projections/rows/input_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"
#include "tools/read/where_it_is.h"

namespace luzia {
namespace {

/// How rows of one kind are queried and printed.
template <class Row>
struct PromptList {
  const char* plural;
  wire::View view;
  std::string (*json)(const Row&);
  std::string (*open_text)(const std::vector<const Row*>&, TimeUs, const TableStyle&);
  Table (*table)(const std::vector<const Row*>&, TimeUs, Form);
};

constexpr PromptList<view::Question> kQuestions = {"questions", wire::View::questions, question_json,
                                                   questions_text, questions_table};
constexpr PromptList<view::Approval> kApprovals = {"approvals", wire::View::approvals, approval_json,
                                                   approvals_text, approvals_table};

/// Prints open rows as paragraphs and closed ones as a table. `none`: what is said if there are no rows.
template <class Row>
Status print_prompts(Session& session, const RowPage& page, const std::vector<const Row*>& rows,
                     const PromptList<Row>& list, const std::string& none) {
  const auto as_of = LUZIA_TRY(session.seen_until());
  ShownRows shown(session, jobs_of_rows(rows));
  const TableStyle style = shown.style();
  std::vector<const Row*> over = rows;
  std::erase_if(over, [](const Row* row) { return row->state() == view::QuestionState::open; });
  std::string text = list.open_text(rows, as_of, style);
  if (!over.empty()) {
    text += text.empty() ? "" : "\n";
    text += list.table(over, as_of, Form::people).text(style);
  }
  shown.keep();
  Status written = session.console().write(text);
  if (rows.empty()) session.console().say(none);
  report_place(session, page);
  return written;
}

template <class Row>
Result<int> run_prompts(Session& session, const PromptList<Row>& list) {
  const Arguments& args = session.invocation().args();
  auto source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(list.view);
  const auto& named = args.positionals();
  query.filter->jobs.insert(query.filter->jobs.end(), named.begin(), named.end());
  const bool counts = args.has("quiet") && session.options().format == Format::table;
  const std::size_t otherwise = query.filter->ended && !counts ? kDefaultLimit : 0;
  const Options& options = session.options();
  const std::size_t most = options.limit.value_or(otherwise);
  auto page = LUZIA_TRY(collect_pages(*source, query, rows_to_ask(session, most)));
  const auto as_of = LUZIA_TRY(session.seen_until());
  const std::string plural = list.plural;
  const std::string none =
      options.filter.ended
          ? "no such " + plural
          : "no open " + plural + "; for closed ones: " + session.name() + " " + plural + " --all";
  const auto table = [&](const auto& all, Form form) { return list.table(all, as_of, form); };
  const Shapes<Row> shapes{list.plural, list.json, table, none};
  LUZIA_TRY(sort_page(session, page, most, shapes));
  const auto rows = LUZIA_TRY(rows_of<Row>(page));
  if (counts) {  // for shell prompts and status bars
    LUZIA_TRY(session.console().write_line(std::to_string(rows.size())));
  } else if (options.format == Format::table && options.sort.empty() && options.columns.empty()) {
    LUZIA_TRY(print_prompts(session, page, rows, list, none));
  } else {
    LUZIA_TRY(print_list(session, page, shapes));
  }
  return 0;
}

Result<int> run_questions(Session& session) {
  return run_prompts(session, kQuestions);
}

Result<int> run_approvals(Session& session) {
  return run_prompts(session, kApprovals);
}

/// The open rows of a view, at most --limit; -q counts them all.
template <class Row>
Result<std::vector<const Row*>> open_rows(Session& session, Source& source, const PromptList<Row>& list,
                                          RowPage& page) {
  wire::QueryT query = session.query(list.view);
  query.filter->ended = false;
  const bool counts = session.invocation().args().has("quiet");
  auto asked = LUZIA_TRY(collect_pages(source, query, counts ? 0 : session.options().limit.value_or(0)));
  if (!asked.next.empty()) {
    session.console().say("more " + std::string(list.plural) + ": " + session.name() + " " + list.plural);
    asked.next.clear();  // that list has the cursor
  }
  page = std::move(asked);
  return rows_of<Row>(page);
}

Result<int> run_inbox(Session& session) {
  auto source = LUZIA_TRY(session.source());
  RowPage question_page, approval_page;
  const auto questions = LUZIA_TRY(open_rows(session, *source, kQuestions, question_page));
  const auto approvals = LUZIA_TRY(open_rows(session, *source, kApprovals, approval_page));
  const auto as_of = LUZIA_TRY(session.seen_until());
  Console& console = session.console();
  if (session.options().format == Format::json) {
    JsonObject object;
    object.array("questions", questions, [&](const view::Question* asked) {
      return with_machine(question_json(*asked), machine_of_row(session, *asked));
    });
    object.array("approvals", approvals, [&](const view::Approval* asked) {
      return with_machine(approval_json(*asked), machine_of_row(session, *asked));
    });
    object.number("position", approval_page.position);
    const RowMachines* machines = row_machines(session);
    LUZIA_TRY(
        console.write_line(machines == nullptr ? object.take() : with_machines(object.take(), *machines)));
  } else if (session.invocation().args().has("quiet")) {
    LUZIA_TRY(console.write_line(std::to_string(questions.size() + approvals.size())));
  } else {
    std::vector<std::string> ids = jobs_of_rows(questions);
    std::ranges::copy(jobs_of_rows(approvals), std::back_inserter(ids));
    ShownRows shown(session, ids);
    const std::string asked = questions_text(questions, as_of, shown.style());
    const std::string gates = approvals_text(approvals, as_of, shown.style());
    shown.keep();
    LUZIA_TRY(console.write(asked + (asked.empty() || gates.empty() ? "" : "\n") + gates));
    if (asked.empty() && gates.empty()) console.say("nothing waits for an answer");
    report_place(session, approval_page);
  }
  return 0;
}

constexpr Option kInboxOptions[] = {
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    {"--since", ValueKind::moment, "TIME", "only those asked since then (2h, 14:05, 2026-11-21)"},
    {"--until", ValueKind::bound, "TIME", "only those asked before that time"},
    {"--limit", ValueKind::number, "N", "list at most N of each kind (default: all)"},
    kMachinesOption,
    kFleetOption,
    kSiteFilter,
    kAtOption};

constexpr Option kPromptOptions[] = {
    {"-A,--all", ValueKind::flag, "", "also list closed ones"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    {"--since", ValueKind::moment, "TIME",
     "only those asked since then (2h, 14:05, 2026-11-21), also closed ones"},
    {"--until", ValueKind::bound, "TIME", "only those asked before that time, also closed ones"},
    {"--limit", ValueKind::number, "N",
     "list at most N, 0 for all (default: all open ones, 50 with closed ones)"},
    kCursorOption,
    kSortOption,
    kColumnsOption,
    kMachinesOption,
    kFleetOption,
    kSiteFilter,
    kAtOption,
    kCsvOption,
};

}  // namespace

const Command kInboxCommand = {"inbox",
                               "Look",
                               "[filters] [--at TIME]",
                               "list open questions and approvals, and how to answer them",
                               "Oldest first. With -q only their number is printed. The commands questions "
                               "and approvals list each kind, including closed ones.",
                               "luzia inbox\n"
                               "luzia inbox --project web --json\n"
                               "luzia inbox -q",
                               kInboxOptions,
                               {},
                               reading<run_inbox>,
                               kNeedsStore};

const Command kQuestionsCommand = {
    "questions",
    "Look",
    "[JOB...] [--all] [filters] [--sort FIELD] [--columns FIELD,...] [--limit N] [--at TIME]",
    "list open questions, with the commands that answer them",
    "Shows each open question with its numbered options, its default and the time left, oldest first. With "
    "-q only their number is printed. With --all a table of closed questions follows: the answers, and who "
    "gave them.",
    "luzia questions\n"
    "luzia questions @last --json\n"
    "luzia questions --all --project web --since yesterday\n"
    "luzia questions --at 14:05\n"
    "luzia questions -q",
    kPromptOptions,
    {0, -1, Completes::job},
    reading_where_it_is<run_questions>,
    kNeedsStore,
    {},
    {},
    {},
    [](std::string_view) { return questions_table({}, 0, Form::data).columns(); }};

const Command kApprovalsCommand = {
    "approvals",
    "Look",
    "[JOB...] [--all] [filters] [--sort FIELD] [--columns FIELD,...] [--limit N] [--at TIME]",
    "list open approvals, with the commands that decide them",
    "Shows each open approval with what it would allow and what happens if nobody decides, oldest first. "
    "With -q only their number is printed. With --all a table of closed approvals follows: which person or "
    "policy decided, and the note. The command audit lists every decision.",
    "luzia approvals\n"
    "luzia approvals @last --json\n"
    "luzia approvals --all --project web --since yesterday",
    kPromptOptions,
    {0, -1, Completes::job},
    reading_where_it_is<run_approvals>,
    kNeedsStore,
    {},
    {},
    {},
    [](std::string_view) { return approvals_table({}, 0, Form::data).columns(); }};

}  // namespace luzia
