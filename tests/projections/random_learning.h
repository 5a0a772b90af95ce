// Random solutions and facts, driven by decide() and evolve(); many commands are refused, as in real use.
// Also tools that projects name.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "engine/learning/learning.h"
#include "tests/projections/log_writer.h"

namespace luzia::test {

class RandomLearning {
 public:
  explicit RandomLearning(std::function<std::uint64_t(std::uint64_t)> below) : below_(std::move(below)) {}

  /// Issues one more command and returns the number of its events.
  std::size_t step(LogWriter& writer) {
    switch (below_(6)) {
      case 0:
        return order(writer, solution_stream(solution()), record());
      case 1:
      case 2:
        return order(writer, solution_stream(solution()), JudgeSolution{below_(3) != 0, "job"});
      case 3:
        return order(writer, solution_stream(solution()), PruneSolution{"old"});
      case 4:
        return name_tool(writer);
      default:
        return about_fact(writer);
    }
  }
  const std::map<std::string, Lesson>& lessons() const { return lessons_; }

 private:
  std::string solution() { return "s-" + std::to_string(below_(12)); }
  std::string project() { return below_(3) == 0 ? "" : below_(2) == 0 ? "alpha" : "beta"; }

  RecordSolution record() {
    RecordSolution command;
    command.id = solution();
    command.project = project();
    command.problem = "problem " + std::to_string(below_(5));
    command.text = Blob{0, "0123456789abcdef", "do this"};
    command.confidence = static_cast<double>(below_(9)) / 8;
    if (below_(2) == 0) command.tags = {"tag"};
    if (below_(3) == 0) command.lifetime_ms = below_(100'000);
    return command;
  }

  std::size_t about_fact(LogWriter& writer) {
    StoreFact fact;
    fact.subject = "thing " + std::to_string(below_(3));
    fact.relation = below_(2) == 0 ? "uses" : "needs";
    fact.object = "thing " + std::to_string(below_(3));
    fact.context = std::to_string(below_(2));
    fact.project = project();
    const std::string stream = fact_stream(fact.project, fact.subject, fact.relation, fact.object);
    if (below_(3) == 0) return order(writer, stream, ForgetFact{"wrong"});
    return order(writer, stream, std::move(fact));
  }

  std::size_t name_tool(LogWriter& writer) {
    schema::ToolCataloguedT fact;
    fact.project = below_(2) == 0 ? "alpha" : "beta";
    fact.tool = "tool " + std::to_string(below_(4));
    fact.source = below_(2) == 0 ? "config" : "mcp files";
    writer.add(new_event("project/" + fact.project, fact));
    return 1;
  }

  std::size_t order(LogWriter& writer, const std::string& stream, LearningCommand command) {
    Lesson& lesson = lessons_[stream];
    if (auto* recorded = std::get_if<RecordSolution>(&command)) recorded->id = solution_of_stream(stream);
    auto events = decide(lesson, stream, std::move(command), writer.now);
    if (!events) return 0;
    for (NewEvent& event : *events) evolve(lesson, writer.add(std::move(event)));
    return events->size();
  }

  std::function<std::uint64_t(std::uint64_t)> below_;
  std::map<std::string, Lesson> lessons_;
};

}  // namespace luzia::test
