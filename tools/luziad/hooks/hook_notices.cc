#include "tools/luziad/hooks/hook_notices.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/base/try.h"
#include "projections/flows.h"
#include "projections/inputs.h"
#include "projections/jobs.h"
#include "projections/query.h"
#include "tools/luziad/hooks/digest_notice.h"
#include "tools/luziad/inputs/input_rows.h"

namespace luzia {
namespace {

Delivery undeliverable(const Error& why) {
  return {HookTry{false, false, why.message, 0}, {}};
}

/// The event's prompt to a person, in its current state.
Result<NoticeInput> input_of(const schema::Event& event, const EventLog& log, const ViewReader& rows,
                             std::string_view job) {
  NoticeInput input;
  const std::string_view id = input_of_event(event);
  if (id.empty()) return input;
  if (kind_of_input(id) == view::InputKind::approval) {
    input.approval = LUZIA_TRY(read_approval(rows, log, job, id));
  } else {
    input.question = LUZIA_TRY(read_question(rows, log, job, id));
  }
  return input;
}

/// What the event of a flow's stream concerns.
NoticeInput input_of_flow(const schema::Event& event, const ViewReader& rows, std::string_view id) {
  NoticeInput input;
  const auto flow = find_flow_state(rows, id);
  if (!flow) return input;
  input.project = flow->project;
  const auto* fact = event.payload_as_FlowEvent();
  const auto* reached = fact != nullptr ? fact->fact_as_StepGateReached() : nullptr;
  const auto* decided = fact != nullptr ? fact->fact_as_StepGateDecided() : nullptr;
  const std::string_view name = reached != nullptr   ? text(reached->step())
                                : decided != nullptr ? text(decided->step())
                                                     : std::string_view{};
  const view::FlowStepT* step = name.empty() ? nullptr : find_step(*flow, name);
  if (step != nullptr) input.approval = approval_of_gate(*flow, *step, event.time_us());
  return input;
}

Delivery deliver_digest(const HookPlan& plan, TimeUs now, Position told, const EventLog& log,
                        const ViewReader& rows, Notice notice, const std::stop_token& stop) {
  const view::HookCursorT queue = digest_cursor(rows, plan.rule.name);
  auto span = span_since(log, queue, std::max(told, queue.digest_told), now);
  if (!span) return undeliverable(span.error());
  span->last = notice.position;
  const bool is_small = std::holds_alternative<Desktop>(plan.way);
  const DigestReader reader{plan.rule.projects, is_small ? kDesktopDigestBytes : kDigestBytes};
  const auto happened = write_digest(*span, reader, log, rows, notice);
  if (!happened) return undeliverable(happened.error());
  if (*happened || notice.position == 0) return deliver(plan, notice, stop);
  Delivery nothing;
  nothing.result.nobody = true;
  nothing.result.detail = "nothing happened";
  return nothing;
}

}  // namespace

Delivery notify(const HookPlan& plan, const EventLog& log, const ViewReader& rows, Position position,
                Position told, const std::stop_token& stop) {
  const auto bytes = read_event(log, position);
  if (!bytes) return undeliverable(bytes.error());
  const std::vector<std::uint64_t> aligned = [&] {
    std::vector<std::uint64_t> words((bytes->size() + 7) / 8);
    std::copy(bytes->begin(), bytes->end(), reinterpret_cast<char*>(words.data()));
    return words;
  }();
  const auto event = verify_event({reinterpret_cast<const std::uint8_t*>(aligned.data()), bytes->size()});
  if (!event) return undeliverable(event.error());
  const std::string_view id = job_of_stream(text((*event)->stream()));
  const auto job = id.empty() ? std::optional<view::JobT>() : find_job_row(rows, id);
  if (const Status read = rows.status(); !read) return undeliverable(read.error());
  const std::string_view flow = flow_of_stream(text((*event)->stream()));
  const auto input = flow.empty() ? input_of(**event, log, rows, id)
                                  : Result<NoticeInput>(input_of_flow(**event, rows, flow));
  if (!input) return undeliverable(input.error());
  const HookOn on = notified_as(plan.rule, hook_event(**event));
  Notice notice = make_notice(**event, on, job ? &*job : nullptr, *input, plan.name);
  if (on != HookOn::digest) return deliver(plan, notice, stop);
  return deliver_digest(plan, (*event)->time_us(), told, log, rows, std::move(notice), stop);
}

std::pair<std::string, Delivery> send_sample(const HookPlan& plan, const std::string& site, TimeUs now,
                                             const EventLog& log, const ViewReader& rows,
                                             const std::stop_token& stop) {
  if (plan.digests) {
    Notice notice = sample_notice(HookOn::digest, site, now, plan.name);
    std::string event = notice.event;
    return {std::move(event), deliver_digest(plan, now, 0, log, rows, std::move(notice), stop)};
  }
  // A queue may have nothing but escalations.
  const HookMask asked = plan.rule.on != 0 ? plan.rule.on : plan.rule.escalated;
  const Notice notice = sample_notice(static_cast<HookOn>(std::countr_zero(asked)), site, now, plan.name);
  return {notice.event, deliver(plan, notice, stop)};
}

}  // namespace luzia
