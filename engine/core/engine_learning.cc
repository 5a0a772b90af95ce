// The engine and what is learned: solutions, facts, and the tools that projects offer.
#include "engine/core/engine.h"

namespace luzia {

Result<Lesson> Engine::lesson_of(const std::string& stream) {
  if (const auto it = lessons_.find(stream); it != lessons_.end()) return it->second;
  return history_.load_lesson(stream);
}

Result<Outcome> Engine::order_learning(const CommandMeta& meta, LearningOrder& order) {
  Outcome outcome;
  std::vector<Staged> staged;
  std::map<std::string, Lesson> drafts;
  for (auto& [stream, command] : order.commands) {
    auto draft = drafts.find(stream);
    if (draft == drafts.end()) {
      auto lesson = LUZIA_TRY(lesson_of(stream));
      draft = drafts.emplace(stream, std::move(lesson)).first;
      if (const auto solution = solution_of_stream(stream); !solution.empty())
        outcome.ids.emplace_back(solution);
    }
    auto events = LUZIA_TRY(decide(draft->second, stream, std::move(command), meta.now));
    for (NewEvent& event : events) {
      CommandMeta its = meta;
      if (its.cause == 0) its.cause = draft->second.position;
      LUZIA_TRY(stage(its, std::move(event), draft->second.version + 1, nullptr, staged));
      evolve(draft->second, *schema::GetEvent(staged.back().encoded.data()));
    }
  }
  LUZIA_TRY(fits_one_group(staged));
  const Position before = last_decided();
  outcome.known = staged.empty();
  append(staged);
  for (auto& [stream, lesson] : drafts) {
    if (lesson.position <= before) continue;
    changed_lessons_.emplace_back(lesson.position, stream);
    lessons_.insert_or_assign(stream, std::move(lesson));
  }
  outcome.position = last_decided();
  return outcome;
}

Result<Outcome> Engine::catalogue(const CommandMeta& meta, CatalogueOrder& order) {
  std::vector<Staged> staged;
  for (schema::ToolCataloguedT& tool : order.tools) {
    tool.project = order.project;
    schema::ToolFactUnion fact;
    fact.Set(std::move(tool));
    auto ok = stage(meta, new_event("project/" + order.project, std::move(fact)), 0, nullptr, staged);
    if (!ok) return tl::unexpected(ok.error());
  }
  append(staged);
  return Outcome{{}, last_decided(), false};
}

/// What changed again since stands further back in the list.
void Engine::forget_lessons(Position cursor) {
  while (!changed_lessons_.empty() && changed_lessons_.front().first <= cursor) {
    const auto it = lessons_.find(changed_lessons_.front().second);
    if (it != lessons_.end() && it->second.position <= cursor) lessons_.erase(it);
    changed_lessons_.pop_front();
  }
}

}  // namespace luzia
