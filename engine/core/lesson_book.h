// What is learned, as far as the views do not have it yet: solutions and facts, and the tools that projects
// offer. Loop thread.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "engine/core/group_writer.h"

namespace luzia {

class LessonBook {
 public:
  /// Both outlive it.
  LessonBook(GroupWriter& writer, History& history) : writer_(writer), history_(history) {}

  Result<Outcome> order(const CommandMeta& meta, LearningOrder& order);
  Result<Outcome> order(const CommandMeta& meta, CatalogueOrder& order);
  /// Forgets what the views hold since `cursor`.
  void views_reached(Position cursor);

 private:
  Result<Lesson> lesson_of(const std::string& stream);

  GroupWriter& writer_;
  History& history_;
  std::map<std::string, Lesson> lessons_;  // by stream; changed, and not yet in the views
  std::deque<std::pair<Position, std::string>> changed_lessons_;
};

}  // namespace luzia
