// web: starts and stops luzia-web, and pairs and revokes the devices that use it.
#include "engine/base/characters.h"
#include "engine/base/local_time.h"
#include "engine/base/try.h"
#include "engine/device/device.h"
#include "projections/rows/json_object.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"
#include "tools/luzia/web/link.h"
#include "tools/luzia/web/web_program.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

constexpr Option kListenOption{"--listen", ValueKind::text, "ADDRESS:PORT",
                               "instead of [web] listen; port 0: any"};
constexpr Option kRoleOption{"--role", ValueKind::choice, "ROLE",
                             "viewer reads; operator (default) also dispatches, answers and acts; admin also "
                             "pairs and revokes devices",
                             "viewer|operator|admin"};
constexpr Option kNameOption{"--name", ValueKind::text, "NAME", "of the device; default: it names itself"};
constexpr Option kPersonOption{"--person", ValueKind::text, "NAME",
                               "who uses it, named in what it does; default: you"};
constexpr Option kProjectsOption{"--project", ValueKind::list,
                                 "NAME",      "it sees and changes only this project; can be repeated",
                                 "",          Completes::project};

void print_web(Invocation& invocation, const RunningWeb& web) {
  if (!invocation.json()) return print_line(web.url);
  JsonObject json;
  json.boolean("running", true);
  json.text("url", web.url);
  json.number("pid", web.pid);
  json.text_or_null("started", web.started);
  print_line(json.take());
}

Result<int> run_start(Invocation& invocation) {
  if (invocation.args().has("fg")) {
    LUZIA_TRY(become_web(invocation));
  }
  const auto web = LUZIA_TRY(start_web(invocation));
  print_web(invocation, web);
  invocation.say("nobody gets in without a code: luzia web open, luzia web pair");
  return 0;
}

Result<int> run_status(Invocation& invocation) {
  const std::string store = LUZIA_TRY(store_for_web(invocation));
  const auto web = LUZIA_TRY(find_web(store));
  if (web) {
    print_web(invocation, *web);
    return 0;
  }
  print_line(invocation.json() ? "{\"running\":false}" : "not running");
  return 1;
}

Result<int> refuse_bare(Invocation& /*invocation*/) {
  return fail(ErrorKind::usage, "bad_usage",
              "web needs one of start, open, pair, devices, revoke, status, stop",
              "luzia web open; a project called web needs a task: luzia web \"TASK\"");
}

Result<int> run_stop(Invocation& invocation) {
  const std::string store = LUZIA_TRY(store_for_web(invocation));
  const bool stopped = LUZIA_TRY(stop_web(store));
  const Config* config = invocation.config_of_daemon();
  const bool kept = config != nullptr && config->web.enabled;
  invocation.say(!stopped ? "luzia-web does not run"
                 : kept   ? "stopped; the daemon starts it again while [web] enabled = true"
                          : "stopped");
  return 0;
}

Result<wire::PairingOfferedT> offer_pairing(Invocation& invocation) {
  const Arguments& args = invocation.args();
  for (const auto& [option, otherwise] :
       {std::pair("name", "the device says what it is"), {"person", "it is yours"}, {"project", "all"}}) {
    if (!args.has(option) || !(is_blank(args.text(option)) || args.list(option).empty())) continue;
    return fail(ErrorKind::usage, "bad_value", "--" + std::string(option) + " is empty",
                "leave it out (" + std::string(otherwise) + "), or name it");
  }
  wire::OfferPairingT request;
  const std::string role = args.text("role");
  request.role =
      role.empty() ? schema::DeviceRole::operator_ : parse_role(role).value_or(schema::DeviceRole::viewer);
  request.name = args.text("name");
  request.person = args.text("person");
  request.projects = args.list("project");
  auto client = LUZIA_TRY(invocation.connect());
  auto reply = LUZIA_TRY(client.ask(request_of(std::move(request))));
  auto* offered = reply->reply.AsPairingOffered();
  if (offered == nullptr) return fail(ErrorKind::trouble, "unexpected_reply", "the daemon sent no code");
  return std::move(*offered);
}

/// Prints the code and the link; a person also sees the QR code. With `browser`, opens the link there.
Result<int> offer_and_print(Invocation& invocation, bool browser) {
  const WebListening listening = LUZIA_TRY(web_listening(invocation));
  const auto offered = LUZIA_TRY(offer_pairing(invocation));  // before anything starts: it says who may
  const std::string store = LUZIA_TRY(store_for_web(invocation));
  const auto web = LUZIA_TRY(start_web(invocation));
  const std::string page = browser ? web.url : page_address(web.url, listening);
  const std::string link = page + "/#code=" + offered.code;
  if (invocation.json()) {
    JsonObject json;
    json.text("code", offered.code);
    json.text("url", link);
    json.time("until", offered.until_us);
    print_line(json.take());
  } else {
    print_line(link);
    print(qr_code(invocation, link));
    if (!browser) print_line("code " + offered.code);
  }
  const Status opened = browser ? open_in_browser(invocation, store, link) : Status();
  if (!opened) {
    invocation.say("no browser was found (" + opened.error().message +
                   "): open the link above in one on this machine, or pair another device: luzia web pair");
  }
  invocation.say(std::string(browser && opened ? "opened in your browser; " : "") +
                 "the code is good for one device, until " + local_time(offered.until_us, TimePart::minute));
  if (!browser) invocation.say(how_to_pair(page, listening));
  return 0;
}

Result<int> run_open(Invocation& invocation) {
  return offer_and_print(invocation, true);
}

Result<int> run_pair(Invocation& invocation) {
  return offer_and_print(invocation, false);
}

Result<int> run_revoke(Invocation& invocation) {
  wire::RevokeDeviceT request;
  request.device = invocation.args().positionals().front();
  request.note = invocation.args().text("note");
  request.command_id = command_id_of(invocation.args());
  auto client = LUZIA_TRY(invocation.connect());
  const auto accepted = LUZIA_TRY(send_command(invocation, client, request_of(std::move(request))));
  print_line(invocation.json() ? accepted_json(accepted) : accepted.ids.empty() ? "" : accepted.ids.front());
  invocation.say(accepted.known ? "it was revoked already" : "revoked: it has no access any more");
  return 0;
}

constexpr Option kStartOptions[] = {kListenOption,
                                    {"--fg", ValueKind::flag, "", "become luzia-web, for a service manager"}};
constexpr Option kPairOptions[] = {kRoleOption, kNameOption, kPersonOption, kProjectsOption, kListenOption};
constexpr Option kRevokeOptions[] = {
    {"--note", ValueKind::text, "TEXT", "why, for the record"},
    {"--command-id", ValueKind::text, "ID", "repeating a command id has no further effect"}};

constexpr Command part(std::string_view name, std::string_view synopsis, std::string_view summary,
                       std::string_view examples, std::span<const Option> options, Positionals words,
                       Result<int> (*run)(Invocation&), bool needs_store) {
  return {name, "Set up", synopsis, summary, "", examples, options, words, run, needs_store};
}

const Command kWebParts[] = {
    part("web start", "[--listen ADDRESS:PORT] [--fg]", "start luzia-web, and print its address",
         "luzia web start\nluzia web start --listen 127.0.0.1:0 --json", kStartOptions, {}, run_start, false),
    part("web open", "[--role ROLE] [--name NAME] [--person NAME] [--project NAME]...",
         "start luzia-web if needed, and pair this machine's browser", "luzia web open", kPairOptions, {},
         run_open, false),
    part("web pair", "[--role ROLE] [--name NAME] [--person NAME] [--project NAME]...",
         "print a one-time code and a link that pair one device",
         "luzia web pair --name phone\nluzia web pair --role viewer --project web --json", kPairOptions, {},
         run_pair, false),
    kWebDevicesCommand,
    part("web revoke", "DEVICE [--note TEXT]", "end a device's access at once",
         "luzia web revoke phone\nluzia web revoke d-1qfar2zr00c6x --note 'lost in the train'",
         kRevokeOptions, {1, 1}, run_revoke, kNeedsStore),
    part("web status", "", "say whether luzia-web runs, and where", "luzia web status --json", {}, {},
         run_status, false),
    part("web stop", "", "stop luzia-web", "luzia web stop", {}, {}, run_stop, false),
};

}  // namespace

bool is_web_word(std::string_view word) {
  return std::ranges::any_of(kWebParts, [word](const Command& each) { return each.name.substr(4) == word; });
}

std::vector<std::string> web_words() {
  std::vector<std::string> words;
  for (const Command& each : kWebParts) words.emplace_back(each.name.substr(4));
  return words;
}

const Command kWebCommand = {
    "web",
    "Set up",
    "start | open | pair | devices | revoke DEVICE | status | stop",
    "see and steer jobs in the browser and on the phone",
    "luzia-web serves a page and an HTTP API at 127.0.0.1; [web] in luzia.toml says where else, and has the "
    "daemon keep it running. A device gets in by a code of luzia web open or pair, which is good once and "
    "for five minutes; it keeps a token. Its role says what it may do, and everybody who is told of alerts "
    "learns of "
    "it. A project called web still takes tasks: luzia web \"TASK\".",
    "luzia web open\nluzia web pair --role viewer --name tablet\nluzia web devices\nluzia web revoke tablet",
    {},
    {0, 0},
    refuse_bare,
    false,
    {},
    "start|open|pair|devices|revoke|status|stop",
    {},
    nullptr,
    kWebParts};

}  // namespace luzia
