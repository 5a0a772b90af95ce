// The prompt of an attempt: a task, and around it what the agent should know, by a template. What goes in is
// given; nothing is looked up here. Pure, any thread.
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

/// What is known when an attempt begins. Lists are the best first.
struct PromptFacts {
  std::string task;
  std::string project, path, framework, language, build_system;
  std::vector<std::pair<std::string, std::string>> environment;  // what holds for the attempt
  std::vector<std::string> focus;                                // what went wrong before: a line each
  std::vector<PromptTool> tools;
  std::vector<PromptPractice> practices;
  std::string context;     // of its flow, as Markdown
  std::string flow, step;  // it does this step; empty: none
  std::string web_search;  // a search that might help, in words; empty: none
};

/// What is cut, so that a prompt stays readable: the first tools, the first practices, each text to so many
/// characters; and all sections but the task together to so many bytes. Where they are more, the last in the
/// order of kPromptSections give way first.
struct PromptLimits {
  std::size_t tools = 5, practices = 3, characters = 500, focus = 10;
  std::size_t bytes = 64 * 1024;
};

struct BuiltPrompt {
  std::string text;
  schema::PromptBuiltT record;  // without the attempt
};

/// The prompt, and what went into it. `name`: of the template, as it is recorded.
BuiltPrompt build_prompt(const PromptTemplate& parsed, std::string_view template_text,
                         const std::string& name, const PromptFacts& facts, const PromptLimits& limits = {});

/// The templates that ship: analysis, debugging, implementation; nullopt: none is called that.
std::optional<std::string_view> shipped_template(std::string_view name);
std::vector<std::string_view> shipped_template_names();

}  // namespace luzia
