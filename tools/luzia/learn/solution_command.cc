// solution: records, searches and rates what helped against problems.
#include <algorithm>
#include <cstdlib>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "projections/rows/learning_rows.h"
#include "tools/luzia/families.h"
#include "tools/luzia/learn/recording.h"
#include "tools/luzia/learn/solutions.h"
#include "tools/luzia/text_file.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::uint32_t kDefaultHits = 10, kDefaultSolutions = 50, kPageOfSolutions = 200;

constexpr Option kSolutionOptions[] = {
    {"--project", ValueKind::list, "NAME", "of this project; looking also finds what holds in every project",
     "", Completes::project},
    {"--everywhere", ValueKind::flag, "", "add: it is of use in every project"},
    {"--tag", ValueKind::list, "TAG", "add: words to find it by; search, list: only with all of these"},
    {"--reference", ValueKind::texts, "TEXT", "add: a file, a job, an address; repeatable"},
    {"--confidence", ValueKind::real, "0..1", "add: how sure you are (default 0.5)"},
    {"--expires-in", ValueKind::duration, "D", "add: nobody is offered it afterwards"},
    {"--file", ValueKind::text, "FILE", "add: the solution is what the file holds; - for standard input", "",
     Completes::file},
    {"--min-confidence", ValueKind::real, "0..1", "search, list, export: only what is trusted that much"},
    {"--job", ValueKind::text, "JOB", "helped, failed: the job that tried it (default: the own one)", "",
     Completes::job},
    {"--below", ValueKind::real, "0..1", "prune: all that are trusted less, and were tried"},
    {"--expired", ValueKind::flag, "", "prune: all whose time is over"},
    {"--since", ValueKind::moment, "TIME",
     "list, export: only solutions recorded since then (2h, 14:05, 2026-11-21)"},
    {"--until", ValueKind::bound, "TIME", "list, export: only solutions recorded before that time"},
    {"--reason", ValueKind::text, "TEXT", "prune: why; it is recorded"},
    {"-y,--yes", ValueKind::flag, "", "prune: really do it"},
    {"-A,--all", ValueKind::flag, "", "list, export: expired ones too"},
    {"-n,--limit", ValueKind::number, "N", "search: at most that many (default 10); list: 50"},
    {"--cursor", ValueKind::text, "CURSOR", "list: continue where a page ended"},
    {"--at", ValueKind::place, "POSITION|TIME", "list: as it was at a log position or a time"},
    {"--command-id", ValueKind::text, "ID", "repeating a command id has no further effect"},
};

/// Whether --min-confidence and --all let this solution through.
bool is_wanted(const Arguments& args, const view::Solution& row, TimeUs now) {
  const double least = args.real("min-confidence").value_or(0);
  const bool expired = row.expires_us() != 0 && row.expires_us() <= now;
  return row.confidence() >= least && (!expired || args.has("all"));
}

wire::QueryT solutions_query(const Arguments& args) {
  wire::QueryT query = view_query(wire::View::solutions, filter_of(args));
  query.filter->tags = args.texts("tag");
  return query;
}

std::string solutions_json(const std::vector<const view::Solution*>& rows, Position position,
                           const std::string& next) {
  std::vector<std::string> objects;
  for (const view::Solution* row : rows) objects.push_back(solution_json(*row));
  return list_json("solutions", objects, position, next);
}

Result<int> print_solutions(Invocation& invocation, const std::vector<const view::Solution*>& rows,
                            const Page& page, const std::string& none) {
  if (invocation.json()) {
    print_line(solutions_json(rows, page.position(), page.next()));
    return 0;
  }
  print_rows(invocation, solutions_table(rows, invocation.now()), page, none);
  return 0;
}

Result<int> add_solution(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  auto text = LUZIA_TRY(args.has("file") ? read_text(args.text("file"))
                                         : Result<std::string>(words.size() > 1 ? words[1] : std::string()));
  if (args.has("file") && words.size() > 1) {
    return fail(ErrorKind::usage, "bad_usage", "the solution is given twice: as a word and by --file");
  }
  auto project = LUZIA_TRY(project_to_record(args));
  wire::RecordSolutionT request;
  request.project = std::move(project);
  request.problem = words[0];
  request.text = std::move(text);
  request.references = args.texts("reference");
  request.tags = args.texts("tag");
  request.confidence = args.real("confidence").value_or(request.confidence);
  request.ttl_ms = args.duration_ms("expires-in").value_or(0);
  if (const char* job = std::getenv("LUZIA_JOB_ID")) request.job = job;
  request.command_id = command_id_of(args);
  auto client = LUZIA_TRY(invocation.connect());
  return send_and_report(invocation, client, request_of(std::move(request)), "is recorded");
}

Result<int> search_solutions(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  wire::QueryT query = solutions_query(args);
  query.text = joined_words(words);
  const std::uint32_t limit = limit_to_list(args, kDefaultHits);
  // The daemon does not filter by trust, so more are asked for than are shown.
  query.limit = args.has("min-confidence") ? 1'000 : limit;
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  auto rows = page.as<view::Solution>();
  std::erase_if(rows, [&](const auto* row) { return !is_wanted(invocation.args(), *row, invocation.now()); });
  if (rows.size() > limit) rows.resize(limit);
  return print_solutions(invocation, rows, page, "no solution is known for that");
}

Result<int> list_solution_rows(Session& session) {
  const Arguments& args = session.invocation().args();
  Source* const source = LUZIA_TRY(session.source());
  wire::QueryT query = session.query(wire::View::solutions);
  query.filter->tags = args.texts("tag");
  query.filter->ended = true;
  RowPage page =
      LUZIA_TRY(collect_pages(*source, query, session.options().limit.value_or(kDefaultSolutions)));
  const TimeUs as_of = LUZIA_TRY(session.seen_until());
  LUZIA_TRY(rows_of<view::Solution>(page));
  std::erase_if(page.rows, [&](const std::string& bytes) {
    return !is_wanted(args, *flatbuffers::GetRoot<view::Solution>(bytes.data()), as_of);
  });
  const Shapes<view::Solution> shapes{
      "solutions", solution_json, [as_of](const auto& rows, Form) { return solutions_table(rows, as_of); },
      "no solutions; luzia solution add records one"};
  LUZIA_TRY(print_list(session, page, shapes));
  return 0;
}

Result<int> list_solutions(Invocation& invocation, const Words&) {
  return run_reading(invocation, list_solution_rows);
}

/// The row of one solution by id, prefix or @last.
Result<Page> ask_solution(Invocation& invocation, Client& client, const std::string& name) {
  wire::QueryT query = view_query(wire::View::solutions);
  query.id = name;
  auto page = ask_rows(invocation, client, query);
  if (page && page->as<view::Solution>().empty()) {
    return fail(ErrorKind::not_found, "no_such_solution", "no solution '" + name + "'");
  }
  return page;
}

Result<int> show_solution(Invocation& invocation, const Words& words) {
  auto client = LUZIA_TRY(invocation.connect());
  const auto page = LUZIA_TRY(ask_solution(invocation, client, words[0]));
  const view::Solution& row = *page.as<view::Solution>().front();
  if (invocation.json()) {
    print_line(solution_json(row));
  } else {
    print(solution_card(row, invocation.now(), invocation.terminal().style()));
  }
  return 0;
}

/// Full ids, because the command id depends on them and @last soon means another solution.
Status name_in_full(Invocation& invocation, Client& client, wire::JudgeSolutionT& request) {
  const auto page = LUZIA_TRY(ask_solution(invocation, client, request.solution));
  request.solution = page.as<view::Solution>().front()->id()->str();
  request.job = LUZIA_TRY(full_id(invocation, client, request.job));
  return {};
}

/// A job rates a solution once: a second rating has no effect.
template <bool helped>
Result<int> judge(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  wire::JudgeSolutionT request;
  request.solution = words[0];
  request.helped = helped;
  const char* own = std::getenv("LUZIA_JOB_ID");
  request.job = args.has("job") ? args.text("job") : own != nullptr ? own : "";
  const bool by_job = !args.has("command-id") && !request.job.empty();
  auto client = LUZIA_TRY(invocation.connect());
  LUZIA_TRY(by_job ? name_in_full(invocation, client, request) : Status());
  request.command_id = by_job ? judgement_id(request.solution, request.job, helped) : command_id_of(args);
  return send_and_report(invocation, client, request_of(std::move(request)),
                         helped ? "it helped: noted" : "it did not help: noted");
}

/// Every solution that the filters let through, expired ones included.
Result<std::vector<Page>> all_pages(Invocation& invocation, Client& client) {
  std::vector<Page> pages;
  wire::QueryT query = solutions_query(invocation.args());
  query.limit = kPageOfSolutions;
  LUZIA_TRY(for_each_page(invocation, client, std::move(query),
                          [&](Page page) { pages.push_back(std::move(page)); }));
  return pages;
}

/// The solutions that --below and --expired select.
bool is_to_be_pruned(const Invocation& invocation, const view::Solution& row) {
  const auto below = invocation.args().real("below");
  const bool distrusted = below && row.confidence() < *below && row.helped() + row.failed() > 0;
  const bool expired = row.expires_us() != 0 && row.expires_us() <= invocation.now();
  return distrusted || (expired && invocation.args().has("expired"));
}

void show_meant(Invocation& invocation, const std::vector<const view::Solution*>& meant, Position position) {
  if (!invocation.json()) {
    return print(solutions_table(meant, invocation.now()).text(invocation.terminal().style()));
  }
  print_line(solutions_json(meant, position, ""));
}

wire::AcceptedT nothing_at(Position position) {
  wire::AcceptedT none;
  none.position = position;
  return none;
}

Result<int> prune(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  const bool by_rule = args.has("below") || args.has("expired");
  if (by_rule == !words.empty()) {
    return fail(ErrorKind::usage, "bad_usage", "name solutions, or say which: --below or --expired");
  }
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  wire::PruneSolutionsT request;
  request.solutions = words;
  if (by_rule) {
    const auto pages = LUZIA_TRY(all_pages(invocation, client));
    std::vector<const view::Solution*> meant;
    for (const Page& page : pages) {
      for (const view::Solution* row : page.as<view::Solution>()) {
        if (is_to_be_pruned(invocation, *row)) meant.push_back(row);
      }
    }
    if (meant.empty()) {
      print_recorded_ids(invocation, nothing_at(pages.back().position()));
      invocation.say("nothing to prune");
      return 0;
    }
    for (const view::Solution* row : meant) request.solutions.push_back(row->id()->str());
    if (!args.has("yes")) {
      show_meant(invocation, meant, pages.back().position());
      return fail(ErrorKind::refused, "needs_yes", "this would prune " + counted(meant.size(), "solution"),
                  "add --yes to do it");
    }
  }
  request.reason = args.text("reason");
  request.command_id = command_id_of(args);
  return send_and_report(invocation, client, request_of(std::move(request)), "pruned");
}

Result<int> export_all(Invocation& invocation, const Words&) {
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  const auto pages = LUZIA_TRY(all_pages(invocation, client));
  // Oldest first, so that an import keeps their order.
  for (auto page = pages.rbegin(); page != pages.rend(); ++page) {
    const auto rows = page->as<view::Solution>();
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (is_wanted(invocation.args(), **row, invocation.now())) print_line(solution_json(**row));
    }
  }
  return 0;
}

Result<int> import_all(Invocation& invocation, const Words& words) {
  const auto requests = LUZIA_TRY(solutions_from_file(words[0], invocation.args(), invocation.now()));
  auto client = LUZIA_TRY(invocation.connect());
  std::size_t repeated = 0;
  for (const wire::RecordSolutionT& request : requests) {
    const auto accepted = send_command(invocation, client, request_of(wire::RecordSolutionT(request)));
    if (!accepted && accepted.error().code == "command_id_reused") {
      ++repeated;  // the id is made of the line: an earlier version recorded it, with its time to live
      continue;
    }
    if (!accepted) return tl::unexpected(accepted.error());
    repeated += accepted->repeated ? 1 : 0;
    if (!accepted->ids.empty()) print_line(accepted->ids.front());
  }
  invocation.say(std::to_string(requests.size() - repeated) + " recorded" +
                 (repeated == 0 ? "" : ", " + std::to_string(repeated) + " were there already"));
  return 0;
}

constexpr Verb kSolutionVerbs[] = {
    {"add", "PROBLEM [SOLUTION | --file FILE] [--project P | --everywhere] [--tag T]", 1, 2, add_solution,
     "project everywhere tag reference confidence expires-in file command-id"},
    {"search", "WORDS... [--project P] [--tag T] [--min-confidence X]", 1, -1, search_solutions,
     "project tag min-confidence limit", kNeedsStore},
    {"list", "[--project P] [--tag T] [--all] [--at TIME]", 0, 0, list_solutions,
     "project tag since until min-confidence all limit cursor at", kNeedsStore},
    {"show", "SOLUTION", 1, 1, show_solution, {}, kNeedsStore},
    {"helped", "SOLUTION [--job JOB]", 1, 1, judge<true>, "job command-id", kNeedsStore},
    {"failed", "SOLUTION [--job JOB]", 1, 1, judge<false>, "job command-id", kNeedsStore},
    {"prune", "SOLUTION... | --below X | --expired [--reason TEXT] [--yes]", 0, -1, prune,
     "below expired reason yes project tag command-id", kNeedsStore},
    {"export", "[--project P] [--all] > FILE", 0, 0, export_all, "project tag since until min-confidence all",
     kNeedsStore},
    {"import", "FILE [--project P | --everywhere]", 1, 1, import_all, "project everywhere"},
};

}  // namespace

// Shown in help as a part of learn.
const Command kSolutionCommand = {
    "solution",
    "",
    "add PROBLEM [SOLUTION | --file FILE] [--project P | --everywhere]\n"
    "search WORDS...\n"
    "list [--all] [--at TIME]\n"
    "show SOLUTION\n"
    "helped|failed SOLUTION [--job JOB]\n"
    "prune SOLUTION... | --below X | --expired\n"
    "export\n"
    "import FILE",
    "record, search and rate solutions to problems",
    "A solution says what to do about a problem, for people and for the prompts of jobs to come. Search "
    "ranks by how near the words are (BM25) and by trust. Trust begins as what was stated and moves with "
    "each outcome: (4 x stated + times helped) / (4 + times tried). SOLUTION is an id, its beginning, or "
    "@last. export writes JSON Lines, which import reads. With --json prune prints "
    "{\"ids\":[...],\"position\":N,\"repeated\":false,\"known\":false}, also when there is nothing to "
    "prune; without --yes the solutions that are meant, as list does.",
    "luzia learn solution add 'EADDRINUSE on port 3000' 'pkill -f vite, then start again' --project web "
    "--tag vite\n"
    "luzia learn solution search port in use --project web\n"
    "luzia learn solution helped s-1r3qvpxvr001x\n"
    "luzia learn solution prune --below 0.2 --yes\n"
    "luzia learn solution export > solutions.jsonl",
    kSolutionOptions,
    {0, -1},
    run_verbs<kSolutionVerbs>,
    false,
    "solutions belong to projects, not to jobs; only list and export take a time"};

}  // namespace luzia
