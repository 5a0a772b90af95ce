// alert: ends alerts of the machine that scripts published.
#include "engine/base/try.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

Result<int> run_alert(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  if (words.front() != "clear") {
    return fail(ErrorKind::usage, "bad_usage", "alert: unknown action '" + words.front() + "'",
                "luzia alert clear [ALERT...]; luzia status --alerts lists them");
  }
  wire::ClearAlertsT request;
  request.alerts.assign(words.begin() + 1, words.end());
  auto client = LUZIA_TRY(invocation.connect());
  const auto reply = LUZIA_TRY(client.ask(request_of(std::move(request))));
  const auto* accepted = reply->reply.AsAccepted();
  if (accepted == nullptr) return fail(ErrorKind::trouble, "unexpected_reply", "the daemon sent no answer");
  for (const std::string& name : accepted->ids) print_line(name);
  invocation.say(accepted->ids.empty() ? "no published alert is open" : "cleared");
  return 0;
}

}  // namespace

const Command kAlertCommand = {
    "alert",
    "Change",
    "clear [ALERT...]",
    "clear published alerts of the machine",
    "ALERT is the name that luzia status shows: the alert_type in small letters. Without one, all "
    "published alerts are cleared; their names are printed. Alerts that Luzia measures end by themselves.",
    "luzia publish system_alert --alert-type BACKUP_FAILED --message 'no backup since Monday'\n"
    "luzia alert clear backup_failed",
    {},
    {1, -1},
    run_alert,
    kNeedsStore,
    "alerts are those of the whole machine\nluzia status --alerts takes these filters",
    "clear"};

}  // namespace luzia
