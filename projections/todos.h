// Report view todos: tasks that agents and people share, by id. Each row is the fold of its stream by
// luzia::evolve.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "engine/learning/learning.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kTodosView{37, 1, "todos", ViewKind::report};

std::unique_ptr<Projection> make_todos_projection(ViewReaderSource rows);

/// nullopt: there is none. Any thread.
std::optional<Todo> find_todo(const ViewReader& rows, std::string_view id);
/// The todos of this project (empty: of all projects) that are not completed. Reads all rows. Errors: those
/// of the reader. Any thread.
Result<std::size_t> count_open_todos(const ViewReader& rows, std::string_view project);

}  // namespace luzia
