#include "tools/luzia/learn/todo_file.h"

#include <initializer_list>

#include "adapters/older_tool/older_job.h"
#include "engine/base/hash.h"
#include "engine/base/lower_case.h"
#include "tools/cli/json_text.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

/// The first of these members that is a text with something in it.
std::string first_text(const Json& entry, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = text_of(entry, name); !value.empty()) return value;
  }
  return {};
}

TimeUs first_time(const Json& entry, std::initializer_list<const char*> names) {
  return parse_older_time(first_text(entry, names)).value_or(0);
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  for (const char* each : words) {
    if (word == each) return true;
  }
  return false;
}

/// An id of ours stays. Others become a hash, because ids have a form.
std::string id_of(const Json& entry, const std::string& text) {
  const auto found = entry.find("id");
  const std::string written = found == entry.end() ? std::string()
                              : found->is_string() ? found->get<std::string>()
                                                   : found->dump();
  if (written.starts_with("t-")) return written;
  return "t-" + to_hex(blake2b({as_bytes(written + '\n' + text)})).substr(0, 20);
}

FiledTodo todo_of(const Json& entry, bool archived) {
  FiledTodo todo;
  todo.text = first_text(entry, {"text", "task", "description", "content", "title", "subject"});
  todo.id = id_of(entry, todo.text);
  todo.project = text_of(entry, "project");
  todo.by = first_text(entry, {"claimed_by", "by", "agent", "assigned_to", "owner"});
  todo.note = first_text(entry, {"result", "note", "notes", "outcome"});
  const std::string status = lower_case(text_of(entry, "status"));
  todo.done = archived || is_one_of(status, {"completed", "complete", "done", "finished"});
  todo.taken = is_one_of(status, {"in_progress", "in-progress", "claimed", "taken", "active", "running"});
  todo.added_us = first_time(entry, {"added_at", "queued_at", "created_at", "created"});
  todo.taken_us = first_time(entry, {"claimed_at", "taken_at", "started_at", "started"});
  todo.done_us = first_time(entry, {"done_at", "ended_at", "completed_at", "finished_at"});
  return todo;
}

tl::unexpected<Error> bad_todos(const std::string& why) {
  return fail(
      ErrorKind::usage, "bad_todos", "not a file of shared tasks: " + why,
      R"(it looks like {"current_tasks":[{"id":"1","task":"...","status":"pending"}],"completed_archive":[]})");
}

Status add_entries(const Json& file, const char* name, bool archived, std::vector<FiledTodo>& todos) {
  const auto list = file.find(name);
  if (list == file.end()) return {};
  if (!list->is_array()) return bad_todos(std::string(name) + " is not a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& entry = (*list)[i];
    if (entry.is_object() && text_of(entry, "kind") == "job") continue;
    FiledTodo todo = entry.is_object() ? todo_of(entry, archived) : FiledTodo();
    if (todo.text.empty())
      return bad_todos(std::string(name) + "[" + std::to_string(i) + "] does not say what is to be done");
    todos.push_back(std::move(todo));
  }
  return {};
}

}  // namespace

Result<std::vector<FiledTodo>> parse_todo_file(std::string_view json) {
  const auto file = parse_json(json);
  if (!file) return bad_todos(file.error().message);
  if (!file->is_object() || (!file->contains("current_tasks") && !file->contains("completed_archive")))
    return bad_todos("it has neither current_tasks nor completed_archive");
  std::vector<FiledTodo> todos;
  LUZIA_TRY(add_entries(*file, "current_tasks", false, todos));
  LUZIA_TRY(add_entries(*file, "completed_archive", true, todos));
  return todos;
}

Result<std::vector<FiledTodo>> read_todo_file(const std::string& path) {
  const auto text = LUZIA_TRY(read_text(path));
  return parse_todo_file(text);
}

wire::ActOnTodoT command_of(const FiledTodo& todo, const std::string& project) {
  wire::ActOnTodoT request;
  request.action = wire::TodoAction::add;
  request.todo = todo.id;
  request.project = todo.project.empty() ? project : todo.project;
  request.text = todo.text;
  request.note = todo.note;
  request.by = todo.by.empty() ? "unknown" : todo.by;
  request.at_us = todo.added_us;
  request.taken = todo.taken || (todo.done && todo.taken_us != 0);
  request.taken_us = todo.taken_us;
  request.done = todo.done;
  request.done_us = todo.done_us;
  request.command_id = fresh_command_id();
  return request;
}

}  // namespace luzia
