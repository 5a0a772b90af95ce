#include "projections/told_row.h"

#include <algorithm>

namespace luzia {

void fold_told(view::JobT& row, const schema::JobTold& fact, const schema::Event& event) {
  auto told = std::make_unique<view::ToldMessageT>();
  told->id = text(fact.message());
  if (fact.text() != nullptr) {
    told->text_ref.reset(fact.text()->UnPack());
    told->text_ref->hash.clear();  // the event has it
  }
  told->position = event.position();
  if (fact.files() != nullptr) {
    for (const auto* name : *fact.files()) told->files.push_back(name->str());
  }
  if (event.actor() != nullptr) {
    told->from = text(event.actor()->name());
    told->device = text(event.actor()->device());
  }
  told->from_job = text(fact.from_job());
  told->channel = text(fact.channel());
  told->told_us = event.time_us();
  row.told.push_back(std::move(told));
  ++row.told_unread;
  if (row.told.size() <= kMostToldInRow) return;
  row.told.erase(row.told.begin());
  ++row.told_omitted;
}

void fold_told_read(view::JobT& row, const schema::JobToldRead& fact, TimeUs time) {
  if (fact.messages() == nullptr) return;
  row.told_unread -= std::min(row.told_unread, fact.messages()->size());
  for (const auto* id : *fact.messages()) {
    const auto told = std::ranges::find(row.told, id->string_view(),
                                        [](const auto& each) { return std::string_view(each->id); });
    if (told == row.told.end()) continue;
    (*told)->read_us = time;
    (*told)->attempt = fact.attempt();
    (*told)->how = fact.how();
  }
}

}  // namespace luzia
