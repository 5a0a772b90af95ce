// salvage: copies the provable part of a damaged store to a new store.
#include <filesystem>

#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/log/salvage.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-query/commands.h"

namespace luzia {
namespace {

constexpr std::string_view kUnknownEnd =
    "it is unknown how far the log was acknowledged: the store's watermark is missing or damaged";

std::string stretch_words(const SalvageReport::Stretch& stretch) {
  if (stretch.from == stretch.to) return "event " + std::to_string(stretch.from);
  return "events " + std::to_string(stretch.from) + " to " + std::to_string(stretch.to);
}

/// What the copy does not contain, a sentence each.
std::vector<std::string> missing_words(const SalvageReport& report) {
  std::vector<std::string> lines;
  if (!report.acknowledged) {
    lines.emplace_back(kUnknownEnd);
  } else if (*report.acknowledged > report.copied.position) {
    lines.push_back("missing: " + stretch_words({report.copied.position + 1, *report.acknowledged}) +
                    ", which were acknowledged");
  }
  if (!report.fault.empty()) lines.push_back("the copy ends there because " + report.fault);
  if (!report.rebuild_fault.empty()) {
    lines.push_back("the old store may hold more: rebuilding its index failed: " + report.rebuild_fault);
  }
  for (const auto& stretch : report.unproved) {
    lines.push_back("not copied: " + stretch_words(stretch) +
                    ", which the old store can read but not link to the proven part of the log");
  }
  for (const auto& text : report.lost_texts) {
    lines.push_back("lost: text " + std::to_string(text.index) + " of event " + std::to_string(text.event));
  }
  return lines;
}

std::string report_json(const SalvageReport& report, const std::string& target) {
  JsonObject json;
  json.text("target", target);
  json.boolean("complete", report.complete());
  json.number("copied_until", report.copied.position);
  json.optional("acknowledged_until", report.acknowledged);
  json.text_or_null("fault", report.fault);
  json.objects("unproved", report.unproved, [](JsonObject& json, const auto& stretch) {
    json.number("from", stretch.from);
    json.number("to", stretch.to);
  });
  json.objects("lost_texts", report.lost_texts, [](JsonObject& json, const auto& text) {
    json.number("event", text.event);
    json.number("index", text.index);
  });
  json.boolean("index_rebuilt", report.index_rebuilt);
  json.text_or_null("rebuild_fault", report.rebuild_fault);
  return json.take();
}

Status print_report(Console& console, const SalvageReport& report, const std::string& target) {
  const auto copied = "copied and verified " + counted(report.copied.position, "event") + " in " +
                      counted(report.groups, "group") + " to " + target;
  LUZIA_TRY(console.write_line(report.complete() ? copied + ": nothing is missing" : copied));
  for (const std::string& line : missing_words(report)) {
    LUZIA_TRY(console.write_line(line));
  }
  return {};
}

}  // namespace

Result<int> run_salvage(Session& session) {
  constexpr int kSomethingMissing = 1;
  std::error_code error;
  auto path = std::filesystem::absolute(session.options().name, error).lexically_normal();
  if (!path.has_filename())
    path = path.parent_path();  // "saved/": the work folder goes beside it, not into it
  const std::string target = path.string();
  if (error || session.options().name.empty()) {
    return fail(ErrorKind::usage, "bad_target",
                "'" + session.options().name + "' is not a usable target folder");
  }
  LUZIA_TRY(need_store(session.store()));
  const auto report = LUZIA_TRY(salvage_log(session.store(), target));
  Console& console = session.console();
  LUZIA_TRY(session.options().format == Format::json ? console.write_line(report_json(report, target))
                                                     : print_report(console, report, target));
  if (session.options().format != Format::json)
    console.say("to use the copy, move it to the store's place, or add --store " + target);
  return report.complete() ? 0 : kSomethingMissing;
}

}  // namespace luzia
