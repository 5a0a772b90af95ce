// Reads the older tool's file of tasks that agents share: {"current_tasks":[...],"completed_archive":[...]}.
// One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "protocol.fb.h"

namespace luzia {

struct FiledTodo {
  std::string id;  // "t-" and what identifies it in every copy of the file
  std::string project, text, by, note;
  bool taken = false, done = false;
  TimeUs added_us = 0, taken_us = 0, done_us = 0;  // 0: unknown
};

/// `unreadable`, `too_long`, `bad_todos` (usage): no such file, or not of this shape; names the entry.
Result<std::vector<FiledTodo>> read_todo_file(const std::string& path);
/// Entries of "kind" job, which exports have beside todos, are left out: they are jobs, no todos.
Result<std::vector<FiledTodo>> parse_todo_file(std::string_view json);

/// The command that adds the todo as it is in the file. `project`: if it names none.
wire::ActOnTodoT command_of(const FiledTodo& todo, const std::string& project);

}  // namespace luzia
