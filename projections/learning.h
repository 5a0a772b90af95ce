// Report views solutions and facts: what is known now. Each row is the fold of its stream by luzia::evolve.
//
// Keys of solutions: "s" id -> Solution; "p" id -> the rest of a pruned one: id and project. Keys of facts:
// "f" project, 0, subject, 0, relation, 0, object -> Fact; "h" and the stream's name -> the project only,
// also for a forgotten fact. These rows tell to which project the stream's events belong.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/learning/learning.h"
#include "engine/log/event_log.h"
#include "engine/view/projection.h"

namespace luzia {

constexpr ProjectionInfo kSolutionsView{33, 1, "solutions", ViewKind::report};
constexpr ProjectionInfo kFactsView{34, 1, "facts", ViewKind::report};

std::unique_ptr<Projection> make_learning_projection(ViewReaderSource rows);

std::string fact_key(std::string_view project, std::string_view subject, std::string_view relation,
                     std::string_view object);

/// The solution; nullopt: there is none, or it was pruned. Any thread, like all functions below.
std::optional<Solution> find_solution(const ViewReader& rows, std::string_view id);
/// In order of recording, until `visit` returns false.
void visit_solutions(const ViewReader& rows, const std::function<bool(const view::Solution&)>& visit);
/// Sorted by project, subject, relation, object.
void visit_facts(const ViewReader& rows, const std::function<bool(const view::Fact&)>& visit);

/// The state of a stream; version 0: it never existed.
Result<Lesson> find_lesson(const ViewReader& rows, const EventLog& log, const std::string& stream);
/// The project of a stream of a solution, fact or todo; nullopt: no such stream, or it applies to all
/// projects.
std::optional<std::string> project_of_lesson(const ViewReader& rows, std::string_view stream);

}  // namespace luzia
