// The scenarios' commands about solutions and facts.
#pragma once

#include <optional>

#include "engine/core/engine.h"
#include "tests/scenarios/step.h"
#include "tests/scenarios/world.h"

namespace luzia {

/// Parses a learning command. The third word after the time is the solution, or the three words of a fact.
///   record ID problem=TEXT text=TEXT [project=P] [confidence=0.8] [tags=a,b] [lifetime=1h]
///   judge ID helped=true|false [job=J], prune ID[,ID...] [reason=TEXT]
///   store_fact SUBJECT RELATION OBJECT [context=TEXT] [project=P], forget_fact SUBJECT RELATION OBJECT
///   add_todo ID text=TEXT [project=P], take_todo ID by=WHO [job=J], release_todo ID [job=J] [note=TEXT],
///   finish_todo ID by=WHO [job=J] [note=TEXT]
/// Returns nullopt for another command.
std::optional<ToLearning> learning_command(const Step& step);

/// Checks a solution: solution ID [gone] [confidence=0.6] [helped=N] [failed=N] [tags=a,b]
void expect_solution(const Step& step, World& world);
/// Checks a fact: fact SUBJECT RELATION OBJECT [gone] [context=TEXT] [project=P]
void expect_fact(const Step& step, World& world);

}  // namespace luzia
