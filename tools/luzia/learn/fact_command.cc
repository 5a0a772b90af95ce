// fact: records and searches facts: subject, relation, object.
#include "engine/base/try.h"
#include "projections/rows/learning_rows.h"
#include "tools/luzia/families.h"
#include "tools/luzia/learn/recording.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::uint32_t kDefaultFacts = 200, kDefaultFactHits = 20;

constexpr Option kFactOptions[] = {
    {"--project", ValueKind::list, "NAME", "of this project; looking also finds what holds in every project",
     "", Completes::project},
    {"--everywhere", ValueKind::flag, "", "add, forget: it holds in every project"},
    {"--context", ValueKind::text, "TEXT", "add: where it is from, what else belongs to it"},
    {"--relation", ValueKind::list, "NAME", "list: only this relation"},
    {"--since", ValueKind::moment, "TIME", "list: only facts recorded since then (2h, 14:05, 2026-11-21)"},
    {"--until", ValueKind::bound, "TIME", "list: only facts recorded before that time"},
    {"--reason", ValueKind::text, "TEXT", "forget: why; it is recorded"},
    {"-n,--limit", ValueKind::number, "N", "list: at most that many (default 200); search: 20"},
    {"--cursor", ValueKind::text, "CURSOR", "list: continue where a page ended"},
    {"--at", ValueKind::place, "POSITION|TIME", "list: as it was at a log position or a time"},
    {"--command-id", ValueKind::text, "ID", "repeating a command id has no further effect"},
};

template <class Request>
Result<int> send_fact(Invocation& invocation, const Words& words, Request request, const char* done,
                      const char* known = "") {
  const Arguments& args = invocation.args();
  request.project = LUZIA_TRY(project_to_record(args));
  request.subject = words[0];
  request.relation = words[1];
  request.object = words[2];
  request.command_id = command_id_of(args);
  auto client = LUZIA_TRY(invocation.connect());
  return send_and_report(invocation, client, request_of(std::move(request)), done, known);
}

Result<int> add_fact(Invocation& invocation, const Words& words) {
  wire::StoreFactT request;
  request.context = invocation.args().text("context");
  return send_fact(invocation, words, std::move(request), "the fact is recorded",
                   "the fact is known already: nothing new was recorded");
}

Result<int> forget_fact(Invocation& invocation, const Words& words) {
  wire::ForgetFactT request;
  request.reason = invocation.args().text("reason");
  return send_fact(invocation, words, std::move(request), "the fact is forgotten");
}

Result<int> list_facts(Invocation& invocation, const Words& words) {
  return run_reading(invocation, [&](Session& session) {
    wire::QueryT query = session.query(wire::View::facts);
    query.filter->tags = invocation.args().texts("relation");
    query.id = words.empty() ? std::string() : words[0];
    return list_rows<view::Fact>(
        session, query, session.options().limit.value_or(kDefaultFacts), [](TimeUs) -> Shapes<view::Fact> {
          return {"facts", fact_json, [](const auto& rows, Form) { return facts_table(rows); },
                  "no such facts; luzia fact add records one"};
        });
  });
}

Result<int> search_facts(Invocation& invocation, const Words& words) {
  wire::QueryT query = view_query(wire::View::facts, filter_of(invocation.args()));
  query.text = joined_words(words);
  query.limit = limit_to_list(invocation.args(), kDefaultFactHits);
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  const auto rows = page.as<view::Fact>();
  if (invocation.json()) {
    print_line(rows_json("facts", rows, page, fact_json));
  } else {
    print_rows(invocation, facts_table(rows), page, "no fact is known about that");
  }
  return 0;
}

constexpr Verb kFactVerbs[] = {
    {"add", "SUBJECT RELATION OBJECT [--context TEXT] [--project P | --everywhere]", 3, 3, add_fact,
     "project everywhere context command-id"},
    {"list", "[THING] [--relation R] [--project P] [--since TIME] [--at TIME]", 0, 1, list_facts,
     "project relation since until limit cursor at", kNeedsStore},
    {"search", "WORDS... [--project P]", 1, -1, search_facts, "project limit", kNeedsStore},
    {"forget", "SUBJECT RELATION OBJECT [--project P | --everywhere]", 3, 3, forget_fact,
     "project everywhere reason command-id", kNeedsStore},
};

}  // namespace

// Shown in help as a part of learn.
const Command kFactCommand = {
    "fact",
    "",
    "add SUBJECT RELATION OBJECT [--context TEXT] [--project P | --everywhere]\n"
    "list [THING] [--relation R] [--at TIME]\n"
    "search WORDS...\n"
    "forget SUBJECT RELATION OBJECT",
    "record and search facts: subject, relation, object",
    "Facts outlive the jobs that found them. list THING shows every fact that has it as subject or object, "
    "--relation only those of one relation. A fact that is said again with another context keeps the newer "
    "one.",
    "luzia learn fact add web uses postgres --context 'version 15, see compose.yaml' --project web\n"
    "luzia learn fact list postgres\n"
    "luzia learn fact list --relation uses --json\n"
    "luzia learn fact forget web uses postgres --project web",
    kFactOptions,
    {0, -1},
    run_verbs<kFactVerbs>,
    false,
    "facts belong to projects, not to jobs; only list takes a time"};

}  // namespace luzia
