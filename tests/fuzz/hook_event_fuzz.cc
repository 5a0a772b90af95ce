// An agent's input to `luzia hook`: either refused in one line, or a tool call with a name and an object, a
// bounded report, or nothing. The decision is always one line of JSON.
#include <string>

#include "tests/fuzz/fuzz_check.h"
#include "tools/luzia/agents/hook/hook_event.h"

void luzia::fuzz(std::string_view input) {
  const std::string text(input);
  const auto event = hook::read_hook_event(text);
  if (!event) {
    require(event.error().code == "bad_hook_input", "the code of a bad event");
    require(event.error().message.find('\n') == std::string::npos, "a refusal is one line");
    return;
  }
  require(!event->name.empty() && event->fields.is_object(), "an event has a name and fields");
  const std::string decision = hook::decision_json(*event, "deny", text);
  require(decision.find('\n') == std::string::npos && Json::accept(decision),
          "a decision is one line of JSON");
  const std::string told = hook::told_json(*event, text);
  require(told.find('\n') == std::string::npos && Json::accept(told), "what is told is one line of JSON");
  if (const auto call = hook::tool_call_of(*event)) {
    require(hook::may_be_tool_call(event->name) && !call->tool.empty(), "a tool call names its tool");
    require(call->input.is_object(), "what a tool is given is an object");
  }
  if (const auto report = hook::report_of(*event)) {
    const auto* warning = report->AsWarningReported();
    require(warning != nullptr && !warning->message.empty(), "a report says something");
    require(warning->message.size() <= 4'000, "and not too much");
  }
}
