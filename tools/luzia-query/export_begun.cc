#include "tools/luzia-query/export_begun.h"

#include <nlohmann/json.hpp>

#include "engine/base/hash.h"
#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "projections/rows/names.h"
#include "tools/read/pages.h"

namespace luzia {

std::string asked_of(const Options& options) {
  std::string asked;
  const wire::FilterT& filter = options.filter;
  const auto add = [&](const std::string& words) { asked.append(asked.empty() ? "" : " ").append(words); };
  for (const auto& project : filter.projects) add("--project " + project);
  for (const auto& agent : filter.agents) add("--agent " + agent);
  for (const auto& job : filter.jobs) add("--job " + job);
  for (const auto& tag : filter.tags) add("--tag " + tag);
  for (const auto state : filter.states) add("--state " + std::string(state_name(state)));
  if (filter.proved) add("--state proved");
  if (filter.refuted) add("--state refuted");
  if (filter.since_us != 0) add("--since " + format_rfc3339(filter.since_us));
  if (options.after != 0) add("--since " + std::to_string(options.after));
  if (filter.until_us != 0) add("--until " + format_rfc3339(filter.until_us));
  if (options.at.position != 0) add("--at " + std::to_string(options.at.position));
  if (options.at.time_us != 0) add("--at " + format_rfc3339(options.at.time_us));
  return asked;
}

Result<ExportBegun> export_begun(Session& session) {
  ExportBegun begun{asked_of(session.options()), {}, {}};
  Source* const source = LUZIA_TRY(session.source());
  wire::QueryT query;
  query.view = wire::View::events;
  query.filter = std::make_unique<wire::FilterT>();
  query.limit = 1;
  const auto page = LUZIA_TRY(source->query(query));
  const auto events = LUZIA_TRY(events_of(page));
  if (events.empty()) return begun;
  begun.site = text(events.front()->site());
  begun.store = to_hex(blake2b({as_bytes(event_json(*events.front()))}));
  return begun;
}

std::string begun_json(const ExportBegun& begun) {
  const nlohmann::json json = {{"asked", begun.asked}, {"site", begun.site}, {"store", begun.store}};
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

Status check_begun(const ExportBegun& begun, const std::string& kept, const std::string& part) {
  const std::string wanted = begun_json(begun);
  if (kept == wanted) return {};
  const auto before = nlohmann::json::parse(kept, nullptr, false);
  const auto said = [&](const char* name) {
    const bool is_there = before.is_object() && before.contains(name) && before.at(name).is_string();
    return is_there ? std::optional(before.at(name).get<std::string>()) : std::nullopt;
  };
  const auto asked = said("asked"), site = said("site");
  if (!asked || !site) {
    return fail(ErrorKind::usage, "bad_part", "it is not known with which options " + part + " was begun",
                "remove it to start over");
  }
  if (nlohmann::json::parse(wanted).at("asked") != *asked) {
    return fail(
        ErrorKind::usage, "other_export",
        "the export in " + part + " was begun with other options: " + (asked->empty() ? "none" : *asked),
        "repeat these (a relative time such as 2d has moved since), or remove it to start over");
  }
  return fail(ErrorKind::usage, "other_export",
              "the export in " + part + " is from another store, site " + (site->empty() ? "''" : *site),
              "name another file, or remove it to start over");
}

}  // namespace luzia
