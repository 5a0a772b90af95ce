// Report views solutions and facts: what is known now, each row the fold of its stream by luzia::evolve.
//
// Keys of solutions: "s" id -> Solution; "p" id -> what is left of a pruned one: id and project.
// Keys of facts: "f" project, 0, subject, 0, relation, 0, object -> Fact; "h" and the stream's name -> the
// project alone, also of one that was forgotten. What is left says whose the events are.
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

/// The solution, unless it was pruned. Any thread, as all below.
std::optional<Solution> find_solution(const ViewReader& rows, std::string_view id);
/// In the order in which they were recorded; until `visit` returns false.
void visit_solutions(const ViewReader& rows, const std::function<bool(const view::Solution&)>& visit);
/// By project, subject, relation, object.
void visit_facts(const ViewReader& rows, const std::function<bool(const view::Fact&)>& visit);

/// A stream's state; version 0: there never was one.
Result<Lesson> find_lesson(const ViewReader& rows, const EventLog& log, const std::string& stream);
/// The project of a stream of solutions or facts; nullopt: there is none, or it is of every project.
std::optional<std::string> project_of_lesson(const ViewReader& rows, std::string_view stream);

}  // namespace luzia
