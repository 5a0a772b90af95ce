#include "projections/spending.h"

namespace luzia {

view::ProjectSpendingT& SpendingRows::row_of(std::string_view scope) {
  view::ProjectSpendingT& row = rows_.edit(scope);
  row.project = scope;
  return row;
}

void SpendingRows::add(const std::string& project, const JobUse& before, const JobUse& after, TimeUs time) {
  add_use(row_of(project), before, after, time);
  add_use(row_of(""), before, after, time);
}

void SpendingRows::note(const schema::QueueEvent& queue) {
  if (const auto* noted = queue.fact_as_ProjectBudgetNoted()) {
    schema::ProjectBudgetNotedT fact;
    noted->UnPackTo(&fact);
    note_budget(row_of(fact.project), fact);
  } else if (const auto* lifted = queue.fact_as_ProjectBudgetLifted()) {
    schema::ProjectBudgetLiftedT fact;
    lifted->UnPackTo(&fact);
    lift_budget(row_of(fact.project), fact);
  }
}

std::vector<view::ProjectSpendingT> spending_rows(const ViewReader& rows) {
  return all_rows<view::ProjectSpending>(rows, kSpendingView);
}

}  // namespace luzia
