// Solutions, facts and tool catalogues of projects that the views do not hold yet. Loop thread.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "engine/core/group_writer.h"

namespace luzia {

class LearningBook {
 public:
  /// Both must outlive it.
  LearningBook(GroupWriter& writer, History& history) : writer_(writer), history_(history) {}

  Result<Outcome> run(const CommandMeta& meta, ToLearning& item);
  Result<Outcome> run(const CommandMeta& meta, ToCatalogue& item);
  /// Forgets what the views hold up to `cursor`.
  void views_reached(Position cursor);

 private:
  Result<Lesson> lesson_of(const std::string& stream);

  GroupWriter& writer_;
  History& history_;
  std::map<std::string, Lesson> lessons_;  // by stream; changed and not yet in the views
  std::deque<std::pair<Position, std::string>> changed_lessons_;
};

}  // namespace luzia
