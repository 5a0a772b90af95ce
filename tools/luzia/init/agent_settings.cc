#include "tools/luzia/init/agent_settings.h"

#include <functional>

#include "engine/base/shell_quote.h"
#include "tools/luzia/init/json_edit.h"
#include "tools/luzia/init/settings_files.h"

namespace luzia::init {
namespace {

constexpr int kDaySeconds = 24 * 3'600;

bool is_luzia(const std::string& program) {
  return program == "luzia" || program.ends_with("/luzia");
}

/// Whether an entry of mcpServers is ours, whichever path it names.
bool is_our_server(const OrderedJson& server) {
  return server.is_object() && server.value("args", OrderedJson()) == OrderedJson{"mcp"} &&
         server.value("command", OrderedJson()).is_string() && is_luzia(server["command"].get<std::string>());
}

/// Whether a hook of Claude Code's settings is ours: "luzia hook", with options or without, by any path.
bool is_our_hook(const OrderedJson& hook) {
  const OrderedJson command = hook.is_object() ? hook.value("command", OrderedJson()) : OrderedJson();
  if (!command.is_string()) {
    return false;
  }
  const std::string words = command.get<std::string>() + " ";
  std::string program = words.substr(0, words.find(" hook "));
  if (program.size() > 2 && program.front() == '\'' && program.back() == '\'') {
    program = program.substr(1, program.size() - 2);
  }
  return program.size() < words.size() && is_luzia(program);
}

Status edit_server(JsonEdit& settings, const Task& task, const OrderedJson& server) {
  const JsonPath place = {"mcpServers", "luzia"};
  const OrderedJson present = settings.at(place);
  if (task.undo) {
    if (is_our_server(present)) {
      settings.remove(place);
    }
    return {};
  }
  return present == server ? Status() : settings.set({"mcpServers"}, "luzia", server);
}

/// A text in a list of texts.
Status edit_word(JsonEdit& settings, const Task& task, const JsonPath& list, const std::string& word) {
  const OrderedJson words = settings.at(list);
  const bool readable = words.is_array();
  std::size_t place = 0;
  while (readable && place < words.size() && words[place] != word) ++place;
  const bool present = readable && place < words.size();
  if (task.undo && present) {
    JsonPath path = list;
    path.push_back(std::to_string(place));
    settings.remove(path);
  }
  return present || task.undo ? Status() : settings.append(list, word);
}

/// Takes our hooks out of an event's matchers, and a matcher in which nothing else stands.
void remove_hooks(JsonEdit& settings, const JsonPath& event) {
  const OrderedJson matchers = settings.at(event);
  for (std::size_t i = matchers.is_array() ? matchers.size() : 0; i-- > 0;) {
    const OrderedJson hooks =
        matchers[i].is_object() ? matchers[i].value("hooks", OrderedJson()) : OrderedJson();
    std::vector<std::size_t> ours;
    for (std::size_t j = 0; hooks.is_array() && j < hooks.size(); ++j) {
      if (is_our_hook(hooks[j])) ours.push_back(j);
    }
    JsonPath matcher = event;
    matcher.push_back(std::to_string(i));
    if (!ours.empty() && ours.size() == hooks.size()) {
      settings.remove(matcher);
      continue;
    }
    for (auto j = ours.rbegin(); j != ours.rend(); ++j) {
      JsonPath hook = matcher;
      hook.insert(hook.end(), {"hooks", std::to_string(*j)});
      settings.remove(hook);
    }
  }
}

Status edit_hook(JsonEdit& settings, const Task& task, const std::string& event, const std::string& matcher,
                 OrderedJson hook) {
  const JsonPath place = {"hooks", event};
  if (task.undo) {
    remove_hooks(settings, place);
    return {};
  }
  const OrderedJson matchers = settings.at(place);
  for (const OrderedJson& each : matchers.is_array() ? matchers : OrderedJson::array()) {
    const OrderedJson hooks = each.is_object() ? each.value("hooks", OrderedJson()) : OrderedJson();
    for (const OrderedJson& present : hooks.is_array() ? hooks : OrderedJson::array()) {
      if (is_our_hook(present)) return {};
    }
  }
  OrderedJson entry = OrderedJson::object();
  if (!matcher.empty()) entry["matcher"] = matcher;
  entry["hooks"] = OrderedJson::array({std::move(hook)});
  return settings.append(place, entry);
}

Status edit_claude_servers(JsonEdit& settings, const Task& task) {
  return edit_server(settings, task, {{"command", task.program}, {"args", {"mcp"}}});
}

Status edit_claude_settings(JsonEdit& settings, const Task& task) {
  const OrderedJson hook = {{"type", "command"}, {"command", shell_quote(task.program) + " hook"}};
  // Claude Code lets a call go on whose hook takes longer than its time: a person may need a day.
  OrderedJson patient = hook;
  patient["timeout"] = kDaySeconds;
  for (const auto& edit :
       {std::function<Status()>(
            [&] { return edit_word(settings, task, {"enabledMcpjsonServers"}, "luzia"); }),
        std::function<Status()>([&] {
          return edit_word(settings, task, {"permissions", "allow"}, "mcp__luzia");
        }),
        std::function<Status()>([&] { return edit_hook(settings, task, "PreToolUse", "*", patient); }),
        std::function<Status()>([&] { return edit_hook(settings, task, "Notification", "", hook); })}) {
    if (Status edited = edit(); !edited) {
      return edited;
    }
  }
  return {};
}

Status edit_gemini_settings(JsonEdit& settings, const Task& task) {
  // Without a person at the terminal Gemini offers no tool that it would have to ask about: hence `trust`.
  return edit_server(
      settings, task,
      {{"command", task.program}, {"args", {"mcp"}}, {"timeout", kDaySeconds * 1'000}, {"trust", true}});
}

using Edit = Status (*)(JsonEdit&, const Task&);

Result<std::string> edited_json(const std::string& file, const std::string& text, const Task& task,
                                Edit edit) {
  auto settings = JsonEdit::of(text, file);
  if (!settings) {
    return tl::unexpected(settings.error());
  }
  const std::string before = settings->text();
  if (const Status edited = edit(*settings, task); !edited) {
    return tl::unexpected(edited.error());
  }
  if (settings->text() == before) {
    return text;
  }
  return task.undo && settings->at({}).empty() ? std::string() : settings->text();
}

struct Place {
  const char* file;
  Edit edit;  // null: Codex's TOML
};

std::vector<Place> places_of(Agent agent) {
  switch (agent) {
    case Agent::claude:
      return {{".mcp.json", edit_claude_servers}, {".claude/settings.json", edit_claude_settings}};
    case Agent::codex:
      return {{".codex/config.toml", nullptr}};
    case Agent::gemini:
      return {{".gemini/settings.json", edit_gemini_settings}};
  }
  return {};
}

}  // namespace

Result<std::vector<FileChange>> changes_of(const Task& task) {
  std::vector<FileChange> changes;
  for (const Place& place : places_of(task.agent)) {
    std::string_view name = place.file;
    if (task.is_agents) name.remove_prefix(name.find('/') + 1);
    const std::string file = task.folder + "/" + std::string(name);
    const auto text = read_settings(file);
    if (!text) {
      return tl::unexpected(text.error());
    }
    const auto after = place.edit != nullptr ? edited_json(file, *text, task, place.edit)
                                             : edit_codex(file, *text, task.program, task.undo);
    if (!after) {
      return tl::unexpected(after.error());
    }
    if (*after != *text) {
      changes.push_back({file, *text, *after});
    }
  }
  return changes;
}

}  // namespace luzia::init
