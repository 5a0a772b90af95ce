// A file of shared tasks is either refused with what is wrong, or each task in it can be added.
#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/learn/todo_file.h"

void luzia::fuzz(std::string_view input) {
  const auto todos = parse_todo_file(input);
  if (!todos) {
    require(todos.error().code == "bad_todos", "a refusal has its code");
    return;
  }
  for (const FiledTodo& todo : *todos) {
    require(!todo.text.empty(), "it says what is to be done");
    require(todo.id.starts_with("t-"), "its id has the form of ours");
    const auto command = command_of(todo, "web");
    require(command.action == wire::TodoAction::add && !command.project.empty(), "it is added");
    require(todo.done == command.done, "as it is in the file");
  }
}
