// hooks: lists notification channels with position and failures, and tests one.
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "projections/rows/row_tables.h"
#include "tools/cli/terminal.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

Result<int> list_hooks(Invocation& invocation) {
  auto client = LUZIA_TRY(invocation.connect());
  wire::QueryT query = view_query(wire::View::hooks);
  const auto page = LUZIA_TRY(ask_rows(invocation, client, query));
  const auto hooks = page.as<view::HookCursor>();
  if (invocation.json()) {
    std::vector<std::string> objects;
    for (const view::HookCursor* hook : hooks) objects.push_back(hook_json(*hook, page.position()));
    print_line(list_json("hooks", objects, page.position(), page.next()));
  } else if (hooks.empty()) {
    invocation.say("no hooks are configured: add [[hooks]] or [[webhooks]] to luzia.toml");
  } else {
    print(hooks_table(hooks, page.position()).text(invocation.terminal().style()));
  }
  return 0;
}

Result<int> try_out(Invocation& invocation, const std::string& name) {
  auto client = LUZIA_TRY(invocation.connect());
  const auto reply = LUZIA_TRY(ask_control(client, wire::ControlAction::info, "hook " + name));
  const auto* progressed = reply->reply.AsProgressed();
  if (progressed == nullptr) {
    return fail(ErrorKind::trouble, "unexpected_reply",
                "testing hook '" + name + "': the daemon sent an unexpected answer",
                "use the same version of luzia and luziad");
  }
  if (invocation.json()) {
    JsonObject object;
    object.text("hook", name);
    object.boolean("delivered", !progressed->failed);
    object.text("message", progressed->message);
    print_line(object.take());
  } else {
    print_line(make_harmless(progressed->message, {.keep_newlines = true}));
  }
  return progressed->failed ? 1 : 0;
}

Result<int> run_hooks(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  const bool digest = invocation.args().has("digest");
  if (words.empty() && !digest) return list_hooks(invocation);
  if (words.size() != 2 || words.front() != "test") {
    return fail(ErrorKind::usage, "bad_usage", "hooks: expected no arguments, or test NAME",
                "luzia hooks; luzia hooks test NAME");
  }
  return try_out(invocation, words.back() + (digest ? "/digest" : ""));
}

constexpr Option kHooksOptions[] = {
    {"--digest", ValueKind::flag, "",
     "test: send what happened since the last digest; the next one comes at its time, and tells it again"}};

}  // namespace

const Command kHooksCommand = {
    "hooks",
    "Set up",
    "\ntest NAME [--digest]",
    "show notification channels: position, failures",
    "Hooks are configured as [[hooks]] (a command or the desktop), [[webhooks]] (an address) and [telegram] "
    "(a bot); push/DEVICE is a paired device that is notified by push. Each event is delivered in order and "
    "at least once. POSITION is the last event that was handled, LAG the number of events after it. "
    "NAME/urgent is the queue of notices exempt from quiet hours, NAME/digest that of digests. test sends a "
    "sample to a hook at once and shows the result; the exit code is 1 if the delivery failed.",
    "luzia hooks\nluzia hooks --json | jq '.hooks[] | select(.given_up > 0)'\nluzia hooks test desk\n"
    "luzia hooks test telegram --digest",
    kHooksOptions,
    {0, 2, Completes::hook},
    run_hooks,
    kNeedsStore,
    "it lists notification channels, which are about all jobs",
    "test"};

}  // namespace luzia
