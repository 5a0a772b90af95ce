// questions and approvals: what agents ask of people, and how to answer it; now and as it was.
#include <algorithm>

#include "projections/rows/input_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

/// How rows of one kind are asked for and shown.
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

/// Open ones as paragraphs, those that are over as a table.
template <class Row>
Status print_prompts(Session& session, const RowPage& page, const std::vector<const Row*>& rows,
                     const PromptList<Row>& list) {
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const TableStyle style = session.console().style();
  std::vector<const Row*> over = rows;
  std::erase_if(over, [](const Row* row) { return row->state() == view::QuestionState::open; });
  std::string text = list.open_text(rows, *as_of, style);
  if (!over.empty()) {
    text += text.empty() ? "" : "\n";
    text += list.table(over, *as_of, Form::people).text(style);
  }
  Status written = session.console().write(text);
  const std::string plural = list.plural;
  if (rows.empty()) {
    session.console().say(session.options().filter.ended ? "no such " + plural
                                                         : "no open " + plural + "; those that are over: " +
                                                               session.name() + " " + plural + " --all");
  }
  tell_place(session, page);
  return written;
}

template <class Row>
Result<int> run_prompts(Session& session, const PromptList<Row>& list) {
  const Arguments& args = session.invocation().args();
  auto source = session.source();
  if (!source) return tl::unexpected(source.error());
  wire::QueryT query = session.query(list.view);
  const auto& named = args.positionals();
  query.filter->jobs.insert(query.filter->jobs.end(), named.begin(), named.end());
  const bool counts = args.has("quiet") && session.options().format == Format::table;
  const std::size_t otherwise = query.filter->ended && !counts ? kDefaultLimit : 0;
  const auto page = collect_pages(**source, query, session.options().limit.value_or(otherwise));
  if (!page) return tl::unexpected(page.error());
  const auto as_of = session.seen_until();
  if (!as_of) return tl::unexpected(as_of.error());
  const auto rows = rows_of<Row>(*page);
  if (!rows) return tl::unexpected(rows.error());
  Status printed;
  if (counts) {
    printed = session.console().write_line(std::to_string(rows->size()));  // for a prompt or a bar
  } else if (session.options().format == Format::table) {
    printed = print_prompts(session, *page, *rows, list);
  } else {
    printed =
        print_list(session, *page,
                   Shapes<Row>{list.plural,
                               list.json,
                               [&](const auto& all, Form form) { return list.table(all, *as_of, form); },
                               {}});
  }
  if (!printed) return tl::unexpected(printed.error());
  return 0;
}

Result<int> run_questions(Session& session) {
  return run_prompts(session, kQuestions);
}

Result<int> run_approvals(Session& session) {
  return run_prompts(session, kApprovals);
}

constexpr Option kPromptOptions[] = {
    {"-A,--all", ValueKind::flag, "", "those that are over too"},
    kJobFilter,
    kProjectFilter,
    kAgentFilter,
    kTagFilter,
    kStateFilter,
    {"--since", ValueKind::moment, "TIME",
     "asked since then (2h, 14:05, 2026-11-21); those that are over too"},
    {"--until", ValueKind::bound, "TIME", "asked before that time; those that are over too"},
    {"--limit", ValueKind::number, "N", "at most that many, 0 for all (default 50; all that are open)"},
    kCursorOption,
    kAtOption,
    kCsvOption,
};

}  // namespace

const Command kQuestionsCommand = {
    "questions",
    "Look",
    "[JOB...] [--all] [filters] [--limit N] [--at TIME]",
    "list what agents ask, and the command that answers",
    "Each open question is told with its options numbered, its default and the time that is left, the oldest "
    "first. With -q only their number is printed. With --all those that are over follow as a table: what was "
    "answered, and by whom.",
    "luzia questions\n"
    "luzia questions @last --json\n"
    "luzia questions --all --project web --since yesterday\n"
    "luzia questions --at 14:05\n"
    "luzia questions -q",
    kPromptOptions,
    0,
    -1,
    Completes::job,
    reading<run_questions>,
    kNeedsStore};

const Command kApprovalsCommand = {
    "approvals",
    "Look",
    "[JOB...] [--all] [filters] [--limit N] [--at TIME]",
    "list gates and tools that wait for an approval, and the commands that decide",
    "Each open one is told with what it would let pass and what happens when nobody decides, the oldest "
    "first. With -q only their number is printed. With --all those that are over follow as a table: who or "
    "which policy decided, and the note. The command audit lists every decision.",
    "luzia approvals\n"
    "luzia approvals @last --json\n"
    "luzia approvals --all --project web --since yesterday",
    kPromptOptions,
    0,
    -1,
    Completes::job,
    reading<run_approvals>,
    kNeedsStore};

}  // namespace luzia
