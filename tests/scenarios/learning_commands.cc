#include "tests/scenarios/learning_commands.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace luzia {
namespace {

RecordSolution record(const Step& step) {
  RecordSolution item;
  item.id = step.word(3);
  item.project = step.value("project");
  item.problem = step.value("problem");
  item.text = {0, std::string(16, 's'), step.value("text")};
  item.confidence = std::stod(step.value("confidence", "0.5"));
  item.tags = step.list("tags");
  item.lifetime_ms = step.duration_ms("lifetime");
  return item;
}

std::string stream_of_fact(const Step& step, std::size_t first) {
  return fact_stream(step.value("project"), step.word(first), step.word(first + 1), step.word(first + 2));
}

Lesson lesson_in_log(World& world, const std::string& stream) {
  MemoryHistory history(world.log());
  return history.load_lesson(stream).value_or(Lesson{});
}

}  // namespace

std::optional<ToLearning> learning_command(const Step& step) {
  const std::string& verb = step.word(2);
  ToLearning item;
  const auto add = [&](std::string stream, LearningCommand command) {
    item.commands.emplace_back(std::move(stream), std::move(command));
  };
  if (verb == "record") {
    add(solution_stream(step.word(3)), record(step));
  } else if (verb == "judge") {
    add(solution_stream(step.word(3)), JudgeSolution{step.value("helped") == "true", step.value("job")});
  } else if (verb == "prune") {
    for (const std::string& id : words_between_commas(step.word(3))) {
      add(solution_stream(id), PruneSolution{step.value("reason")});
    }
  } else if (verb == "store_fact") {
    add(stream_of_fact(step, 3),
        StoreFact{step.word(3), step.word(4), step.word(5), step.value("context"), step.value("project")});
  } else if (verb == "forget_fact") {
    add(stream_of_fact(step, 3), ForgetFact{step.value("reason")});
  } else if (verb == "add_todo") {
    AddTodo todo{step.word(3), step.value("project"), step.value("text")};
    if (const std::string by = step.value("taken_by"); !by.empty()) todo.taken = TakeTodo{by};
    if (const std::string by = step.value("done_by"); !by.empty())
      todo.done = FinishTodo{by, {}, step.value("note")};
    add(todo_stream(step.word(3)), std::move(todo));
  } else if (verb == "take_todo") {
    add(todo_stream(step.word(3)), TakeTodo{step.value("by"), step.value("job")});
  } else if (verb == "release_todo") {
    add(todo_stream(step.word(3)), ReleaseTodo{step.value("job"), step.value("note")});
  } else if (verb == "finish_todo") {
    add(todo_stream(step.word(3)), FinishTodo{step.value("by"), step.value("job"), step.value("note")});
  } else {
    return std::nullopt;
  }
  return item;
}

void expect_solution(const Step& step, World& world) {
  const Lesson lesson = lesson_in_log(world, solution_stream(step.word(1)));
  ASSERT_EQ(!lesson.solution, step.word(2) == "gone") << step.word(1);
  if (!lesson.solution) return;
  if (step.values.contains("confidence")) {
    EXPECT_NEAR(lesson.solution->confidence, std::stod(step.value("confidence")), 0.001);
  }
  EXPECT_EQ(lesson.solution->helped, step.number("helped", lesson.solution->helped));
  EXPECT_EQ(lesson.solution->failed, step.number("failed", lesson.solution->failed));
  if (step.values.contains("tags")) {
    EXPECT_EQ(lesson.solution->tags, step.list("tags"));
  }
}

void expect_fact(const Step& step, World& world) {
  const Lesson lesson = lesson_in_log(world, stream_of_fact(step, 1));
  ASSERT_EQ(!lesson.fact, step.word(4) == "gone");
  if (lesson.fact && step.values.contains("context")) {
    EXPECT_EQ(lesson.fact->context, step.value("context"));
  }
}

}  // namespace luzia
