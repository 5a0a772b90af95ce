// What outlives the job that found it: solutions to problems, and facts (subject, relation, object). Their
// state, the commands that change it, and the two pure functions of their life. No clock, I/O, randomness or
// logging here: time, ids and salts are in the command.
//
// Each solution and each fact has a stream of its own, so that only the few that are being changed are ever
// in memory. (Rejected: one stream per project, whose state would grow with everything it ever learned.)
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/event/event.h"
#include "view.fb.h"

namespace luzia {

/// Also the rows of report views solutions and facts.
using Solution = view::SolutionT;
using Fact = view::FactT;

/// One stream's state: the solution or the fact it holds now. Neither: there never was one, or it was taken
/// out again.
struct Lesson {
  std::optional<Solution> solution;
  std::optional<Fact> fact;
  std::uint64_t version = 0;
  Position position = 0;
};

/// Bytes: of a problem, a fact's context, a reason; of a solution's text; of a fact's names; of a tag; of a
/// reference.
constexpr std::size_t kMaxLearningText = 4096, kMaxSolutionText = 64 * 1024, kMaxFactName = 512,
                      kMaxLearningTag = 64, kMaxReference = 1024;
constexpr std::size_t kMaxSolutionTags = 32, kMaxReferences = 32;

/// Refused (usage): `no_problem`, `no_text`, `text_too_long`, `bad_confidence` (not from 0 to 1), `bad_tag`,
/// `bad_reference`, `bad_lifetime` (over a hundred years).
struct RecordSolution {
  std::string id;
  std::string project;  // empty: of use in every project
  std::string problem;
  Blob text;
  std::vector<std::string> references = {}, tags = {};
  double confidence = 0.5;
  std::uint64_t lifetime_ms = 0;  // 0: for ever
  TimeUs expires_us = 0;          // instead of it, the end itself; 0: for ever
};
/// Somebody tried it. Refused: `no_such_solution` (also of one that was pruned).
struct JudgeSolution {
  bool helped = false;
  std::string job = {};  // that tried it, where one did
};
/// Taken out for good. Refused: `no_such_solution`, `text_too_long`.
struct PruneSolution {
  std::string reason = {};
};
/// Said again with the same context, nothing follows. Refused (usage): `bad_fact`, `text_too_long`.
struct StoreFact {
  std::string subject, relation, object;
  std::string context = {};
  std::string project = {};  // empty: true everywhere
};
/// Refused: `no_such_fact`, `text_too_long`.
struct ForgetFact {
  std::string reason = {};
};

using LearningCommand = std::variant<RecordSolution, JudgeSolution, PruneSolution, StoreFact, ForgetFact>;

/// Events that `command` leads to in `stream` (none: nothing to do), or why it is refused.
Result<std::vector<NewEvent>> decide(const Lesson& state, const std::string& stream, LearningCommand command,
                                     TimeUs now);

/// The state after `event` of this stream.
void evolve(Lesson& state, const schema::Event& event);

/// What is to be thought of a solution: who recorded it counts like kStatedWeight trials that came out as
/// they said, each trial since then like one.
///
///   (kStatedWeight * stated + helped) / (kStatedWeight + helped + failed)
///
/// It never reaches 0 or 1 by trials alone, and one lucky trial does not outweigh what was stated.
constexpr double kStatedWeight = 4;
double confidence_after(double stated, std::uint64_t helped, std::uint64_t failed);

/// Whether its time is over. It stays until somebody prunes it, but is offered to nobody.
bool is_expired(const Solution& solution, TimeUs now);

/// "solution/ID", and the id of such a name (empty: another stream).
std::string solution_stream(std::string_view solution);
std::string_view solution_of_stream(std::string_view stream);
/// "fact/HASH" of what the fact says and where: the same fact is always the same stream.
std::string fact_stream(std::string_view project, std::string_view subject, std::string_view relation,
                        std::string_view object);
bool is_fact_stream(std::string_view stream);

}  // namespace luzia
