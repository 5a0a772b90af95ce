#include "tools/luzia-fleet/order_request.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "adapters/socket/frame.h"
#include "engine/base/ids.h"
#include "engine/base/try.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kMostIdBytes = 100;

tl::unexpected<Error> no_order(const std::string& what) {
  return fail(ErrorKind::refused, "not_an_order", what + " is no order that machines of a fleet take",
              "they take dispatch, answer, approve, deny, cancel and retry, with the whole id of a job");
}

tl::unexpected<Error> bad_order(const std::string& why, const std::string& hint = {}) {
  return fail(ErrorKind::usage, "bad_order", "this cannot be an order: " + why, hint);
}

/// What would choose for the other machine what only its own people may, or names things of this one.
Status check_ordered_job(const wire::DispatchJobT& job) {
  const auto without = [](bool given, const char* what) -> Status {
    if (!given) return {};
    return bad_order(std::string(what) + " cannot be chosen for a machine of a fleet",
                     "its own configuration says so; leave it out");
  };
  if (job.project.empty()) return bad_order("it names no project", "luzia --on fleet:any PROJECT \"TASK\"");
  LUZIA_TRY(without(!job.user.empty(), "--user"));
  LUZIA_TRY(without(!job.dir.empty(), "--dir"));
  LUZIA_TRY(without(!job.flow.empty() || !job.step.empty(), "--flow"));
  LUZIA_TRY(without(!job.parent_job.empty(), "a parent of the job"));
  LUZIA_TRY(without(job.interactive || job.terminal != schema::Terminal::none, "--fg"));
  LUZIA_TRY(without(job.enqueued_us != 0 || !job.enqueued_by.empty() || !job.skill_match.empty(),
                    "the job's origin in another queue"));
  return without(!job.order.empty(), "the order that holds it");
}

Result<OrderedRequest> about_job(const char* kind, const std::string& command_id, const std::string& job) {
  if (!is_job_id(job))
    return bad_order("'" + job + "' is not the whole id of a job",
                     "luzia.jobs in the fleet's database has them");
  return OrderedRequest{kind, command_id, {}, job};
}

Result<OrderedRequest> order_of_dispatch(const wire::DispatchT& dispatch) {
  if (dispatch.dry_run) return no_order("a dry run");
  if (dispatch.jobs.size() != 1) {
    return bad_order("it dispatches " + std::to_string(dispatch.jobs.size()) + " jobs",
                     "dispatch them one after the other");
  }
  const wire::DispatchJobT& job = *dispatch.jobs.front();
  LUZIA_TRY(check_ordered_job(job));
  return OrderedRequest{"dispatch", job.command_id, job.project, {}};
}

Result<OrderedRequest> order_of_action(const wire::ActOnJobsT& action) {
  const bool cancels = action.action == wire::JobAction::cancel;
  if (!cancels && action.action != wire::JobAction::retry) return no_order("this change of a job");
  if (action.jobs.size() != 1) return bad_order("it is about several jobs", "name one job");
  if (!action.order.empty()) return bad_order("it releases a job");
  return about_job(cancels ? "cancel" : "retry", action.command_id, action.jobs.front());
}

Result<OrderedRequest> unchecked_order(const wire::RequestUnion& request) {
  if (const auto* dispatch = request.AsDispatch()) return order_of_dispatch(*dispatch);
  if (const auto* action = request.AsActOnJobs()) return order_of_action(*action);
  if (const auto* answer = request.AsAnswerQuestion()) {
    if (!answer->from_job.empty()) return bad_order("a job answers it");
    return about_job("answer", answer->command_id, answer->job);
  }
  if (const auto* decision = request.AsDecideApproval()) {
    if (!decision->from_job.empty()) return bad_order("a job decides it");
    return about_job("approve", decision->command_id, decision->job);
  }
  return no_order(std::string("a ") + wire::EnumNameRequest(request.type));
}

/// Aligned, as FlatBuffers need it.
std::vector<std::uint64_t> aligned_copy(std::string_view bytes) {
  std::vector<std::uint64_t> copy((bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

Bytes bytes_in(const std::vector<std::uint64_t>& copy, std::size_t size) {
  return {reinterpret_cast<const std::uint8_t*>(copy.data()), size};
}

std::string without_header(std::string frame) {
  return frame.substr(kFrameHeaderBytes);
}

}  // namespace

Result<OrderedRequest> order_of(const wire::RequestUnion& request) {
  auto found = LUZIA_TRY(unchecked_order(request));
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
  if (found.command_id.empty() || found.command_id.size() > kMostIdBytes ||
      !std::ranges::all_of(found.command_id, is_plain)) {
    return bad_order("its command id is empty, over 100 bytes, or has spaces, # or other than ASCII");
  }
  return found;
}

std::string order_bytes(const wire::RequestUnion& request) {
  wire::ClientFrameT frame;
  frame.request = request;
  return without_header(encode(frame));
}

Result<wire::RequestUnion> parse_order(std::string_view bytes) {
  const auto damaged = [] {
    return fail(ErrorKind::refused, "bad_order", "the order's request is damaged, or is over 1 MiB");
  };
  if (bytes.empty() || bytes.size() > kMostOrderBytes) return damaged();
  const auto copy = aligned_copy(bytes);
  const auto frame = parse_client_frame(bytes_in(copy, bytes.size()));
  if (!frame || (*frame)->request() == nullptr) return damaged();
  const std::unique_ptr<wire::ClientFrameT> whole((*frame)->UnPack());
  return whole->request;
}

std::string reply_bytes(wire::ReplyUnion reply) {
  wire::ServerFrameT frame;
  frame.reply = std::move(reply);
  return without_header(encode(frame));
}

wire::ReplyUnion reply_of(const Error& error) {
  wire::RefusedT refused;
  refused.code = error.code;
  refused.message = error.message;
  refused.hint = error.hint;
  refused.exit_code = static_cast<std::uint8_t>(error.kind);
  wire::ReplyUnion reply;
  reply.Set(std::move(refused));
  return reply;
}

Result<wire::ReplyUnion> parse_reply(std::string_view bytes) {
  const auto copy = aligned_copy(bytes);
  const bool fits = !bytes.empty() && bytes.size() <= kMostOrderBytes;
  const auto frame = fits ? parse_server_frame(bytes_in(copy, bytes.size())) : tl::unexpected(Error());
  const bool answers =
      frame && ((*frame)->reply_as_Accepted() != nullptr || (*frame)->reply_as_Refused() != nullptr);
  if (!answers) {
    return fail(ErrorKind::trouble, "bad_reply", "the machine's reply to the order is damaged",
                "luzia-fleet orders shows what became of it");
  }
  std::unique_ptr<wire::ServerFrameT> whole((*frame)->UnPack());
  if (auto* accepted = whole->reply.AsAccepted()) {
    // Scripts use them as they stand.
    std::erase_if(accepted->ids, [](const std::string& id) { return !is_plain_line(id, 2 * kMostIdBytes); });
  }
  return std::move(whole->reply);
}

std::string bytes_of_hex(std::string_view text) {
  std::string bytes;
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  }
  return bytes;
}

std::string claim_name(const std::string& id, std::int64_t fence) {
  return id + "#" + std::to_string(fence);
}

void stamp_order(wire::RequestUnion& request, const std::string& id, std::int64_t fence,
                 const std::string& person) {
  const std::string command = "fleet." + id;
  if (auto* dispatch = request.AsDispatch()) {
    wire::DispatchJobT& job = *dispatch->jobs.front();
    job.order = claim_name(id, fence);
    job.command_id = "fleet." + job.order;
    job.at_terminal = false;  // that terminal is not here
  }
  if (auto* action = request.AsActOnJobs()) {
    action->command_id = command;
    // The same for each claim, as the command is. The daemon then knows that the fleet asks.
    if (action->action == wire::JobAction::retry) action->order = id;
  }
  if (auto* answer = request.AsAnswerQuestion()) {
    answer->command_id = command;
    answer->order = id;
    answer->person = person;
  }
  if (auto* decision = request.AsDecideApproval()) {
    decision->command_id = command;
    decision->order = id;
    decision->person = person;
  }
}

}  // namespace luzia
