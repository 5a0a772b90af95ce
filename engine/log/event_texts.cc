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
  if (const auto* queued = event.fact_as_JobQueued()) {
    add(texts, {queued->prompt(), queued->env()});
    const auto* fallbacks = queued->spec() != nullptr ? queued->spec()->fallbacks() : nullptr;
    for (std::uint32_t i = 0; fallbacks != nullptr && i < fallbacks->size(); ++i)
      add(texts, {fallbacks->Get(i)->env()});
  }
  if (const auto* imported = event.fact_as_JobImported()) add(texts, {imported->prompt()});
  if (const auto* tracked = event.fact_as_JobTracked()) add(texts, {tracked->prompt()});
  if (const auto* ended = event.fact_as_JobEnded()) add(texts, {ended->report()});
  if (const auto* retried = event.fact_as_JobRetried()) add(texts, {retried->message()});
  if (const auto* told = event.fact_as_JobTold()) add(texts, {told->text()});
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

FoundText prove(const BlobEntry& entry, const schema::BlobRef& text) {
  if (entry.state == BlobState::erased) return {TextFate::erased};
  if (entry.state == BlobState::lost) return {TextFate::lost};
  // Sizes are compared too: the hash alone would let bytes move between salt and content.
  const Hash hash = blake2b({as_bytes(entry.salt), as_bytes(entry.content)});
  const bool same =
      text.size() == entry.content.size() && text.hash() != nullptr && std::ranges::equal(hash, *text.hash());
  if (!same) return {TextFate::changed};
  return {TextFate::present, entry};
}

PlaceOfText place_of(const BlobEntry& entry) {
  return {entry.event, entry.index};
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

const schema::BlobRef* find_text(const schema::Event& event, std::uint32_t index) {
  for (const auto* text : texts_of(event)) {
    if (text->index() == index) return text;
  }
  return nullptr;
}

FoundText look_up(std::string_view row, Position event, const schema::BlobRef& text) {
  const auto entry = find_blob(row, event, text.index());
  if (entry) return prove(*entry, text);
  return {entry.error().kind == ErrorKind::not_found ? TextFate::missing : TextFate::unreadable};
}

TextRow::TextRow(std::string_view row) : front_(decode_blob_row_front(row)) {
  if (!std::ranges::is_sorted(front_.entries, {}, place_of))
    std::ranges::stable_sort(front_.entries, {}, place_of);
}

FoundText TextRow::look_up(Position event, const schema::BlobRef& text) const {
  const PlaceOfText place{event, text.index()};
  const auto entry = std::ranges::lower_bound(front_.entries, place, {}, place_of);
  if (entry != front_.entries.end() && place_of(*entry) == place) return prove(*entry, text);
  return {front_.whole ? TextFate::missing : TextFate::unreadable};
}

void UntoldErasures::hear(const schema::Event& event) {
  const auto* system = event.payload_as_SystemEvent();
  const auto* erased = system != nullptr ? system->fact_as_BlobErased() : nullptr;
  if (erased != nullptr) texts_.erase({erased->position(), erased->index()});
}

const char* why_damaged(TextFate fate) {
  switch (fate) {
    case TextFate::present:
    case TextFate::erased:
      break;
    case TextFate::lost:
      return "it was lost before the store was salvaged";
    case TextFate::missing:
      return kTextMissing;
    case TextFate::changed:
      return "its bytes are not the ones that its event has the hash of";
    case TextFate::unreadable:
      return "its row cannot be read";
  }
  return "";
}

}  // namespace luzia
