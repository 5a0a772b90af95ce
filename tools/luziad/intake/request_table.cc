#include "tools/luziad/intake/request_table.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace luzia {
namespace {

// Which requests attempts may make. For people, each family asks Rights or the configuration, because it
// depends on what is named.

/// Never allowed to attempts.
struct Never {};
struct Always {};

template <class Request>
bool about_own_job(const Request& request, const AttemptScope& own) {
  return is_own(request.job(), own);
}

bool finished_output(const wire::Tail& request, const AttemptScope& own) {
  return is_own(request.job(), own) && !request.live();
}

bool ping(const wire::Control& request, const AttemptScope& /*own*/) {
  return request.action() == wire::ControlAction::ping;
}

// Requests that several families answer.

void answer_query(const RequestFamilies& families, const RequestId& to, const Caller& caller,
                  const wire::Query& query) {
  const bool now = query.at_position() == 0 && query.at_time_us() == 0;
  if (query.view() == wire::View::hooks && now) return families.hooks->list(to, caller, *families.queries);
  if (LearningRequests::is_search(query)) return families.learning->search(to, caller, query);
  families.queries->answer(to, caller, query);
}

void answer_publish(const RequestFamilies& families, const RequestId& to, const Caller& caller,
                    const wire::Publish& request) {
  if (!text(request.job()).empty()) return families.jobs->publish(to, caller, request);
  if (!text(request.task_id()).empty()) return families.jobs->publish_of_task(to, caller, request);
  families.alerts->publish(to, caller, request);
}

void forget(const RequestFamilies& families, const RequestId& to, const Caller& /*caller*/,
            const wire::Forget& request) {
  const RequestId forgotten{to.connection, request.request()};
  families.waits->forget(forgotten);
  families.inputs->forget(forgotten);
  families.follows->forget(forgotten);
  families.tails->forget(forgotten);
}

// Builds a row with the right types: a request, its permission for attempts, a check or nullptr, and a family
// with its function, or only a function.

template <class Request>
const Request& as(const wire::ClientFrame& frame) {
  return *static_cast<const Request*>(frame.request());
}

template <class Request, auto kMay, auto kCheck>
constexpr RequestRow checked() {
  RequestRow row{};
  row.kind = wire::RequestTraits<Request>::enum_value;
  row.is_of_attempt = []([[maybe_unused]] const wire::ClientFrame& frame,
                         [[maybe_unused]] const AttemptScope& own) {
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(kMay)>, Never>)
      return false;
    else if constexpr (std::is_same_v<std::remove_cv_t<decltype(kMay)>, Always>)
      return true;
    else
      return kMay(as<Request>(frame), own);
  };
  row.check = []([[maybe_unused]] const Caller& caller,
                 [[maybe_unused]] const wire::ClientFrame& frame) -> Status {
    if constexpr (std::is_null_pointer_v<std::remove_cv_t<decltype(kCheck)>>)
      return Status();
    else
      return kCheck(caller, as<Request>(frame));
  };
  return row;
}

template <class Request, auto kMay, auto kCheck, auto kFamily, auto kAnswer>
constexpr RequestRow row() {
  RequestRow row = checked<Request, kMay, kCheck>();
  row.answer = [](const RequestFamilies& families, const RequestId& to, const Caller& caller,
                  const wire::ClientFrame& frame) {
    (families.*kFamily->*kAnswer)(to, caller, as<Request>(frame));
  };
  return row;
}

template <class Request, auto kMay, auto kCheck, auto kAnswer>
constexpr RequestRow row() {
  RequestRow row = checked<Request, kMay, kCheck>();
  row.answer = [](const RequestFamilies& families, const RequestId& to, const Caller& caller,
                  const wire::ClientFrame& frame) { kAnswer(families, to, caller, as<Request>(frame)); };
  return row;
}

using Of = RequestFamilies;
template <class Request>
constexpr auto kOwnJob = &about_own_job<Request>;
constexpr Never kNever{};
constexpr Always kAlways{};
constexpr std::nullptr_t kUnchecked = nullptr;

constexpr auto kRequests = std::to_array<RequestRow>({
    // clang-format off
    row<wire::Dispatch, kNever, &JobRequests::check_dispatch, &Of::jobs, &JobRequests::dispatch>(),
    row<wire::ActOnJobs, kNever, &JobRequests::check_act, &Of::jobs, &JobRequests::act>(),
    row<wire::AttachJob, kNever, kUnchecked, &Of::jobs, &JobRequests::attach>(),
    row<wire::TrackJob, kNever, &Tracking::check, &Of::tracking, &Tracking::take>(),
    row<wire::Publish, kOwnJob<wire::Publish>, kUnchecked, &answer_publish>(),
    row<wire::ClearAlerts, kNever, kUnchecked, &Of::alerts, &PublishedAlerts::clear>(),
    row<wire::PreviewPrompt, kNever, &JobRequests::check_preview, &Of::jobs, &JobRequests::preview>(),
    row<wire::ActOnQueue, kNever, kUnchecked, &Of::queue, &QueueRequests::act>(),
    row<wire::CreateFlow, kNever, kUnchecked, &Of::flows, &Flows::create>(),
    row<wire::ActOnFlow, &is_own_step, kUnchecked, &Of::flows, &Flows::act>(),
    row<wire::AskQuestion, kOwnJob<wire::AskQuestion>, kUnchecked, &Of::inputs, &Inputs::ask>(),
    row<wire::AnswerQuestion, kNever, kUnchecked, &Of::inputs, &Inputs::answer>(),
    row<wire::CancelQuestion, kOwnJob<wire::CancelQuestion>, kUnchecked, &Of::inputs, &Inputs::cancel>(),
    row<wire::RequestApproval, kOwnJob<wire::RequestApproval>, kUnchecked, &Of::inputs, &Inputs::request_approval>(),
    row<wire::DecideApproval, kNever, kUnchecked, &Of::inputs, &Inputs::decide>(),
    row<wire::CancelApproval, kOwnJob<wire::CancelApproval>, kUnchecked, &Of::inputs, &Inputs::withdraw>(),
    row<wire::AwaitInput, kOwnJob<wire::AwaitInput>, kUnchecked, &Of::inputs, &Inputs::await>(),
    row<wire::ConfirmDelivery, kOwnJob<wire::ConfirmDelivery>, kUnchecked, &Of::inputs, &Inputs::confirm>(),
    row<wire::NoteWorkspace, kOwnJob<wire::NoteWorkspace>, kUnchecked, &Of::inputs, &Inputs::note_workspace>(),
    row<wire::RecordSolution, kNever, kUnchecked, &Of::learning, &LearningRequests::record>(),
    row<wire::JudgeSolution, kNever, kUnchecked, &Of::learning, &LearningRequests::judge>(),
    row<wire::PruneSolutions, kNever, kUnchecked, &Of::learning, &LearningRequests::prune>(),
    row<wire::StoreFact, kNever, kUnchecked, &Of::learning, &LearningRequests::store>(),
    row<wire::ForgetFact, kNever, kUnchecked, &Of::learning, &LearningRequests::forget>(),
    row<wire::ActOnTodo, kNever, kUnchecked, &Of::learning, &LearningRequests::act_on_todo>(),
    row<wire::ImportJobs, kNever, &Imports::check, &Of::imports, &Imports::take>(),
    row<wire::RemoveJobs, kNever, &Removals::check, &Of::removals, &Removals::take>(),
    row<wire::Query, &is_own_query, kUnchecked, &answer_query>(),
    row<wire::Wait, kNever, &Waits::check, &Of::waits, &Waits::add>(),
    row<wire::Follow, kNever, kUnchecked, &Of::follows, &Follows::add>(),
    row<wire::Tail, &finished_output, kUnchecked, &Of::tails, &Tails::add>(),
    row<wire::Forget, kAlways, kUnchecked, &forget>(),
    row<wire::Control, &ping, &Upkeep::check, &Of::upkeep, &Upkeep::control>(),
    // clang-format on
});

// All kinds but NONE and Hello.
static_assert(kRequests.size() + 2 ==
              std::extent_v<std::remove_reference_t<decltype(wire::EnumValuesRequest())>>);

}  // namespace

const RequestRow* find_request(wire::Request kind) {
  const auto row = std::ranges::find(kRequests, kind, &RequestRow::kind);
  return row == kRequests.end() ? nullptr : &*row;
}

bool is_of_attempt(const wire::ClientFrame& frame, const AttemptScope& own) {
  if (frame.request_type() == wire::Request::Hello) return true;
  const RequestRow* row = find_request(frame.request_type());
  return row != nullptr && row->is_of_attempt(frame, own);
}

}  // namespace luzia
