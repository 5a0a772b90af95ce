// tools: what agents could call in a project, which of it suits a task, and whether a web search would help.
#include "adapters/project_files/project_files.h"
#include "engine/base/try.h"
#include "engine/prompt/web_search.h"
#include "projections/rows/catalogue_rows.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "tools/luzia/families.h"
#include "tools/luzia/learn/recording.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::size_t kDefaultSuggestions = 5;
constexpr std::uint32_t kAllTools = 1'000, kLookedSolutions = 3;

constexpr Option kToolsOptions[] = {
    kProjectFilter,
    kAgentFilter,
    {"-n,--limit", ValueKind::number, "N", "at most that many (list: default all; suggest: 5)"},
    {"--sort", ValueKind::list, "FIELD",
     "list: sort all rows by these fields of --csv; -FIELD: largest first", "", Completes::field},
    {"--columns", ValueKind::list, "FIELD", "list: show these fields of --csv, in this order", "",
     Completes::field},
    {"--csv", ValueKind::flag, "", "list: print CSV"},
    {"--error", ValueKind::texts, "TEXT", "web: an error that was met; repeatable, the newest first"},
};

Result<int> list_catalogue_rows(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const std::size_t most = session.options().limit.value_or(0);
  auto page =
      LUZIA_TRY(collect_pages(*source, session.query(wire::View::catalogue), rows_to_ask(session, most)));
  const TimeUs as_of = LUZIA_TRY(session.as_of());
  const Shapes<view::CatalogueTool> shapes{
      "tools", catalogue_tool_json,
      [as_of](const auto& rows, Form form) { return catalogue_table(rows, as_of, form); },
      "no tools are known: [projects.NAME] tools names some, agents report theirs when they begin"};
  LUZIA_TRY(sort_page(session, page, most, shapes));
  LUZIA_TRY(print_list(session, page, shapes));
  return 0;
}

Result<int> list_known_tools(Invocation& invocation, const Words&) {
  return run_reading(invocation, list_catalogue_rows);
}

Result<int> suggest_known_tools(Invocation& invocation, const Words& words) {
  auto client = LUZIA_TRY(connect_to_ask(invocation));
  wire::QueryT query = view_query(wire::View::catalogue, filter_of(invocation.args()));
  query.limit = kAllTools;
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  std::vector<view::CatalogueToolT> tools;
  for (const view::CatalogueTool* row : page.as<view::CatalogueTool>()) row->UnPackTo(&tools.emplace_back());
  const auto found = suggest_tools(tools, joined_words(words),
                                   invocation.args().number("limit").value_or(kDefaultSuggestions));
  if (invocation.json()) {
    print_line(tool_suggestions_json(found));
  } else if (found.empty()) {
    invocation.say("no known tool suits that task; luzia tools lists all");
  } else {
    print(tool_suggestions_table(found).text(invocation.terminal().style()));
  }
  return 0;
}

Result<std::size_t> known_solutions(Invocation& invocation, Client& client, const std::string& text) {
  wire::QueryT query = view_query(wire::View::solutions, filter_of(invocation.args()));
  query.text = text;
  query.limit = kLookedSolutions;
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  return page.size();
}

void print_advice(Invocation& invocation, const WebSearchAdvice& advice, const std::string& url) {
  if (invocation.json()) {
    JsonObject object;
    object.boolean("helps", advice.helps);
    object.text_or_null("query", advice.query);
    object.text_or_null("url", url);
    object.strings("reasons", advice.reasons);
    object.strings("stack", advice.stack);
    return print_line(object.take());
  }
  for (const std::string& reason : advice.reasons) invocation.say("because " + reason);
  if (!advice.helps) return invocation.say("nothing says that a web search would help");
  print_line(make_harmless(url.empty() ? advice.query : url));
}

Result<int> advise_on_web_search(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  const auto config = LUZIA_TRY(invocation.config());
  WebSearchFacts facts;
  facts.task = joined_words(words);
  facts.errors = args.texts("error");
  for (const std::string& name : args.texts("project")) {
    const auto project = config->projects.find(name);
    if (project == config->projects.end()) continue;
    const ProjectConfig& settings = project->second;
    const ProjectTechnologies seen = find_technologies(settings.path);
    for (const auto& [said, found] : {std::pair(&settings.framework, &seen.framework),
                                      {&settings.language, &seen.language},
                                      {&settings.build_system, &seen.build_system}}) {
      const std::string& known = said->empty() ? *found : *said;
      if (!known.empty()) facts.knowledge.push_back(known);
    }
  }
  if (!facts.errors.empty()) {
    auto client = LUZIA_TRY(invocation.connect());
    const auto solutions = known_solutions(invocation, client, facts.errors.front());
    if (!solutions && solutions.error().code != "no_words") return tl::unexpected(solutions.error());
    facts.solutions = solutions.value_or(0);
  }
  const WebSearchAdvice advice = web_search_advice(facts);
  print_advice(invocation, advice,
               advice.helps ? web_search_url(config->web_search.url, advice.query) : std::string());
  return 0;
}

constexpr Verb kToolsVerbs[] = {
    {"list", "[--project P] [--agent A] [--sort FIELD] [--columns FIELD,...] [--limit N]", 0, 0,
     list_known_tools, "project agent limit sort columns csv"},
    {"suggest", "\"TASK\" [--project P]", 1, -1, suggest_known_tools, "project agent limit"},
    {"web", "\"TASK\" [--error TEXT] [--project P]", 1, -1, advise_on_web_search, "project error"},
};

}  // namespace

// Shown in help as a part of learn.
const Command kToolsCommand = {
    "tools",
    "",
    "[list] [--project P] [--agent A] [--sort FIELD] [--columns FIELD,...] [--limit N]\n"
    "suggest \"TASK\" [--project P]\n"
    "web \"TASK\" [--error TEXT]",
    "list tools that agents could call, and those that suit a task",
    "Lists the tools that [projects.NAME] tools names (\"psql: a shell for the database\"), the servers of a "
    "project's .mcp.json and of ~/.claude.json, and the tools that agents report when they start: how often "
    "each was called and failed, and when it was last seen. suggest ranks them by the words of the task that "
    "their names and documentation contain, and by successful calls. web says whether a web search would "
    "help, why, and what to search for; [web_search] url = \"https://search.example/?q={query}\" makes an "
    "address of it.",
    "luzia learn tools --project web\n"
    "luzia learn tools suggest 'run the database migrations' --project web\n"
    "luzia learn tools web 'upgrade to django 5' --project web",
    kToolsOptions,
    {0, -1},
    run_verbs<kToolsVerbs>,
    kNeedsStore,
    "what agents can call has no job, tag, state or time",
    {},
    {},
    [](std::string_view) { return catalogue_table({}, 0, Form::data).columns(); }};

}  // namespace luzia
