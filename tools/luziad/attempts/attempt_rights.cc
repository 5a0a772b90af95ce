#include "tools/luziad/attempts/attempt_rights.h"

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

/// Of the present: what was is folded from the whole log.
bool may_read(const wire::Query& query, const AttemptScope& own) {
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
    case wire::View::catalogue:
      return true;  // of its project, as whoever reads them is shown no other
    case wire::View::queue:
    case wire::View::activity:
    case wire::View::totals:
    case wire::View::durations:
    case wire::View::events:
    case wire::View::status:
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
      return false;
  }
  return false;
}

bool may_act(const wire::ActOnFlow& request, const AttemptScope& own) {
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

}  // namespace

bool is_of_attempt(const wire::ClientFrame& frame, const AttemptScope& own) {
  using wire::Request;
  switch (frame.request_type()) {
    case Request::Hello:
    case Request::Forget:
      return true;
    case Request::Control:
      return frame.request_as_Control()->action() == wire::ControlAction::ping;
    case Request::Publish:
      return names(frame.request_as_Publish()->job(), own.job);
    case Request::AskQuestion:
      return names(frame.request_as_AskQuestion()->job(), own.job);
    case Request::CancelQuestion:
      return names(frame.request_as_CancelQuestion()->job(), own.job);
    case Request::RequestApproval:
      return names(frame.request_as_RequestApproval()->job(), own.job);
    case Request::CancelApproval:
      return names(frame.request_as_CancelApproval()->job(), own.job);
    case Request::AwaitInput:
      return names(frame.request_as_AwaitInput()->job(), own.job);
    case Request::ConfirmDelivery:
      return names(frame.request_as_ConfirmDelivery()->job(), own.job);
    case Request::NoteWorkspace:
      return names(frame.request_as_NoteWorkspace()->job(), own.job);
    case Request::Tail:
      return names(frame.request_as_Tail()->job(), own.job) && !frame.request_as_Tail()->live();
    case Request::Query:
      return may_read(*frame.request_as_Query(), own);
    case Request::ActOnFlow:
      return may_act(*frame.request_as_ActOnFlow(), own);
    case Request::NONE:
    case Request::Dispatch:
    case Request::ActOnJobs:
    case Request::ActOnQueue:
    case Request::Wait:
    case Request::Follow:
    case Request::AnswerQuestion:
    case Request::DecideApproval:
    case Request::CreateFlow:
    case Request::RecordSolution:
    case Request::JudgeSolution:
    case Request::PruneSolutions:
    case Request::StoreFact:
    case Request::ForgetFact:
    case Request::ImportJobs:
    case Request::PreviewPrompt:
    case Request::RemoveJobs:
      return false;
  }
  return false;
}

}  // namespace luzia
