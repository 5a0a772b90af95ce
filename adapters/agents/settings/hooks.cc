#include "adapters/agents/settings/hooks.h"

#include "adapters/agents/settings/entries.h"
#include "engine/base/shell_quote.h"

namespace luzia {
namespace {

/// Whether a hook is ours: "luzia hook", with or without options, under any path.
bool is_our_hook(const OrderedJson& hook) {
  const OrderedJson command = hook.is_object() ? hook.value("command", OrderedJson()) : OrderedJson();
  if (!command.is_string()) return false;
  const std::string words = command.get<std::string>() + " ";
  std::string program = words.substr(0, words.find(" hook "));
  if (program.size() > 2 && program.front() == '\'' && program.back() == '\'') {
    program = program.substr(1, program.size() - 2);
  }
  return program.size() < words.size() && is_luzia(program);
}

/// Removes our hooks from an event's matchers, and each matcher that becomes empty.
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

}  // namespace

OrderedJson our_hook(const SettingsEdit& edit) {
  return {{"type", "command"}, {"command", shell_quote(edit.program) + " hook"}};
}

Status edit_hook(JsonEdit& settings, const SettingsEdit& edit, const std::string& event,
                 const std::string& matcher, OrderedJson hook) {
  const JsonPath place = {"hooks", event};
  if (edit.undo) {
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

Status edit_call_hook(JsonEdit& settings, const SettingsEdit& edit, const std::string& event, int timeout) {
  OrderedJson patient = our_hook(edit);
  patient["timeout"] = timeout;
  return edit_hook(settings, edit, event, "*", std::move(patient));
}

}  // namespace luzia
