// verify and backup.
#include <filesystem>

#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-query/commands.h"

namespace luzia {
namespace {

/// {"ok":true,"code":null,"message":"..."}
std::string verdict_json(bool ok, std::string_view code, std::string_view message, std::string_view hint) {
  JsonObject json;
  json.boolean("ok", ok);
  json.text_or_null("code", code);
  json.text("message", message);
  json.text_or_null("hint", hint);
  return json.take();
}

Result<int> print_verdict(Session& session, const Result<std::string>& verdict) {
  constexpr int kFaulty = 1;
  Console& console = session.console();
  const bool ok = verdict.has_value();
  const std::string& message = ok ? *verdict : verdict.error().message;
  const std::string& hint = ok ? std::string() : verdict.error().hint;
  if (session.options().format == Format::json) {
    LUZIA_TRY(console.write_line(verdict_json(ok, ok ? "" : verdict.error().code, message, hint)));
  } else {
    LUZIA_TRY(console.write_line((ok ? "sound: " : "FAULTY: ") + message));
    if (!hint.empty()) console.say("  hint: " + hint);
  }
  return ok ? 0 : kFaulty;
}

}  // namespace

Result<int> run_verify(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  auto verdict = source->verify(session.progress());
  if (!verdict && !is_finding(verdict.error())) return tl::unexpected(verdict.error());
  return print_verdict(session, verdict);
}

Result<int> run_backup(Session& session) {
  std::error_code error;
  const auto target = std::filesystem::absolute(session.options().name, error).lexically_normal().string();
  if (error || session.options().name.empty()) {
    return fail(ErrorKind::usage, "bad_target",
                "'" + session.options().name + "' is not a usable target folder");
  }
  Source* const source = LUZIA_TRY(session.source());
  const auto copied = LUZIA_TRY(source->backup(target, session.progress()));
  Console& console = session.console();
  if (session.options().format == Format::json) {
    JsonObject json;
    json.text("target", target);
    json.text("message", copied);
    LUZIA_TRY(console.write_line(json.take()));
  } else {
    LUZIA_TRY(console.write_line(copied));
    console.say("to inspect or restore it, use it as a store: --store " + target);
  }
  return 0;
}

}  // namespace luzia
