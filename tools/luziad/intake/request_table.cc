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

Status answer_query(const RequestFamilies& families, const RequestId& to, const Caller& caller,
                    const wire::Query& query) {
  const bool now = query.at_position() == 0 && query.at_time_us() == 0;
  if (query.view() == wire::View::hooks && now) return families.hooks->list(to, caller, *families.queries);
  if (LearningRequests::is_search(query)) return families.learning->search(to, caller, query);
  return families.queries->answer(to, caller, query);
}

Status answer_publish(const RequestFamilies& families, const RequestId& to, const Caller& caller,
                      const wire::Publish& request) {
  if (!text(request.job()).empty()) return families.jobs->publish(to, caller, request);
  if (!text(request.task_id()).empty()) return families.jobs->publish_of_task(to, caller, request);
  return families.alerts->publish(to, caller, request);
}

Status forget(const RequestFamilies& families, const RequestId& to, const Caller& /*caller*/,
              const wire::Forget& request) {
  const RequestId forgotten{to.connection, request.request()};
  families.waits->forget(forgotten);
  families.inputs->forget(forgotten);
  families.follows->forget(forgotten);
  families.tails->forget(forgotten);
  families.groups->forget(forgotten);
  return {};
}

// Builds a row with the right types: a request, its permission for attempts, what a device needs to be, a
// check or nullptr, and a family with its function, or only a function.

template <class Request>
const Request& as(const wire::ClientFrame& frame) {
  return *static_cast<const Request*>(frame.request());
}

/// Refuses what only a newer client knows: else it would be taken for another action, or never be answered.
template <class Request>
Status check_action([[maybe_unused]] const Request& request) {
  if constexpr (requires { request.action(); }) {
    if (request.action() > decltype(request.action())::MAX) {
      return fail(ErrorKind::usage, "unknown_action",
                  "this daemon (" LUZIA_VERSION ") does not know what is to be done",
                  "luzia daemon restart starts the installed version; running jobs are not touched");
    }
  }
  return {};
}

template <class Request, auto kMay, DeviceNeeds kNeeds, auto kCheck>
constexpr RequestRow checked() {
  RequestRow row{};
  row.needs = kNeeds;
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
  row.check = []([[maybe_unused]] const Caller& caller, const wire::ClientFrame& frame) -> Status {
    Status known = check_action(as<Request>(frame));
    if constexpr (!std::is_null_pointer_v<std::remove_cv_t<decltype(kCheck)>>) {
      if (known) return kCheck(caller, as<Request>(frame));
    }
    return known;
  };
  return row;
}

template <class Request, auto kMay, DeviceNeeds kNeeds, auto kCheck, auto kFamily, auto kAnswer>
constexpr RequestRow row() {
  RequestRow row = checked<Request, kMay, kNeeds, kCheck>();
  row.answer = [](const RequestFamilies& families, const RequestId& to, const Caller& caller,
                  const wire::ClientFrame& frame) {
    return (families.*kFamily->*kAnswer)(to, caller, as<Request>(frame));
  };
  return row;
}

template <class Request, auto kMay, DeviceNeeds kNeeds, auto kCheck, auto kAnswer>
constexpr RequestRow row() {
  RequestRow row = checked<Request, kMay, kNeeds, kCheck>();
  row.answer = [](const RequestFamilies& families, const RequestId& to, const Caller& caller,
                  const wire::ClientFrame& frame) {
    return kAnswer(families, to, caller, as<Request>(frame));
  };
  return row;
}

using Of = RequestFamilies;
template <class Request>
constexpr auto kOwnJob = &about_own_job<Request>;
constexpr Never kNever{};
constexpr Always kAlways{};
constexpr std::nullptr_t kUnchecked = nullptr;
using enum DeviceNeeds;

constexpr auto kRequests = std::to_array<RequestRow>({
    // clang-format off
    row<wire::Dispatch, kNever, operates, &JobRequests::check_dispatch, &Of::jobs, &JobRequests::dispatch>(),
    row<wire::ActOnJobs, kNever, operates, &JobRequests::check_act, &Of::jobs, &JobRequests::act>(),
    row<wire::AttachJob, kNever, never, kUnchecked, &Of::jobs, &JobRequests::attach>(),
    row<wire::TrackJob, kNever, never, &Tracking::check, &Of::tracking, &Tracking::take>(),
    row<wire::Publish, kOwnJob<wire::Publish>, never, kUnchecked, &answer_publish>(),
    row<wire::ClearAlerts, kNever, operates, kUnchecked, &Of::alerts, &PublishedAlerts::clear>(),
    row<wire::PreviewPrompt, kNever, viewer, &JobRequests::check_preview, &Of::jobs, &JobRequests::preview>(),
    row<wire::ActOnQueue, kNever, operates, kUnchecked, &Of::queue, &QueueRequests::act>(),
    row<wire::CreateFlow, kNever, operates, kUnchecked, &Of::flows, &Flows::create>(),
    row<wire::ActOnFlow, &is_own_step, operates, kUnchecked, &Of::flows, &Flows::act>(),
    row<wire::AskQuestion, kOwnJob<wire::AskQuestion>, never, kUnchecked, &Of::inputs, &Inputs::ask>(),
    row<wire::AnswerQuestion, kNever, operates, kUnchecked, &Of::inputs, &Inputs::answer>(),
    row<wire::CancelQuestion, kOwnJob<wire::CancelQuestion>, operates, kUnchecked, &Of::inputs, &Inputs::cancel>(),
    row<wire::RequestApproval, kOwnJob<wire::RequestApproval>, never, kUnchecked, &Of::inputs,
        &Inputs::request_approval>(),
    row<wire::DecideApproval, kNever, operates, kUnchecked, &Of::inputs, &Inputs::decide>(),
    row<wire::CancelApproval, kOwnJob<wire::CancelApproval>, operates, kUnchecked, &Of::inputs, &Inputs::withdraw>(),
    row<wire::AwaitInput, kOwnJob<wire::AwaitInput>, viewer, kUnchecked, &Of::inputs, &Inputs::await>(),
    row<wire::ConfirmDelivery, kOwnJob<wire::ConfirmDelivery>, never, kUnchecked, &Of::inputs, &Inputs::confirm>(),
    row<wire::TellJob, kNever, operates, &Inputs::check_tell, &Of::inputs, &Inputs::tell>(),
    row<wire::TakeTold, kOwnJob<wire::TakeTold>, never, kUnchecked, &Of::inputs, &Inputs::take_told>(),
    row<wire::NoteWorkspace, kOwnJob<wire::NoteWorkspace>, never, kUnchecked, &Of::inputs, &Inputs::note_workspace>(),
    row<wire::RecordSolution, kNever, never, kUnchecked, &Of::learning, &LearningRequests::record>(),
    row<wire::JudgeSolution, kNever, never, kUnchecked, &Of::learning, &LearningRequests::judge>(),
    row<wire::PruneSolutions, kNever, never, kUnchecked, &Of::learning, &LearningRequests::prune>(),
    row<wire::StoreFact, kNever, never, kUnchecked, &Of::learning, &LearningRequests::store>(),
    row<wire::ForgetFact, kNever, never, kUnchecked, &Of::learning, &LearningRequests::forget>(),
    row<wire::ActOnTodo, kNever, operates, kUnchecked, &Of::learning, &LearningRequests::act_on_todo>(),
    row<wire::ImportJobs, kNever, never, &Imports::check, &Of::imports, &Imports::take>(),
    row<wire::RemoveJobs, kNever, never, &Removals::check, &Of::removals, &Removals::take>(),
    row<wire::Query, &is_own_query, viewer, kUnchecked, &answer_query>(),
    row<wire::Wait, kNever, viewer, &Waits::check, &Of::waits, &Waits::add>(),
    row<wire::Follow, kNever, viewer, kUnchecked, &Of::follows, &Follows::add>(),
    row<wire::Tail, &finished_output, viewer, kUnchecked, &Of::tails, &Tails::add>(),
    row<wire::Forget, kAlways, viewer, kUnchecked, &forget>(),
    row<wire::Control, &ping, viewer, &Upkeep::check, &Of::upkeep, &Upkeep::control>(),
    row<wire::OfferPairing, kNever, admin, kUnchecked, &Of::devices, &DeviceRequests::offer>(),
    row<wire::PairDevice, kNever, never, kUnchecked, &Of::devices, &DeviceRequests::pair>(),
    row<wire::CheckDevice, kNever, never, kUnchecked, &Of::devices, &DeviceRequests::check>(),
    row<wire::RevokeDevice, kNever, viewer, kUnchecked, &Of::devices, &DeviceRequests::revoke>(),
    row<wire::ActOnPush, kNever, viewer, kUnchecked, &Of::devices, &DeviceRequests::act_on_push>(),
    row<wire::NotePages, kNever, never, kUnchecked, &Of::hooks, &Hooks::note_pages>(),
    row<wire::ActOnSchedule, kNever, operates, kUnchecked, &Of::schedules, &Schedules::act>(),
    row<wire::ReadGroups, kNever, never, &GroupReads::check, &Of::groups, &GroupReads::add>(),
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

bool is_of_device(const RequestRow& row, schema::DeviceRole role) {
  return row.needs != DeviceNeeds::never && static_cast<unsigned>(role) >= static_cast<unsigned>(row.needs);
}

}  // namespace luzia
