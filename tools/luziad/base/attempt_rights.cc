#include "tools/luziad/base/attempt_rights.h"

#include "engine/event/event.h"

namespace luzia {
namespace {

bool names(const flatbuffers::String* said, const std::string& own) {
  return !own.empty() && said != nullptr && said->string_view() == own;
}

bool names_or_omits(const flatbuffers::String* said, const std::string& own) {
  return text(said).empty() || names(said, own);
}

bool is_about(const wire::Filter* filter, const std::string& job) {
  const auto* jobs = filter == nullptr ? nullptr : filter->jobs();
  return jobs != nullptr && jobs->size() == 1 && names(jobs->Get(0), job);
}

}  // namespace

bool is_own(const flatbuffers::String* job, const AttemptScope& own) {
  return names(job, own.job);
}

/// Only for the present: a query about the past folds the whole log.
bool is_own_query(const wire::Query& query, const AttemptScope& own) {
  if (query.at_position() != 0 || query.at_time_us() != 0) return false;
  switch (query.view()) {
    case wire::View::jobs:
    case wire::View::why:
    case wire::View::waiting:
    case wire::View::issues:
    case wire::View::questions:
    case wire::View::approvals:
      return is_about(query.filter(), own.job);
    case wire::View::flows:
      return names(query.id(), own.flow);
    case wire::View::solutions:
    case wire::View::facts:
    case wire::View::todos:
    case wire::View::catalogue:
      return true;  // rows of its project; other projects' are filtered out
    case wire::View::queue:
    case wire::View::activity:
    case wire::View::totals:
    case wire::View::durations:
    case wire::View::events:
    case wire::View::status:
    case wire::View::overview:
    case wire::View::alerts:
    case wire::View::hooks:
    case wire::View::switches:
    case wire::View::issue_days:
    case wire::View::tools:
    case wire::View::costs:
    case wire::View::agent_limits:
    case wire::View::outcomes:
    case wire::View::spending:
    case wire::View::step_statistics:
    case wire::View::devices:
    case wire::View::schedules:
      return false;
  }
  return false;
}

bool is_own_step(const wire::ActOnFlow& request, const AttemptScope& own) {
  using enum wire::FlowAction;
  if (!names(request.flow(), own.flow) || !names_or_omits(request.job(), own.job)) return false;
  switch (request.action()) {
    case complete:
    case fail:
      return names(request.step(), own.step);
    case note:
      return true;
    case start:
    case skip:
    case reset:
    case add:
    case tag:
    case untag:
    case open_gate:
    case deny_gate:
    case pause:
    case resume:
    case end:
    case reopen:
    case remove:
      return false;
  }
  return false;
}

}  // namespace luzia
