// What is recorded and outlives its job: solutions to problems, facts (subject, relation, object), todos.
// Their state, the commands that change it, and decide() and evolve(). No clock, I/O, randomness or logging:
// time, ids and salts come in the command. Any thread.
//
// Each solution and each fact has its own stream, so only the few that are being changed are in memory.
// Rejected: one stream per project, whose state would grow with everything it ever learned.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// These are also the rows of the report views solutions and facts.
using Solution = view::SolutionT;
using Fact = view::FactT;
using Todo = view::TodoT;

/// The state of one stream: its solution, fact or todo. None: it never existed, or was removed.
struct Lesson {
  std::optional<Solution> solution;
  std::optional<Fact> fact;
  std::optional<Todo> todo;
  std::uint64_t version = 0;
  Position position = 0;
};

/// Maximum bytes of: a problem, a fact's context, a reason; a solution's text; a fact's names; a tag; a
/// reference.
constexpr std::size_t kMaxLearningText = 4096, kMaxSolutionText = 64 * 1024, kMaxFactName = 512,
                      kMaxLearningTag = 64, kMaxReference = 1024;
constexpr std::size_t kMaxSolutionTags = 32, kMaxReferences = 32;

/// Records a solution. Refused (usage): `no_problem`, `no_text`, `text_too_long`, `bad_confidence` (not 0 to
/// 1), `bad_tag`, `bad_reference`, `bad_lifetime` (over a hundred years).
struct RecordSolution {
  std::string id;
  std::string project;  // empty: applies to every project
  std::string problem;
  Blob text;
  std::vector<std::string> references = {}, tags = {};
  double confidence = 0.5;
  std::uint64_t lifetime_ms = 0;  // 0: for ever
  TimeUs expires_us = 0;          // instead of lifetime_ms: the moment of expiry; 0: never
};
/// Somebody tried the solution. Refused: `no_such_solution` (also after it was pruned).
struct JudgeSolution {
  bool helped = false;
  std::string job = {};  // the job that tried it, if any
};
/// Removes the solution for good. Refused: `no_such_solution`, `text_too_long`.
struct PruneSolution {
  std::string reason = {};
};
/// Stores a fact. No effect if it is known with the same context. Refused (usage): `bad_fact`,
/// `text_too_long`.
struct StoreFact {
  std::string subject, relation, object;
  std::string context = {};
  std::string project = {};  // empty: applies to every project
};
/// Removes the fact. Refused: `no_such_fact`, `text_too_long`.
struct ForgetFact {
  std::string reason = {};
};

/// Takes a todo: from then on `by` has it. No effect if they have it already. Refused: `no_such_todo`,
/// `todo_taken` (by somebody else, whom the message names), `todo_done`, `bad_name`.
struct TakeTodo {
  std::string by;
  std::string job = {};  // in which it is done; empty: none
  TimeUs at = 0;
};
/// Gives it back, so that others may take it. No effect if nobody has it. Refused: `no_such_todo`,
/// `todo_done`, `todo_taken` (another job has it), `text_too_long`.
struct ReleaseTodo {
  std::string job = {};  // that gives it back; empty: a person, who may give back everybody's
  std::string note = {};
};
/// Completes it, taken or not. No effect if it is completed. Refused: `no_such_todo`, `todo_taken` (another
/// job has it), `text_too_long`, `bad_name`.
struct FinishTodo {
  std::string by;
  std::string job = {};
  std::string note = {};
  TimeUs at = 0;
};

/// Adds a todo. No effect if its id is known. Refused (usage): `no_text`, `text_too_long`.
struct AddTodo {
  std::string id;
  std::string project = {};  // empty: of all projects
  std::string text;
  TimeUs at = 0;  // of an imported one: when it was added; 0: now
  // What has happened to an imported one since. It is decided with it, so that no import leaves it half done.
  std::optional<TakeTodo> taken = {};
  std::optional<FinishTodo> done = {};
};

using LearningCommand = std::variant<RecordSolution, JudgeSolution, PruneSolution, StoreFact, ForgetFact,
                                     AddTodo, TakeTodo, ReleaseTodo, FinishTodo>;

/// The events that `command` leads to in `stream` (none: nothing to do), or why it is refused.
Result<std::vector<NewEvent>> decide(const Lesson& state, const std::string& stream, LearningCommand command,
                                     TimeUs now);

/// Changes the state by one event of this stream.
void evolve(Lesson& state, const schema::Event& event);

/// The confidence in a solution, 0 to 1. What its author stated weighs like kStatedWeight trials; each trial
/// since then weighs like one:
///
///   (kStatedWeight * stated + helped) / (kStatedWeight + helped + failed)
///
/// Trials alone never bring it to 0 or 1, and one lucky trial does not outweigh what was stated.
constexpr double kStatedWeight = 4;
double confidence_after(double stated, std::uint64_t helped, std::uint64_t failed);

/// Whether it has expired. It stays until somebody prunes it, but is not offered any more.
bool is_expired(const Solution& solution, TimeUs now);

/// "solution/ID", and the id in such a name (empty: another stream).
std::string solution_stream(std::string_view solution);
std::string_view solution_of_stream(std::string_view stream);
/// "fact/HASH" of the fact's project, subject, relation and object: the same fact always has the same stream.
std::string fact_stream(std::string_view project, std::string_view subject, std::string_view relation,
                        std::string_view object);
bool is_fact_stream(std::string_view stream);
/// "todo/ID", and the id in such a name (empty: another stream).
std::string todo_stream(std::string_view todo);
std::string_view todo_of_stream(std::string_view stream);

}  // namespace luzia
