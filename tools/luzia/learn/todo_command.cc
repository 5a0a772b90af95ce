// todo: the tasks that agents and people share.
#include <cstdlib>

#include "projections/rows/learning_rows.h"
#include "tools/luzia/families.h"
#include "tools/luzia/learn/recording.h"
#include "tools/luzia/learn/todo_file.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

constexpr std::uint32_t kDefaultTodos = 200;

constexpr Option kTodoOptions[] = {
    {"--project", ValueKind::list, "NAME", "of this project; list also shows those of all projects", "",
     Completes::project},
    {"--everywhere", ValueKind::flag, "",
     "add, import: for the agents of all projects (import: the default)"},
    {"--note", ValueKind::text, "TEXT", "done, release: what came of it, or why"},
    {"--by", ValueKind::text, "NAME", "take, done: in this name (default: the job's agent, else yours)"},
    {"-A,--all", ValueKind::flag, "", "list: completed ones too"},
    {"--agent", ValueKind::list, "NAME", "list: only what one of these has or completed", "",
     Completes::agent},
    {"--job", ValueKind::list, "JOB", "list: only what was taken in one of these jobs", "", Completes::job},
    {"--state", ValueKind::todo_states, "STATE", "list: only these states: pending, in_progress, completed"},
    {"--since", ValueKind::moment, "TIME", "list: only todos added since then (2h, 14:05, 2026-11-21)"},
    {"--until", ValueKind::bound, "TIME", "list: only todos added before that time"},
    {"-n,--limit", ValueKind::number, "N", "list: at most that many (default 200)"},
    {"--cursor", ValueKind::text, "CURSOR", "list: continue where a page ended"},
    {"--at", ValueKind::place, "POSITION|TIME", "list: as it was at a log position or a time"},
    {"--command-id", ValueKind::text, "ID",
     "repeating a command id with the same content has no further effect"},
};

Result<int> send_todo(Invocation& invocation, wire::ActOnTodoT request, const char* done,
                      const char* known = "") {
  const Arguments& args = invocation.args();
  request.note = args.text("note");
  request.by = args.text("by");
  if (const char* job = std::getenv("LUZIA_JOB_ID")) request.job = job;
  request.command_id = command_id_of(args);
  auto client = LUZIA_TRY(invocation.connect());
  return send_and_report(invocation, client, request_of(std::move(request)), done, known);
}

Result<int> add_todo(Invocation& invocation, const Words& words) {
  wire::ActOnTodoT request;
  request.action = wire::TodoAction::add;
  request.project = LUZIA_TRY(project_to_record(invocation.args()));
  request.text = joined_words(words);
  return send_todo(invocation, std::move(request), "the todo is added");
}

Result<int> change_todo(Invocation& invocation, const Words& words, wire::TodoAction action, const char* done,
                        const char* known) {
  wire::ActOnTodoT request;
  request.action = action;
  request.todo = words[0];
  return send_todo(invocation, std::move(request), done, known);
}

Result<int> take_todo(Invocation& invocation, const Words& words) {
  return change_todo(invocation, words, wire::TodoAction::take, "taken", "already yours");
}

Result<int> release_todo(Invocation& invocation, const Words& words) {
  return change_todo(invocation, words, wire::TodoAction::release, "given back", "nobody has it");
}

Result<int> finish_todo(Invocation& invocation, const Words& words) {
  return change_todo(invocation, words, wire::TodoAction::done, "completed", "completed already");
}

Result<int> list_todo_rows(Session& session) {
  const Arguments& args = session.invocation().args();
  wire::QueryT query = session.query(wire::View::todos);
  query.filter->ended = args.has("all") || args.has("state");
  return list_rows<view::Todo>(session, query, session.options().limit.value_or(kDefaultTodos),
                               [](TimeUs as_of) -> Shapes<view::Todo> {
                                 return {"todos", todo_json,
                                         [as_of](const auto& rows, Form) { return todos_table(rows, as_of); },
                                         "no todos to show; luzia todo add TEXT adds one"};
                               });
}

Result<int> list_todos(Invocation& invocation, const Words& /*words*/) {
  return run_reading(invocation, list_todo_rows);
}

/// The ids of todos follow from the file, so importing again adds only what is missing.
Result<int> import_todos(Invocation& invocation, const Words& words) {
  const auto todos = LUZIA_TRY(read_todo_file(words[0]));
  const Arguments& args = invocation.args();
  std::string otherwise;
  if (args.has("project") || args.has("everywhere")) otherwise = LUZIA_TRY(project_to_record(args));
  auto client = LUZIA_TRY(invocation.connect());
  std::size_t fresh = 0;
  for (const FiledTodo& todo : todos) {
    const auto accepted =
        LUZIA_TRY(send_command(invocation, client, request_of(command_of(todo, otherwise))));
    fresh += accepted.known ? 0 : 1;  // one that was imported before may have changed since: it stays
  }
  invocation.say(std::to_string(fresh) + " of " + std::to_string(todos.size()) + " todos are new");
  return 0;
}

constexpr Verb kTodoVerbs[] = {
    {"add", "TEXT [--project P | --everywhere]", 1, -1, add_todo, "project everywhere command-id"},
    {"take", "ID [--by NAME]", 1, 1, take_todo, "by command-id", kNeedsStore},
    {"done", "ID [--note TEXT]", 1, 1, finish_todo, "note by command-id", kNeedsStore},
    {"release", "ID [--note TEXT]", 1, 1, release_todo, "note command-id", kNeedsStore},
    {"list", "[--all] [filters] [--at TIME]", 0, 0, list_todos,
     "project agent job state since until all limit cursor at", kNeedsStore},
    {"import", "FILE [--project P | --everywhere]", 1, 1, import_todos, "project everywhere"},
};

}  // namespace

const Command kTodoCommand = {
    "todo",
    "Agents",
    "add TEXT [--project P | --everywhere]\n"
    "take ID\n"
    "done ID [--note TEXT]\n"
    "release ID\n"
    "list [--all] [filters] [--at TIME]\n"
    "import FILE",
    "share tasks between agents: who has which, since when",
    "Agents use the same list through luzia mcp. The first to take a todo has it; the next one is refused "
    "and told who that is. What a job has taken, no other job can complete or give back; a person can. "
    "import reads the older tool's file (current_tasks, completed_archive), which luzia-query export "
    "cross-agent-todos writes too.",
    "luzia todo add 'update the API docs' --project web\n"
    "luzia todo take t-1qj0\n"
    "luzia todo done t-1qj0 --note 'see docs/api.md'",
    kTodoOptions,
    {0, -1},
    run_verbs<kTodoVerbs>,
    false,
    "todos have no tags, and only list takes filters"};

}  // namespace luzia
