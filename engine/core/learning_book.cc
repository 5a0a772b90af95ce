#include "engine/core/learning_book.h"

namespace luzia {

Result<Lesson> LearningBook::lesson_of(const std::string& stream) {
  if (const auto it = lessons_.find(stream); it != lessons_.end()) return it->second;
  return history_.load_lesson(stream);
}

Result<Outcome> LearningBook::run(const CommandMeta& meta, ToLearning& item) {
  Outcome outcome;
  std::vector<StagedEvent> staged;
  std::map<std::string, Lesson> drafts;
  for (auto& [stream, command] : item.commands) {
    auto draft = drafts.find(stream);
    if (draft == drafts.end()) {
      auto lesson = LUZIA_TRY(lesson_of(stream));
      draft = drafts.emplace(stream, std::move(lesson)).first;
      if (const auto solution = solution_of_stream(stream); !solution.empty())
        outcome.ids.emplace_back(solution);
      if (const auto todo = todo_of_stream(stream); !todo.empty()) outcome.ids.emplace_back(todo);
    }
    auto events = LUZIA_TRY(decide(draft->second, stream, std::move(command), meta.now));
    for (NewEvent& event : events) {
      CommandMeta its = meta;
      if (its.cause == 0) its.cause = draft->second.position;
      LUZIA_TRY(writer_.stage(its, std::move(event), draft->second.version + 1, nullptr, staged));
      evolve(draft->second, *schema::GetEvent(staged.back().encoded.data()));
    }
  }
  LUZIA_TRY(GroupWriter::fits_one_group(staged));
  const Position before = writer_.last_decided();
  outcome.known = staged.empty();
  writer_.append(staged);
  for (auto& [stream, lesson] : drafts) {
    if (lesson.position <= before) continue;
    changed_lessons_.emplace_back(lesson.position, stream);
    lessons_.insert_or_assign(stream, std::move(lesson));
  }
  outcome.position = writer_.last_decided();
  return outcome;
}

Result<Outcome> LearningBook::run(const CommandMeta& meta, ToCatalogue& item) {
  std::vector<StagedEvent> staged;
  for (schema::ToolCataloguedT& tool : item.tools) {
    tool.project = item.project;
    LUZIA_TRY(writer_.stage(meta, new_event("project/" + item.project, std::move(tool)), 0, nullptr, staged));
  }
  writer_.append(staged);
  return Outcome{{}, writer_.last_decided(), false};
}

/// An entry that changed again has a later entry in the list.
void LearningBook::views_reached(Position cursor) {
  while (!changed_lessons_.empty() && changed_lessons_.front().first <= cursor) {
    const auto it = lessons_.find(changed_lessons_.front().second);
    if (it != lessons_.end() && it->second.position <= cursor) lessons_.erase(it);
    changed_lessons_.pop_front();
  }
}

}  // namespace luzia
