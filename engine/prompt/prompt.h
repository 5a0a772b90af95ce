// Builds the prompt of an attempt by a template: the task, and around it what the agent should know. The
// caller provides all facts; nothing is looked up here. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/event/event.h"
#include "engine/prompt/prompt_template.h"

namespace luzia {

struct PromptTool {
  std::string name, about, reason;
};
struct PromptPractice {
  std::string solution, problem, text;
  double confidence = 0;
};

/// What is known when an attempt begins. Lists are sorted, best first.
struct PromptFacts {
  std::string task;
  std::string agent;  // its name; empty: it is not told who it is, nor how to ask and report
  std::vector<std::string> exit_codes;  // "0: completed"; one line each
  std::vector<std::string> gates;       // at which a person is asked
  std::string project, path, framework, language, build_system;
  std::string project_focus;  // what the configuration says to keep in mind
  std::vector<std::pair<std::string, std::string>> environment;  // what applies to the attempt
  std::vector<std::string> focus;                                // what went wrong before: one line each
  std::vector<PromptTool> tools;
  std::vector<PromptPractice> practices;
  std::string context;     // of its flow, as Markdown
  std::string flow, step;  // the step that it does; empty: none
  std::string web_search;  // a web search that might help, as words; empty: none
};

/// Limits that keep a prompt readable: number of tools and practices, characters of each text, lines of
/// focus, and bytes of all sections except the task. If the sections are larger, those at the end of
/// kPromptSections are cut first.
struct PromptLimits {
  std::size_t tools = 5, practices = 3, characters = 500, focus = 10;
  std::size_t bytes = 64 * 1024;
};

struct BuiltPrompt {
  std::string text;
  schema::PromptBuiltT record;  // without the attempt
};

/// Returns the prompt and a record of its content. `name`: the template's name for the record.
BuiltPrompt build_prompt(const PromptTemplate& parsed, std::string_view template_text,
                         const std::string& name, const PromptFacts& facts, const PromptLimits& limits = {});

/// The built-in templates: analysis, debugging, implementation. nullopt: there is none of that name.
std::optional<std::string_view> shipped_template(std::string_view name);
std::vector<std::string_view> shipped_template_names();

}  // namespace luzia
