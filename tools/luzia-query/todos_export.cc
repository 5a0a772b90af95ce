// export cross-agent-todos: writes current and finished tasks of all agents, and the todos that they share,
// as one JSON file, for tools that do not know about jobs.
#include "engine/base/try.h"
#include "engine/event/job_state.h"
#include "projections/rows/json_object.h"
#include "projections/rows/names.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/export_command.h"
#include "tools/read/pages.h"

namespace luzia {
namespace {

/// What the agent has written down as to be done.
void write_items(JsonObject& object, const view::Job& job) {
  if (!job.todo()) return object.strings("todos", std::vector<std::string>());
  object.objects("todos", *job.todo(), [](JsonObject& each, const auto* item) {
    each.text("content", item->text());
    each.text("status", schema::EnumNameTodoStatus(item->status()));
  });
}

std::string task_json(const view::Job& job) {
  const bool over = is_terminal(job.state());
  JsonObject object;
  object.text("id", job.id());
  object.text("kind", "job");
  object.text("project", job.project());
  object.text("agent", job.agent());
  object.text_or_null("task", job.task());
  object.text("status", state_name(job.state()));
  object.text_or_null("session_id", job.session_id());
  object.text_or_null("current_step",
                      job.progress() ? text(job.progress()->step_name()) : std::string_view());
  object.optional("progress_percent", job.progress() ? job.progress()->percent() : flatbuffers::nullopt);
  write_items(object, job);
  object.text_or_null("flow", job.flow());
  object.text_or_null("step", job.step());
  object.time("queued_at", job.queued_us());
  object.time("started_at", job.started_us());
  object.time("ended_at", over ? job.ended_us() : 0);
  object.text_or_null("result", over ? end_text(job) : std::string());
  object.text_or_null("claimed_by", job.started_us() != 0 ? text(job.agent()) : std::string_view());
  object.time("claimed_at", job.started_us());
  return object.take();
}

/// The members of a job's entry, so that readers need one shape.
std::string shared_todo_json(const view::Todo& todo) {
  JsonObject object;
  object.text("id", todo.todo());
  object.text("kind", "todo");
  object.text("project", todo.project());
  object.text("agent", todo.by());
  object.text("task", todo.text());
  object.text("status", view::EnumNameTodoState(todo.state()));
  for (const char* key : {"session_id", "current_step", "progress_percent"}) object.at(key).null();
  object.strings("todos", std::vector<std::string>());
  for (const char* key : {"flow", "step"}) object.at(key).null();
  object.time("queued_at", todo.added_us());
  object.time("started_at", todo.taken_us());
  object.time("ended_at", todo.done_us());
  object.text_or_null("result", todo.note());
  object.text_or_null("claimed_by", todo.by());
  object.time("claimed_at", todo.taken_us());
  return object.take();
}

/// How many entries of one list are written, and how many it may have; `limit` 0: any number.
struct Written {
  std::size_t count = 0, limit = 0;

  bool is_full() const { return limit != 0 && count == limit; }
  std::string_view separator() { return count++ == 0 ? "\n" : ",\n"; }
};

/// Writes the completed todos (`over`), or the others, behind the jobs.
Status write_shared_todos(Session& session, bool over, Written& written, const ExportSink& sink) {
  Source* const source = LUZIA_TRY(session.still_source());
  wire::QueryT query = session.query(wire::View::todos);
  query.filter->ended = over;
  query.cursor.clear();
  return visit_pages(*source, std::move(query), 0, [&](const RowPage& page) -> Status {
    const auto todos = LUZIA_TRY(rows_of<view::Todo>(page));
    std::string lines;
    for (const view::Todo* todo : todos) {
      if ((todo->state() == view::TodoState::completed) != over || written.is_full()) continue;
      lines.append(written.separator()).append(shared_todo_json(*todo));
    }
    return sink(lines);
  });
}

/// Writes the finished tasks (`over`), or the others: at most --limit.
Status write_tasks(Session& session, bool over, const ExportSink& sink, Position& position) {
  auto source = LUZIA_TRY(session.still_source());
  wire::QueryT query = session.query(wire::View::jobs);
  query.filter->ended = over;
  query.cursor.clear();
  Written written{0, session.options().limit.value_or(0)};
  Status done = visit_pages(*source, std::move(query), 0, [&](const RowPage& page) -> Status {
    position = page.position;
    const auto jobs = LUZIA_TRY(rows_of<view::Job>(page));
    std::string lines;
    for (const view::Job* job : jobs) {
      if (is_terminal(job->state()) != over || written.is_full()) continue;
      lines.append(written.separator()).append(task_json(*job));
    }
    return sink(lines);
  });
  return done ? write_shared_todos(session, over, written, sink) : done;
}

}  // namespace

Result<int> export_todos(Session& session) {
  // Fail for an unreadable store before half an object is written.
  LUZIA_TRY(session.exported_moment());
  return export_to_out(session, [&](const ExportSink& sink) -> Status {
    Position position = 0;
    Status written = sink("{\"current_tasks\":[");
    if (written) written = write_tasks(session, false, sink, position);
    if (written) written = sink("],\"completed_archive\":[");
    if (written) written = write_tasks(session, true, sink, position);
    if (written) written = sink("],\"position\":" + std::to_string(position) + ",\"next\":null}\n");
    return written;
  });
}

}  // namespace luzia
