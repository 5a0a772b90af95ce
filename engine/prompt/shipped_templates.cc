// The built-in templates. `luzia prompt show NAME` prints one as a starting point for your own.
#include "engine/prompt/prompt.h"

namespace luzia {
namespace {

constexpr std::string_view kImplementation = R"({{#identity}}
{{identity}}
Your role is to implement what the task asks for.

{{/identity}}
{{task}}

{{#focus}}
## What went wrong before

{{focus}}

{{/focus}}
{{#context}}
{{context}}

{{/context}}
{{#practices}}
## What helped here before

{{practices}}

{{/practices}}
{{#tools}}
## Tools that suit the task

{{tools}}

{{/tools}}
{{#project}}
## Project

{{project}}

{{/project}}
{{#environment}}
## Environment

{{environment}}

{{/environment}}
{{#protocol}}
## What you may decide, and how to ask and report

{{protocol}}

{{/protocol}}
## How to work

Read the code around your change, and follow its conventions. Change only what the task asks for. Run the
project's tests before you end, and report those that fail.

## After the task

When you commit: only when the tests pass, one change a commit, with a subject of at most 72 characters that says
what it does and a body that says why. Do not push, rewrite commits of others or change branches unless the task
says so. Leave no temporary files behind.

{{output}}
)";

constexpr std::string_view kDebugging = R"({{#identity}}
{{identity}}
Your role is to find the cause of a failure and to remove it.

{{/identity}}
{{task}}

{{#focus}}
## What went wrong

{{focus}}

{{/focus}}
{{#practices}}
## What helped against such problems before

{{practices}}

{{/practices}}
{{#context}}
{{context}}

{{/context}}
{{#tools}}
## Tools that suit the task

{{tools}}

{{/tools}}
{{#project}}
## Project

{{project}}

{{/project}}
{{#environment}}
## Environment

{{environment}}

{{/environment}}
{{#protocol}}
## What you may decide, and how to ask and report

{{protocol}}

{{/protocol}}
## How to work

See the failure yourself first. Find its cause before you change anything, and name it. Make the smallest
change that removes the cause, with a test that failed before. Say what you have ruled out.

## After the task

When you commit: only when the tests pass, one change a commit, with a subject of at most 72 characters that says
what it does and a body that says why. Do not push, rewrite commits of others or change branches unless the task
says so. Leave no temporary files behind.

{{output}}
)";

constexpr std::string_view kAnalysis = R"({{#identity}}
{{identity}}
Your role is to analyse and report; you change nothing.

{{/identity}}
{{task}}

{{#context}}
{{context}}

{{/context}}
{{#focus}}
## What is known of earlier attempts

{{focus}}

{{/focus}}
{{#project}}
## Project

{{project}}

{{/project}}
{{#tools}}
## Tools that suit the task

{{tools}}

{{/tools}}
{{#practices}}
## What was learned before

{{practices}}

{{/practices}}
{{#environment}}
## Environment

{{environment}}

{{/environment}}
{{#protocol}}
## What you may decide, and how to ask and report

{{protocol}}

{{/protocol}}
## How to work

Change no files. Separate findings from guesses, and give the file and line of each finding. Put what
matters most first.

{{output}}
)";

}  // namespace

std::optional<std::string_view> shipped_template(std::string_view name) {
  if (name == "analysis") return kAnalysis;
  if (name == "debugging") return kDebugging;
  if (name == "implementation") return kImplementation;
  return std::nullopt;
}

std::vector<std::string_view> shipped_template_names() {
  return {"analysis", "debugging", "implementation"};
}

}  // namespace luzia
