#include "projections/todos.h"

#include "engine/event/event.h"

namespace luzia {
namespace {

class TodosProjection : public OneView<Projection, view::Todo, kTodosView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    if (event.payload_as_LearningEvent() == nullptr) return;
    const std::string_view id = todo_of_stream(text(event.stream()));
    if (id.empty()) return;
    Lesson lesson;
    if (auto known = rows_.take(id)) lesson.todo = std::move(*known);
    evolve(lesson, event);
    if (lesson.todo) rows_.put(id, std::make_unique<Todo>(std::move(*lesson.todo)));
  }
};

}  // namespace

std::unique_ptr<Projection> make_todos_projection(ViewReaderSource rows) {
  return std::make_unique<TodosProjection>(std::move(rows));
}

Result<std::size_t> count_open_todos(const ViewReader& rows, std::string_view project) {
  std::size_t open = 0;
  rows.scan(row_key(kTodosView, ""), row_end(kTodosView), [&](std::string_view, std::string_view value) {
    const StoredRow<view::Todo> row(value);
    open += text(row->project()) == project && row->state() != view::TodoState::completed;
    return true;
  });
  LUZIA_TRY(rows.status());
  return open;
}

std::optional<Todo> find_todo(const ViewReader& rows, std::string_view id) {
  const auto row = read_row<view::Todo>(rows, kTodosView, id);
  return row ? std::optional<Todo>(row->native()) : std::nullopt;
}

}  // namespace luzia
