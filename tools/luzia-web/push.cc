#include "tools/luzia-web/push.h"

#include "adapters/web_push/vapid_key.h"
#include "engine/base/base64url.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

/// A test waits for the push service.
constexpr std::chrono::milliseconds kTestPatience{18'000};

std::string channel_of(const std::string& device) {
  return "push/" + device;
}

/// How pushes to a device went, over both of its channels.
struct PushCounts {
  std::uint64_t delivered = 0, given_up = 0;
  TimeUs last_us = 0;
  std::string last_failure;
};

PushCounts counts_of(const std::vector<const view::HookCursor*>& rows, const std::string& channel) {
  PushCounts counts;
  for (const view::HookCursor* row : rows) {
    const std::string_view name = text(row->hook());
    if (name != channel && name != channel + "/urgent") continue;
    counts.delivered += row->delivered();
    counts.given_up += row->given_up();
    const bool newer = row->last_us() >= counts.last_us || counts.last_failure.empty();
    if (newer && !text(row->last_failure()).empty()) counts.last_failure = text(row->last_failure());
    counts.last_us = std::max(counts.last_us, row->last_us());
  }
  return counts;
}

void put_state(std::string& out, const std::string& key, const view::Device* row, const PushCounts& counts) {
  JsonObject object(out);
  object.text("key", key);
  object.boolean("subscribed", row != nullptr && !text(row->push_service()).empty());
  object.text_or_null("service", row == nullptr ? nullptr : row->push_service());
  object.strings("kinds", row == nullptr ? nullptr : row->push_kinds());
  object.text_or_null("ended", row == nullptr ? nullptr : row->push_note());
  object.number("delivered", counts.delivered);
  object.number("given_up", counts.given_up);
  object.text_or_null("last_failure", counts.last_failure);
  object.end();
  out += '\n';
}

/// Asks in the server's own name, because a device with projects of its own is shown no devices and no
/// channels.
Result<std::string> push_state_json(const DaemonDoor& door, const std::string& device, PushKey& key) {
  const std::string point = LUZIA_TRY(key.get());
  const auto source = LUZIA_TRY(door.source_as({}));
  const RowPage hooks_page = LUZIA_TRY(source->query(view_query(wire::View::hooks)));
  const auto hooks = LUZIA_TRY(rows_of<view::HookCursor>(hooks_page));
  wire::QueryT query = view_query(wire::View::devices);
  query.limit = static_cast<std::uint32_t>(kMaxLimit);
  const RowPage devices_page = LUZIA_TRY(source->query(query));
  const auto devices = LUZIA_TRY(rows_of<view::Device>(devices_page));
  const auto row = std::ranges::find_if(
      devices, [&device](const view::Device* each) { return text(each->device()) == device; });
  std::string out;
  put_state(out, point, row == devices.end() ? nullptr : *row, counts_of(hooks, channel_of(device)));
  return out;
}

Result<std::string> key_in(const nlohmann::json& body, const char* field) {
  auto bytes = from_base64url(body[field].get<std::string>());
  if (bytes) return std::move(*bytes);
  return fail(ErrorKind::usage, "bad_field", "the field " + std::string(field) + " is no base64url");
}

}  // namespace

Result<std::string> PushKey::get() {
  if (store_.empty())
    return fail(ErrorKind::trouble, "no_store", "this server does not know where the store is",
                "start it with luzia web start, or with --store");
  const std::lock_guard lock(mutex_);
  const auto pair = LUZIA_TRY(vapid_key(store_));
  return base64url(public_point(pair));
}

Answer push_state(const DaemonDoor& door, const std::string& device, PushKey& key) {
  return answer_with(push_state_json(door, device, key));
}

Answer push_test(const DaemonDoor& door, const std::string& device) {
  auto client = Client::connect(door.socket(), {kTestPatience, {}});
  if (!client) return problem(client.error());
  wire::ControlT control;
  control.action = wire::ControlAction::info;
  control.argument = "hook " + channel_of(device);
  const auto reply = client->ask(request_of(std::move(control)));
  if (!reply && reply.error().code == "no_such_hook")
    return problem({ErrorKind::refused, "no_push", "this device is not notified by push",
                    "subscribe it first: POST /v1/push/subscribe"},
                   409);
  if (!reply) return problem(reply.error());
  const auto* progressed = (*reply)->reply.AsProgressed();
  if (progressed == nullptr) return problem(unexpected_answer());
  Answer answer;
  JsonObject object(answer.body);
  object.boolean("delivered", !progressed->failed);
  object.text("message", progressed->message);
  object.end();
  answer.body += '\n';
  return answer;
}

Result<wire::RequestUnion> push_change(const Match& match, const nlohmann::json& body,
                                       const std::string& command_id) {
  wire::ActOnPushT order;
  order.command_id = command_id;
  if (match.route->pattern.ends_with("/unsubscribe")) {
    order.action = wire::PushAction::unsubscribe;
    return request_of(std::move(order));
  }
  const std::string key = LUZIA_TRY(key_in(body, "p256dh")), auth = LUZIA_TRY(key_in(body, "auth"));
  order.endpoint = body["endpoint"].get<std::string>();
  order.key.assign(key.begin(), key.end());
  order.auth.assign(auth.begin(), auth.end());
  order.kinds = body.contains("kinds") ? body["kinds"].get<std::vector<std::string>>()
                                       : std::vector<std::string>{"asks"};
  return request_of(std::move(order));
}

}  // namespace luzia::web
