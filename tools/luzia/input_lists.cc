// questions and approvals: what agents ask of people, and how to answer it.
#include <algorithm>

#include "projections/rows/input_rows.h"
#include "projections/rows/json.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

constexpr std::uint64_t kDefaultPastInputs = 50;
constexpr std::uint64_t kMostInputsInPage = 1'000;

constexpr Option kInputListOptions[] = {
    {"-A,--all", ValueKind::flag, "", "those that are over too"},
    kProjectFilter,
    kAgentFilter,
    {"--since", ValueKind::moment, "TIME",
     "asked since then (2h, 14:05, 2026-11-21); those that are over too"},
    {"--until", ValueKind::moment, "TIME", "asked before that time; those that are over too"},
    {"--limit", ValueKind::number, "N", "at most that many, 0 for all (default 50; all that are open)"},
    {"--cursor", ValueKind::text, "CURSOR", "go on where a page ended"},
};

/// How rows of one kind are asked for and shown.
template <class Row>
struct InputList {
  const char* plural;
  wire::View view;
  std::string (*json)(const Row&);
  std::string (*open_text)(const std::vector<const Row*>&, TimeUs, const TableStyle&);
  Table (*table)(const std::vector<const Row*>&, TimeUs, Form);
};

constexpr InputList<view::Question> kQuestions = {"questions", wire::View::questions, question_json,
                                                  questions_text, questions_table};
constexpr InputList<view::Approval> kApprovals = {"approvals", wire::View::approvals, approval_json,
                                                  approvals_text, approvals_table};

bool wants_past(const Arguments& args) {
  return args.has("all") || args.has("since") || args.has("until");
}

template <class Row>
struct Found {
  std::vector<Page> pages;
  std::vector<const Row*> rows;
  std::string next;
  std::uint64_t position = 0;
};

template <class Row>
Result<Found<Row>> find_rows(Invocation& invocation, Client& client, const InputList<Row>& list) {
  const Arguments& args = invocation.args();
  const bool counts = args.has("quiet") && !invocation.json();
  const std::uint64_t otherwise = wants_past(args) && !counts ? kDefaultPastInputs : 0;
  std::uint64_t left = args.number("limit").value_or(otherwise);
  left = left == 0 ? ~std::uint64_t{0} : left;
  Found<Row> found;
  found.next = args.text("cursor");
  do {
    wire::QueryT query;
    query.view = list.view;
    query.filter = filter_of(args);
    query.filter->jobs = args.positionals();
    query.filter->ended = wants_past(args);
    query.limit = static_cast<std::uint32_t>(std::min(left, kMostInputsInPage));
    query.cursor = found.next;
    auto page = ask_rows(invocation, client, query);
    if (!page) {
      return tl::unexpected(page.error());
    }
    const auto rows = page->template as<Row>();
    found.rows.insert(found.rows.end(), rows.begin(), rows.end());
    found.next = page->next();
    found.position = page->position();
    left -= std::min<std::uint64_t>(left, page->size());
    found.pages.push_back(std::move(*page));
  } while (left > 0 && !found.next.empty());
  return found;
}

/// Open ones as paragraphs, those that are over as a table.
template <class Row>
void print_rows(Invocation& invocation, const Found<Row>& found, const InputList<Row>& list) {
  const TableStyle style = invocation.terminal().style();
  std::vector<const Row*> over = found.rows;
  std::erase_if(over, [](const Row* row) { return row->state() == view::QuestionState::open; });
  std::string text = list.open_text(found.rows, invocation.now(), style);
  if (!over.empty()) {
    text += text.empty() ? "" : "\n";
    text += list.table(over, invocation.now(), Form::people).text(style);
  }
  print(text);
  if (found.rows.empty()) {
    const bool past = wants_past(invocation.args());
    invocation.say(past ? std::string("no such ") + list.plural
                        : std::string("no open ") + list.plural + "; those that are over: luzia " +
                              list.plural + " --all");
  }
  if (!found.next.empty()) {
    invocation.say("more: --cursor " + found.next);
  }
}

template <class Row>
Result<int> run_list(Invocation& invocation, const InputList<Row>& list) {
  auto client = connect_to_ask(invocation);
  if (!client) {
    return tl::unexpected(client.error());
  }
  const auto found = find_rows(invocation, *client, list);
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (invocation.json()) {
    std::vector<std::string> objects;
    for (const Row* row : found->rows) {
      objects.push_back(list.json(*row));
    }
    print_line(list_json(list.plural, objects, found->position, found->next));
  } else if (invocation.args().has("quiet")) {
    print_line(std::to_string(found->rows.size()));  // for a prompt or a bar
  } else {
    print_rows(invocation, *found, list);
  }
  return 0;
}

Result<int> run_questions(Invocation& invocation) {
  return run_list(invocation, kQuestions);
}

Result<int> run_approvals(Invocation& invocation) {
  return run_list(invocation, kApprovals);
}

}  // namespace

const Command kQuestionsCommand = {
    "questions",
    "Look",
    "[JOB...] [--all] [filters] [--limit N]",
    "what agents ask, and the command that answers",
    "Each open question is told with its options numbered, its default and the time that is left, the oldest "
    "first. With -q only their number is printed. With --all those that are over follow as a table: what was "
    "answered, and by whom.",
    "luzia questions\n"
    "luzia questions @last --json\n"
    "luzia questions --all --project web --since yesterday\n"
    "luzia questions -q",
    kInputListOptions,
    0,
    -1,
    Completes::job,
    run_questions,
    kNeedsStore};

const Command kApprovalsCommand = {"approvals",
                                   "Look",
                                   "[JOB...] [--all] [filters] [--limit N]",
                                   "gates and tools that wait for an approval, and the commands that decide",
                                   "Each open one is told with what it would let pass and what happens when "
                                   "nobody decides, the oldest first. "
                                   "With -q only their number is printed. With --all those that are over "
                                   "follow as a table: who or which policy "
                                   "decided, and the note. luzia-query audit lists every decision.",
                                   "luzia approvals\n"
                                   "luzia approvals @last --json\n"
                                   "luzia approvals --all --project web --since yesterday",
                                   kInputListOptions,
                                   0,
                                   -1,
                                   Completes::job,
                                   run_approvals,
                                   kNeedsStore};

}  // namespace luzia
