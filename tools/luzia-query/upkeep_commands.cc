// verify, backup and archive.
#include <fcntl.h>

#include <cerrno>
#include <filesystem>

#include "engine/base/counted.h"
#include "engine/base/descriptor.h"
#include "engine/base/try.h"
#include "engine/log/check_seals.h"
#include "engine/log/rocks_event_log.h"
#include "projections/rows/json_object.h"
#include "projections/stream_events.h"
#include "tools/cli/invocation.h"
#include "tools/luzia-query/commands.h"
#include "tools/luzia-query/store_source.h"

namespace luzia {
namespace {

constexpr int kFaulty = 1;

std::string words_of(const SealReport& report) {
  if (report.failed > 0) {
    return counted(report.failed, "seal") + " of " + grouped(report.seals) +
           (report.failed == 1 ? " does" : " do") + " not hold";
  }
  if (report.seals == 0) return "the file holds no seal";
  return counted(report.seals, "seal holds", "seals hold") + ", the newest at position " +
         std::to_string(report.newest.tip.position) + " of " + format_rfc3339(report.newest.time);
}

/// {"ok":true,"code":null,"message":"...","hint":null}, with --seals also what they say.
std::string verdict_json(const Result<std::string>& verdict, const std::optional<SealReport>& seals) {
  const bool ok = verdict.has_value();
  JsonObject json;
  json.boolean("ok", ok && (!seals || seals->holds()));
  json.text_or_null("code", ok ? std::string() : verdict.error().code);
  json.text("message", ok ? *verdict : verdict.error().message);
  json.text_or_null("hint", ok ? std::string() : verdict.error().hint);
  if (!seals) return json.take();
  json.text("seals", words_of(*seals));
  json.number("seals_checked", seals->seals);
  json.number("seals_failed", seals->failed);
  json.number_or_null("sealed_position", seals->newest.tip.position);
  json.time("sealed_time", seals->newest.time);
  json.objects("seal_faults", seals->faults, [](JsonObject& fault_json, const SealFault& fault) {
    fault_json.number("line", fault.line);
    fault_json.number_or_null("position", fault.position);
    fault_json.text("code", fault.code);
    fault_json.text("message", fault.message);
  });
  return json.take();
}

Status print_seals(Console& console, const SealReport& report) {
  LUZIA_TRY(console.write_line((report.holds() ? "sound: " : "FAULTY: ") + words_of(report)));
  for (const SealFault& fault : report.faults) LUZIA_TRY(console.write_line("  " + fault_words(fault)));
  if (report.failed > report.faults.size()) {
    LUZIA_TRY(console.write_line("  and " + grouped(report.failed - report.faults.size()) + " more"));
  }
  return {};
}

Result<int> print_verdict(Session& session, const Result<std::string>& verdict,
                          const std::optional<SealReport>& seals) {
  Console& console = session.console();
  const bool ok = verdict && (!seals || seals->holds());
  if (session.options().format == Format::json) {
    LUZIA_TRY(console.write_line(verdict_json(verdict, seals)));
    return ok ? 0 : kFaulty;
  }
  LUZIA_TRY(console.write_line(verdict ? "sound: " + *verdict : "FAULTY: " + verdict.error().message));
  if (!verdict && !verdict.error().hint.empty()) console.say("  hint: " + verdict.error().hint);
  if (seals) LUZIA_TRY(print_seals(console, *seals));
  return ok ? 0 : kFaulty;
}

/// A file of seals, and the key that must have signed them.
struct Witness {
  std::string seals;
  SealPublicKey key;
};

/// nullopt: neither --seals nor --key is given.
Result<std::optional<Witness>> witness_of(const Arguments& args) {
  if (!args.has("seals") && !args.has("key")) return std::nullopt;
  if (!args.has("seals") || !args.has("key")) {
    return fail(ErrorKind::usage, "bad_usage", "--seals FILE and --key KEY go together",
                "luzia-query seal --public prints the key; keep it where the seals lie");
  }
  const auto key = LUZIA_TRY(parse_public_key(args.text("key")));
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  const std::string path = args.text("seals");
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto text = file ? read_up_to(file.get(), kMostBytes) : std::nullopt;
  if (!text) return fail_errno(errno, "seals_unreadable", "cannot read the seals in " + path);
  if (text->size() == kMostBytes) {
    return fail(ErrorKind::usage, "seals_too_large", path + " is too large for a file of seals (256 MiB)",
                "split it by lines and verify each part");
  }
  return Witness{std::move(*text), key};
}

Result<std::optional<SealReport>> check_witness(Session& session, const std::optional<Witness>& witness) {
  if (!witness) return std::nullopt;
  LUZIA_TRY(need_store(session.store()));
  const auto log = LUZIA_TRY(open_log_for_reading(session.store()));
  const Position total = log->tip().position;
  return LUZIA_TRY(check_seals(*log, witness->seals, witness->key, [&](Position position) {
    session.console().show_progress("comparing with the seals", position, total);
  }));
}

/// Whether the log continues the archive; if it does, says so.
Result<std::string> check_archive(Session& session, const std::string& archive) {
  LUZIA_TRY(need_store(session.store()));
  const auto earlier = LUZIA_TRY(open_log_for_reading(archive));
  const auto log = LUZIA_TRY(open_log_for_reading(session.store()));
  const Tip end = earlier->tip();
  const auto there = LUZIA_TRY(last_group_end(*log, end.position));
  if (there == end) return "it continues the archive, which ends at position " + std::to_string(end.position);
  return fail(
      ErrorKind::trouble, "archive_differs",
      "the log does not continue the archive " + archive + ", which ends at position " +
          std::to_string(end.position) + ": the log " +
          (there.position == end.position ? "has another chain there" : "has no group that ends there"),
      "one of the two is of another store, was cut, or was rewritten");
}

}  // namespace

Result<int> run_verify(Session& session) {
  const auto witness = LUZIA_TRY(witness_of(session.invocation().args()));
  Source* const source = LUZIA_TRY(session.source());
  auto verdict = source->verify(session.progress());
  if (!verdict && !is_finding(verdict.error())) return tl::unexpected(verdict.error());
  if (const std::string archive = session.invocation().args().text("archive"); verdict && !archive.empty()) {
    auto continues = check_archive(session, archive);
    if (!continues && continues.error().code != "archive_differs") return tl::unexpected(continues.error());
    verdict = continues ? Result<std::string>(*verdict + "; " + *continues) : continues;
  }
  auto seals = check_witness(session, witness);
  // A log that cannot be opened was found faulty already, and that is the answer.
  if (!seals && verdict) return tl::unexpected(seals.error());
  return print_verdict(session, verdict, seals ? *seals : std::nullopt);
}

namespace {

/// The absolute path of the folder that is named.
Result<std::string> target_of(const Session& session) {
  std::error_code error;
  const std::string& name = session.options().name;
  const auto target = std::filesystem::absolute(name, error).lexically_normal().string();
  if (!error && !name.empty()) return target;
  return fail(ErrorKind::usage, "bad_target", "'" + name + "' is not a usable target folder");
}

/// Refuses an archive up to `last` if the log begins later.
Status check_old_enough(const EventLog& log, Position last) {
  const Position base = log.base().position;
  if (last > base) return {};
  std::string begins = "the log has no event";
  LUZIA_TRY(visit_events(log, {base + 1}, [&](const schema::Event& event, Bytes) {
    begins = "the oldest event, at position " + std::to_string(event.position()) + ", is of " +
             format_rfc3339(event.time_us());
    return false;
  }));
  return fail(ErrorKind::refused, "nothing_to_archive", "no event is as old as --until: " + begins,
              "name a later time or position");
}

}  // namespace

Result<int> run_archive(Session& session) {
  const auto target = LUZIA_TRY(target_of(session));
  const auto until = session.invocation().args().place("until");
  if (!until) {
    return fail(ErrorKind::usage, "bad_usage", "archive: up to which position or time?",
                "luzia-query archive DIR --until 2026-01-01");
  }
  LUZIA_TRY(need_store(session.store()));
  const auto log = LUZIA_TRY(open_log_for_reading(session.store()));
  const Position last = LUZIA_TRY(position_of(*log, *until));
  LUZIA_TRY(check_old_enough(*log, last));
  session.progress()("copying and verifying", 0, 0);
  const auto report = LUZIA_TRY(archive_log(*log, last, target));
  Console& console = session.console();
  if (session.options().format == Format::json) {
    JsonObject json;
    json.text("target", target);
    json.number("position", report.tip.position);
    json.text("chain", to_hex(report.tip.chain));
    json.number("events", report.events);
    json.number("lost_texts", report.lost_texts);
    LUZIA_TRY(console.write_line(json.take()));
    return 0;
  }
  LUZIA_TRY(console.write_line("archived and verified " + counted(report.events, "event") +
                               " up to position " + std::to_string(report.tip.position) + " to " + target));
  console.say("to read it, use it as a store: --store " + target);
  return 0;
}

Result<int> run_backup(Session& session) {
  const auto target = LUZIA_TRY(target_of(session));
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
