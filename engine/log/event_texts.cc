#include "engine/log/event_texts.h"

#include <algorithm>

namespace luzia {
namespace {

using Texts = std::vector<const schema::BlobRef*>;

void add(Texts& texts, std::initializer_list<const schema::BlobRef*> found) {
  for (const auto* text : found) {
    if (text != nullptr) texts.push_back(text);
  }
}

void add_texts(Texts& texts, const schema::JobEvent& event) {
  if (const auto* queued = event.fact_as_JobQueued()) add(texts, {queued->prompt(), queued->env()});
  if (const auto* imported = event.fact_as_JobImported()) add(texts, {imported->prompt()});
}

void add_texts(Texts& texts, const schema::QuestionEvent& event) {
  if (const auto* asked = event.fact_as_QuestionAsked()) add(texts, {asked->text()});
  if (const auto* answered = event.fact_as_QuestionAnswered()) add(texts, {answered->answer()});
}

void add_texts(Texts& texts, const schema::ApprovalEvent& event) {
  if (const auto* asked = event.fact_as_ApprovalRequested())
    add(texts, {asked->description(), asked->tool_input()});
}

void add_texts(Texts& texts, const schema::FlowEvent& event) {
  if (const auto* ended = event.fact_as_StepEnded()) add(texts, {ended->output()});
  const auto* created = event.fact_as_FlowCreated();
  if (created == nullptr || created->steps() == nullptr) return;
  for (const auto* step : *created->steps()) add(texts, {step->prompt()});
}

void add_texts(Texts& texts, const schema::LearningEvent& event) {
  if (const auto* solution = event.fact_as_SolutionRecorded()) add(texts, {solution->text()});
}

}  // namespace

Texts texts_of(const schema::Event& event) {
  Texts texts;
  if (const auto* job = event.payload_as_JobEvent()) add_texts(texts, *job);
  if (const auto* question = event.payload_as_QuestionEvent()) add_texts(texts, *question);
  if (const auto* approval = event.payload_as_ApprovalEvent()) add_texts(texts, *approval);
  if (const auto* flow = event.payload_as_FlowEvent()) add_texts(texts, *flow);
  if (const auto* learning = event.payload_as_LearningEvent()) add_texts(texts, *learning);
  return texts;
}

bool has_text(const std::vector<BlobEntry>& entries, Position event, const schema::BlobRef& text) {
  return std::ranges::any_of(entries, [&](const BlobEntry& entry) {
    if (entry.event != event || entry.index != text.index()) return false;
    if (entry.erased) return true;
    const auto is = blob_ref({entry.index, std::string(entry.salt), std::string(entry.content)});
    return text.hash() != nullptr && std::ranges::equal(is.hash, *text.hash());
  });
}

}  // namespace luzia
