// seal: signs how far the log goes now, for a file that lies elsewhere.
#include "engine/base/try.h"
#include "engine/log/seal_files.h"
#include "projections/rows/json_object.h"
#include "tools/cli/invocation.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/store_source.h"

namespace luzia {
namespace {

/// The key is made only for a store whose log opens, so a mistyped store leaves nothing behind.
Result<Tip> end_to_seal(const std::string& store) {
  auto tip = acknowledged_tip(store);
  if (!tip) LUZIA_TRY(open_log_for_reading(store));  // says it better
  return tip;
}

/// The end of the log as it was acknowledged, which no later read and no loss of power takes back.
Result<Seal> head_to_seal(const std::string& store, const Tip& tip, TimeUs now) {
  if (tip.position == 0) {
    return fail(ErrorKind::refused, "nothing_to_seal", "the store " + store + " has no events yet");
  }
  const auto log = LUZIA_TRY(open_log_for_reading(store));
  const auto group = LUZIA_TRY(log->read_from(tip.position)->next());
  if (!group || group->last_position() != tip.position || group->chain() != tip.chain) {
    return fail(
        ErrorKind::trouble, "watermark_mismatch",
        "the log has another chain at position " + std::to_string(tip.position) + " than acknowledged",
        "luzia-query verify says what is wrong");
  }
  auto identity = LUZIA_TRY(identity_of(*log));
  return Seal{std::move(identity), tip, now};
}

Status print_seal(Session& session, const Seal& seal, const std::string& line, const std::string& file) {
  Console& console = session.console();
  if (session.options().format != Format::json) {
    return console.write_line("sealed position " + std::to_string(seal.tip.position) + " in " + file);
  }
  JsonObject json;
  json.number("position", seal.tip.position);
  json.time("time", seal.time);
  json.text("chain", to_hex(seal.tip.chain));
  json.text("file", file);
  json.text("seal", line);
  return console.write_line(json.take());
}

}  // namespace

Result<int> run_seal(Session& session) {
  const Arguments& args = session.invocation().args();
  LUZIA_TRY(need_store(session.store()));
  for (const char* option : {"to", "key"}) {
    if (!args.has(option) || !args.text(option).empty()) continue;
    return fail(ErrorKind::usage, "bad_value", std::string("--") + option + " needs a file",
                "leave it out for the store's own");
  }
  if (args.has("public") && args.has("to")) {
    return fail(ErrorKind::usage, "bad_usage", "--public prints the key and seals nothing", "leave out --to");
  }
  const Tip tip = LUZIA_TRY(end_to_seal(session.store()));
  const auto key = LUZIA_TRY(seal_key(args.has("key") ? args.text("key") : session.store() + "/seal.key"));
  if (args.has("public")) {
    const std::string text = public_key_text(key.public_key());
    JsonObject json;
    json.text("key", text);
    LUZIA_TRY(session.console().write_line(session.options().format == Format::json ? json.take() : text));
    return 0;
  }
  const auto seal = LUZIA_TRY(head_to_seal(session.store(), tip, session.invocation().now()));
  const std::string line = key.sign(seal);
  const std::string file = args.has("to") ? args.text("to") : session.store() + ".seals";
  LUZIA_TRY(append_seal(file, line));
  LUZIA_TRY(print_seal(session, seal, line, file));
  return 0;
}

}  // namespace luzia
