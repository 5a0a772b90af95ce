// The built-in templates. `luzia prompt show NAME` prints one as a starting point for your own.
#include "engine/prompt/prompt.h"

namespace luzia {
namespace {

/// What is left out if the section is empty.
std::string part(std::string_view section, std::string_view title = {}) {
  std::string text("{{#");
  text.append(section).append("}}\n");
  if (!title.empty()) text.append("## ").append(title).append("\n\n");
  return text.append("{{").append(section).append("}}\n\n{{/").append(section).append("}}\n");
}

std::string opening(std::string_view role) {
  return std::string("{{#identity}}\n{{identity}}\nYour role is to ")
      .append(role)
      .append("\n\n{{/identity}}\n{{task}}\n\n");
}

std::string tools_part() {
  return part("tools", "Tools that suit the task");
}

std::string project_part() {
  return part("project", "Project");
}

std::string environment_part() {
  return part("environment", "Environment") +
         part("protocol", "What you may decide, and how to ask and report");
}

constexpr const char* kAfterTheTask = R"(
## After the task

When you commit: only when the tests pass, one change a commit, with a subject of at most 72 characters that says
what it does and a body that says why. Do not push, rewrite commits of others or change branches unless the task
says so. Leave no temporary files behind.

{{output}}
)";

std::string implementation() {
  return opening("implement what the task asks for.") + part("focus", "What went wrong before") +
         part("context") + part("practices", "What helped here before") + tools_part() + project_part() +
         environment_part() +
         R"(## How to work

Read the code around your change, and follow its conventions. Change only what the task asks for. Run the
project's tests before you end, and report those that fail.
)" + kAfterTheTask;
}

std::string debugging() {
  return opening("find the cause of a failure and to remove it.") + part("focus", "What went wrong") +
         part("practices", "What helped against such problems before") + part("context") + tools_part() +
         project_part() + environment_part() + R"(## How to work

See the failure yourself first. Find its cause before you change anything, and name it. Make the smallest
change that removes the cause, with a test that failed before. Say what you have ruled out.
)" + kAfterTheTask;
}

std::string analysis() {
  return opening("analyse and report; you change nothing.") + part("context") +
         part("focus", "What is known of earlier attempts") + project_part() + tools_part() +
         part("practices", "What was learned before") + environment_part() + R"(## How to work

Change no files. Separate findings from guesses, and give the file and line of each finding. Put what
matters most first.

{{output}}
)";
}

}  // namespace

std::optional<std::string_view> shipped_template(std::string_view name) {
  static const std::string kAnalysis = analysis(), kDebugging = debugging(),
                           kImplementation = implementation();
  if (name == "analysis") return kAnalysis;
  if (name == "debugging") return kDebugging;
  if (name == "implementation") return kImplementation;
  return std::nullopt;
}

std::vector<std::string_view> shipped_template_names() {
  return {"analysis", "debugging", "implementation"};
}

}  // namespace luzia
