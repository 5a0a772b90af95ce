#include "tests/simulation/learning_commands.h"

#include <cmath>

namespace luzia::test {
namespace {

std::string fact_name(std::uint64_t which) {
  return "thing " + std::to_string(which);
}

std::string check_fact(const Lesson& lesson, const schema::LearningEvent& event) {
  using schema::LearningFact;
  switch (event.fact_type()) {
    case LearningFact::SolutionRecorded:
      return lesson.version != 0 ? "a solution was recorded twice" : "";
    case LearningFact::SolutionTried:
    case LearningFact::SolutionPruned:
      return !lesson.solution ? "something is said of a solution that is not there" : "";
    case LearningFact::FactStored:
      return lesson.fact && lesson.fact->context == text(event.fact_as_FactStored()->context())
                 ? "a fact was stored again without news"
                 : "";
    case LearningFact::FactForgotten:
      return !lesson.fact ? "a fact was forgotten that was not known" : "";
    case LearningFact::TodoAdded:
      return lesson.todo ? "a todo was added twice" : "";
    case LearningFact::TodoTaken:
      return lesson.todo && lesson.todo->state == view::TodoState::pending ? "" : "a todo was taken twice";
    case LearningFact::TodoReleased:
    case LearningFact::TodoDone:
      return lesson.todo && lesson.todo->state != view::TodoState::completed
                 ? ""
                 : "a todo was changed after its end";
    case LearningFact::NONE:
      break;
  }
  return "a lesson of no kind";
}

std::uint64_t count_trials(const Lesson& lesson) {
  return lesson.solution ? lesson.solution->helped + lesson.solution->failed : 0;
}

ToLearning random_todo_command(Dice& dice, std::string& words) {
  const std::string id = "t-" + std::to_string(dice.below(4)), by = "agent " + std::to_string(dice.below(2));
  ToLearning item;
  const auto add = [&](const char* verb, LearningCommand command) {
    words = verb + (" " + id);
    item.commands.emplace_back(todo_stream(id), std::move(command));
  };
  switch (dice.below(4)) {
    case 0:
      add("add", dice.one_in(2) ? AddTodo{id, "alpha", "something to do"}
                                : AddTodo{id, "alpha", "done before", 0, TakeTodo{by}, FinishTodo{by}});
      break;
    case 1:
      add("take", TakeTodo{by});
      break;
    case 2:
      add("release", ReleaseTodo{});
      break;
    default:
      add("finish", FinishTodo{by});
      break;
  }
  return item;
}

}  // namespace

ToLearning random_learning_command(Dice& dice, std::string& words) {
  ToLearning item;
  const std::string solution = "s-" + std::to_string(dice.below(8));
  if (dice.one_in(3)) {
    StoreFact fact{fact_name(dice.below(2)), "uses", fact_name(dice.below(2)), std::to_string(dice.below(2))};
    const std::string stream = fact_stream("", fact.subject, fact.relation, fact.object);
    const bool forgets = dice.one_in(3);
    words = std::string(forgets ? "forget " : "store ") + stream;
    if (forgets) {
      item.commands.emplace_back(stream, ForgetFact{});
    } else {
      item.commands.emplace_back(stream, std::move(fact));
    }
    return item;
  }
  if (dice.one_in(3)) return random_todo_command(dice, words);
  const std::string stream = solution_stream(solution);
  if (dice.one_in(3)) {
    words = "record " + solution;
    RecordSolution record{solution, "alpha", "a problem", {0, std::string(16, 's'), "what to do"}};
    item.commands.emplace_back(stream, std::move(record));
    if (dice.one_in(2)) {
      words += " and judge it";
      item.commands.emplace_back(stream, JudgeSolution{dice.one_in(2)});
    }
  } else if (dice.one_in(6)) {
    words = "prune " + solution;
    item.commands.emplace_back(stream, PruneSolution{});
    if (dice.one_in(2))
      item.commands.emplace_back(solution_stream("s-" + std::to_string(dice.below(8))), PruneSolution{});
  } else {
    words = "judge " + solution;
    item.commands.emplace_back(stream, JudgeSolution{dice.one_in(2)});
  }
  return item;
}

std::string LearningRules::take(const schema::Event& event) {
  const auto* learning = event.payload_as_LearningEvent();
  if (learning == nullptr) return {};
  const std::string stream(text(event.stream()));
  Lesson& lesson = lessons_[stream];
  std::string wrong = check_fact(lesson, *learning);
  const std::uint64_t trials_before = count_trials(lesson);
  evolve(lesson, event);
  if (learning->fact_as_SolutionTried() != nullptr) {
    if (!trials_.emplace(stream, text(event.command_id())).second) wrong = "a command judges it twice";
    if (count_trials(lesson) != trials_before + 1) wrong = "a trial does not count once";
  }
  if (wrong.empty() && lesson.solution) {
    const Solution& now = *lesson.solution;
    const double expected = confidence_after(now.stated_confidence, now.helped, now.failed);
    if (std::abs(now.confidence - expected) > 1e-9) wrong = "the trust is not what the trials make it";
  }
  return wrong.empty() ? wrong : stream + ": " + wrong;
}

}  // namespace luzia::test
