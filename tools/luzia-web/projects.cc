#include "tools/luzia-web/projects.h"

#include <algorithm>
#include <map>

#include "adapters/config/config.h"
#include "engine/ports/agent.h"
#include "projections/rows/json_object.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

Answer list_of(std::string_view plural, const std::vector<std::string>& objects) {
  Answer answer;
  JsonWriter json(answer.body);
  json.begin_object();
  json.key(plural);
  json.begin_array();
  for (const std::string& object : objects) json.raw(object);
  json.end_array();
  json.end_object();
  answer.body += '\n';
  return answer;
}

/// Until when agents are limited, by agent.
Result<std::map<std::string, TimeUs>> limits_of(const DaemonDoor& door, const std::string& device) {
  const auto source = LUZIA_TRY(door.source_as(device));
  const RowPage page = LUZIA_TRY(source->query(view_query(wire::View::agent_limits)));
  const auto rows = LUZIA_TRY(rows_of<view::AgentLimit>(page));
  std::map<std::string, TimeUs> limits;
  for (const view::AgentLimit* row : rows) limits[std::string(text(row->agent()))] = row->until_us();
  return limits;
}

/// When an agent reads what it is told while it works: at its tool calls, if its settings have our hook, or
/// in the prompt of the next attempt. Empty: it executes its task, and reads nothing.
std::string_view told_way(const std::string& name, const AgentProfile& profile) {
  if (takes_code(profile.command)) return {};
  const Agent* known = agent_of(name, profile.command);
  return known == nullptr || known->told_event.empty() ? "in_prompts" : "at_calls";
}

}  // namespace

Answer projects_answer(const std::string& config_file, const std::vector<std::string>& only) {
  const auto config = load_config(config_file);
  if (!config) return problem(config.error());
  std::vector<std::string> objects;
  for (const auto& [name, project] : config->projects) {
    if (!only.empty() && std::ranges::find(only, name) == only.end()) continue;
    JsonObject object(objects.emplace_back());
    object.text("name", name);
    object.text("path", project.path);
    object.text("agent", project.agent.empty() ? config->defaults.agent : project.agent);
    object.text_or_null("sandbox", project.sandbox.kind);
    object.number_or_null("memory_bytes", project.limits.memory_bytes);
    object.strings("verify", project.verify);
    object.end();
  }
  return list_of("projects", objects);
}

Answer agents_answer(const DaemonDoor& door, const std::string& config_file, const std::string& device) {
  const auto config = load_config(config_file);
  if (!config) return problem(config.error());
  const auto limits = limits_of(door, device);
  if (!limits) return problem(limits.error());
  std::vector<std::string> objects;
  for (const auto& [name, profile] : config->agents) {
    const auto limit = limits->find(name);
    JsonObject object(objects.emplace_back());
    object.text("name", name);
    object.time("parked_until", limit == limits->end() ? 0 : limit->second);
    // Of its jobs in projects that do not say.
    object.text("sandbox", configured_sandbox(*config, {}, profile).kind);
    const std::uint64_t memory = profile.limits.memory_bytes;
    object.number_or_null("memory_bytes", memory != 0 ? memory : config->jobs.limits.memory_bytes);
    object.text_or_null("told", told_way(name, profile));
    object.end();
  }
  return list_of("agents", objects);
}

}  // namespace luzia::web
