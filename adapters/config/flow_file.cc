#include "adapters/config/flow_file.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "adapters/config/nearest.h"
#include "adapters/config/toml_tree.h"
#include "engine/base/lower_case.h"
#include "engine/base/time.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxPromptBytes = 4 * 1024 * 1024;

class FlowReader {
 public:
  FlowReader(const std::string& file_name, const std::string& folder, FlowFile& into)
      : file_name_(file_name), folder_(folder), into_(into) {}

  void read(const TomlValue& root) {
    auto& flow = into_.flow;
    std::string agent;
    const Keys keys = {
        {"description", [&](auto& e) { text(e, flow.description); }},
        {"project", [&](auto& e) { text(e, flow.project); }},
        {"tags", [&](auto& e) { texts(e, flow.tags); }},
        {"max_running", [&](auto& e) { number(e, flow.max_running, 10'000); }},
        {"keep_going", [&](auto& e) { flag(e, flow.keep_going); }},
        {"agent", [&](auto& e) { text(e, agent); }},
        {"steps", [&](auto& e) { each(e, [&](const TomlValue& step) { read_step(step); }); }},
        {"follow_ups", [&](auto& e) { each(e, [&](const TomlValue& it) { read_follow_up(it); }); }}};
    read_table(root, "the file", keys);
    for (auto& step : flow.steps) {
      if (step->agent.empty()) step->agent = agent;
    }
    if (flow.steps.empty() && into_.errors.empty()) {
      wrong(root.place, "no_steps", "there are no steps", "add [[steps]] with name and prompt");
    }
  }

 private:
  using Keys = std::vector<std::pair<std::string, std::function<void(const TomlEntry&)>>>;

  void read_table(const TomlValue& table, const std::string& what, const Keys& keys) {
    // In the file's order, so that errors are reported in that order.
    std::vector<const TomlEntry*> entries;
    for (const TomlEntry& entry : table.entries) entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const auto* e) { return std::pair(e->place.line, e->place.column); });
    for (const TomlEntry* each : entries) {
      const TomlEntry& entry = *each;
      const auto known = std::ranges::find_if(keys, [&](const auto& key) { return key.first == entry.key; });
      if (known != keys.end()) {
        known->second(entry);
        continue;
      }
      std::vector<std::string> names;
      for (const auto& key : keys) names.push_back(key.first);
      const std::string near = nearest_name(entry.key, names);
      std::string all;
      for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
      wrong(entry.place, "unknown_key", what + " has no key '" + one_line(entry.key) + "'",
            near.empty() ? "it has " + all : "did you mean " + near + "?");
    }
  }

  void read_step(const TomlValue& table) {
    auto& step = *into_.flow.steps.emplace_back(std::make_unique<wire::NewFlowStepT>());
    std::uint32_t priority = 255;
    bool has_prompt = false;
    const Keys keys = {{"name", [&](auto& e) { text(e, step.name); }},
                       {"needs", [&](auto& e) { texts(e, step.needs); }},
                       {"prompt", [&](auto& e) { prompt(e, step, has_prompt); }},
                       {"prompt_file", [&](auto& e) { prompt_file(e, step, has_prompt); }},
                       {"agent", [&](auto& e) { text(e, step.agent); }},
                       {"gate", [&](auto& e) { text(e, step.gate); }},
                       {"retries", [&](auto& e) { number(e, step.retries, 1'000); }},
                       {"timeout", [&](auto& e) { duration(e, step.timeout_ms); }},
                       {"description", [&](auto& e) { text(e, step.description); }},
                       {"tags", [&](auto& e) { texts(e, step.tags); }},
                       {"priority", [&](auto& e) { number(e, priority, 9); }}};
    read_table(table, "a step", keys);
    step.priority = static_cast<std::uint8_t>(priority);
    if (step.name.empty()) wrong(table.place, "bad_step", "the step has no name", "add name = \"...\"");
  }

  void read_follow_up(const TomlValue& table) {
    auto& it = *into_.flow.follow_ups.emplace_back(std::make_unique<schema::FollowUpT>());
    std::string when = "completed";
    const Keys keys = {{"text", [&](auto& e) { text(e, it.text); }},
                       {"after", [&](auto& e) { text(e, it.step); }},
                       {"when", [&](auto& e) { text(e, when); }}};
    read_table(table, "a follow-up", keys);
    when = lower_case(when);
    if (when != "completed" && when != "failed") {
      wrong(table.place, "bad_value", "when is '" + one_line(when) + "'", "use completed or failed");
    }
    it.when = when == "failed" ? schema::StepState::failed : schema::StepState::completed;
    if (it.text.empty()) wrong(table.place, "bad_value", "the follow-up has no text", "add text = \"...\"");
  }

  // ------------------------------------------------------------------------------------------ values

  bool is(const TomlEntry& entry, TomlKind kind) {
    if (entry.value.kind == kind) return true;
    wrong(entry.value.place, "wrong_type",
          "'" + entry.key + "' must be " + std::string(kind_name(kind)) + ", not " +
              std::string(kind_name(entry.value.kind)));
    return false;
  }
  void text(const TomlEntry& entry, std::string& value) {
    if (is(entry, TomlKind::text)) value = entry.value.text;
  }
  void flag(const TomlEntry& entry, bool& value) {
    if (is(entry, TomlKind::boolean)) value = entry.value.boolean;
  }
  void number(const TomlEntry& entry, std::uint32_t& value, std::int64_t most) {
    if (!is(entry, TomlKind::integer)) return;
    if (entry.value.integer < 0 || entry.value.integer > most) {
      return wrong(entry.value.place, "out_of_range",
                   "'" + entry.key + "' is " + std::to_string(entry.value.integer),
                   "use 0 to " + std::to_string(most));
    }
    value = static_cast<std::uint32_t>(entry.value.integer);
  }
  void duration(const TomlEntry& entry, std::uint64_t& value_ms) {
    if (!is(entry, TomlKind::text)) return;
    const auto ms = parse_duration_ms(entry.value.text);
    if (!ms) {
      return wrong(entry.value.place, "bad_value", "'" + one_line(entry.value.text) + "' is not a duration",
                   "write \"90s\", \"30m\" or \"2h\"");
    }
    value_ms = *ms;
  }
  void texts(const TomlEntry& entry, std::vector<std::string>& values) {
    if (!is(entry, TomlKind::array)) return;
    for (const TomlValue& item : entry.value.items) {
      if (item.kind != TomlKind::text) {
        return wrong(item.place, "wrong_type", "'" + entry.key + "' must hold strings");
      }
      values.push_back(item.text);
    }
  }
  void each(const TomlEntry& entry, const std::function<void(const TomlValue&)>& body) {
    if (!is(entry, TomlKind::array)) return;
    for (const TomlValue& item : entry.value.items) {
      if (item.kind != TomlKind::table) {
        return wrong(item.place, "wrong_type", "'" + entry.key + "' must hold tables",
                     "write [[" + entry.key + "]]");
      }
      body(item);
    }
  }

  bool is_first_prompt(const TomlEntry& entry, bool& has_prompt) {
    if (!std::exchange(has_prompt, true)) return true;
    wrong(entry.place, "two_prompts", "the step has both prompt and prompt_file", "keep one of them");
    return false;
  }
  void prompt(const TomlEntry& entry, wire::NewFlowStepT& step, bool& has_prompt) {
    if (!is(entry, TomlKind::text) || !is_first_prompt(entry, has_prompt)) return;
    step.prompt = entry.value.text;
    if (step.prompt.find_first_not_of(" \t\r\n") == std::string::npos) {
      wrong(entry.value.place, "empty_task", "the prompt is empty",
            "say what the step's agent should do, or leave it out: then people do the step");
    }
  }
  void prompt_file(const TomlEntry& entry, wire::NewFlowStepT& step, bool& has_prompt) {
    if (!is(entry, TomlKind::text) || !is_first_prompt(entry, has_prompt)) return;
    const std::string& name = entry.value.text;
    const std::string path = name.starts_with('/') ? name : folder_ + "/" + name;
    std::ifstream in(path, std::ios::binary);
    std::ostringstream whole;
    whole << in.rdbuf();
    step.prompt = whole.str();
    if (!in || step.prompt.empty() || step.prompt.size() > kMaxPromptBytes) {
      wrong(entry.value.place, "bad_prompt_file",
            "'" + one_line(path) + "' cannot be read, is empty or over 4 MiB",
            "paths are relative to the flow's file");
    }
  }

  void wrong(TomlPlace place, const char* code, const std::string& what, const std::string& hint = {}) {
    into_.errors.push_back(
        {ErrorKind::usage, code,
         file_name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": " + what,
         hint});
  }

  const std::string& file_name_;
  const std::string& folder_;
  FlowFile& into_;
};

}  // namespace

FlowFile parse_flow_file(std::string_view text, const std::string& file_name, const std::string& folder) {
  FlowFile file;
  file.flow.source = file_name;
  file.flow.runs = true;
  const auto tree = parse_toml(text, file_name);
  if (!tree) {
    file.errors.push_back(tree.error());
    return file;
  }
  FlowReader(file_name, folder, file).read(*tree);
  return file;
}

}  // namespace luzia
