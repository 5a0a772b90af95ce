// prompt: what agents are told around their tasks, and by which templates.
#include <algorithm>
#include <filesystem>

#include "engine/base/try.h"
#include "engine/flow/flow.h"
#include "engine/prompt/prompt.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "tools/luzia/families.h"
#include "tools/luzia/learn/recording.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

constexpr Option kPromptOptions[] = {
    {"--template", ValueKind::text, "NAME",
     "preview: another template than the project's; none: the task alone"},
    {"--agent", ValueKind::text, "NAME", "preview: for this agent", "", Completes::agent},
    {"--flow", ValueKind::text, "FLOW/STEP", "preview: as this step of a flow"},
    {"--file", ValueKind::text, "FILE", "preview: the task is what the file holds; - for standard input", "",
     Completes::file},
};

/// Names of the templates of [prompts] folder, without their ending.
std::vector<std::string> own_templates(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  if (folder.empty()) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Result<int> list_templates(Invocation& invocation, const Words&) {
  const auto config = LUZIA_TRY(invocation.config());
  const auto own = own_templates(config->prompts.folder);
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& name : own) all.emplace_back(name, config->prompts.folder);
  for (const std::string_view name : shipped_template_names()) {
    if (std::ranges::find(own, name) == own.end()) all.emplace_back(std::string(name), "shipped");
  }
  if (!invocation.json()) {
    for (const auto& [name, from] : all)
      print_line(make_harmless(name + (from == "shipped" ? "" : "  (" + from + ")")));
    return 0;
  }
  JsonObject object;
  object.objects("templates", all, [](JsonObject& each, const auto& one) {
    each.text("name", one.first);
    each.text("from", one.second);
  });
  print_line(object.take());
  return 0;
}

/// Prints a template unchanged, as a start for one's own.
Result<int> show_template(Invocation& invocation, const Words& words) {
  const auto config = LUZIA_TRY(invocation.config());
  const std::string& folder = config->prompts.folder;
  const auto own = own_templates(folder);
  if (std::ranges::find(own, words[0]) != own.end()) {
    const auto text = LUZIA_TRY(read_text(folder + "/" + words[0] + ".md"));
    print(text);
    return 0;
  }
  const auto shipped = shipped_template(words[0]);
  if (!shipped) {
    return fail(ErrorKind::not_found, "unknown_template", "there is no prompt template '" + words[0] + "'",
                "luzia prompt list names them");
  }
  print(*shipped);
  return 0;
}

Result<int> check_templates(Invocation& invocation, const Words& words) {
  for (const std::string& path : words) {
    const auto text = LUZIA_TRY(read_text(path));
    LUZIA_TRY(PromptTemplate::parse(text, path));
    invocation.say(path + " is a template");
  }
  return 0;
}

/// On standard error, so that standard output has the prompt alone.
void say_sections(const Invocation& invocation, const schema::PromptBuiltT* built) {
  if (built == nullptr) return;
  std::string sizes;
  for (const auto& each : built->sections) {
    if (each->bytes == 0) continue;
    sizes += (sizes.empty() ? "" : ", ") + each->name + " " + std::to_string(each->bytes) +
             (each->cut ? " (cut)" : "");
  }
  invocation.say("template " + built->template_ + ", " + std::to_string(built->bytes) + " bytes: " + sizes);
}

/// Null if there is no template.
void write_sections(JsonObject& object, const schema::PromptBuiltT* built) {
  if (built == nullptr) return object.at("sections").null();
  object.objects("sections", built->sections, [](JsonObject& section, const auto& each) {
    section.text("name", each->name);
    section.number("bytes", each->bytes);
    section.boolean("cut", each->cut);
  });
}

Result<int> preview_prompt(Invocation& invocation, const Words& words) {
  const Arguments& args = invocation.args();
  if (args.has("file") == (words.size() > 1)) {
    return fail(ErrorKind::usage, "bad_usage", "the task is a word, or a --file",
                "luzia prompt preview PROJECT TASK");
  }
  auto task = LUZIA_TRY(args.has("file") ? read_text(args.text("file")) : Result<std::string>(words[1]));
  wire::PreviewPromptT request;
  request.job = std::make_unique<wire::DispatchJobT>();
  request.job->project = words[0];
  request.job->task = std::move(task);
  request.job->agent = args.text("agent");
  request.job->prompt_template = args.text("template");
  if (args.has("flow")) {
    const auto both = split_flow_step(args.text("flow"));
    if (!both) return fail(ErrorKind::usage, "bad_usage", "--flow names no step: FLOW/STEP");
    std::tie(request.job->flow, request.job->step) = *both;
  }
  auto client = LUZIA_TRY(invocation.connect());
  const auto answer = LUZIA_TRY(client.ask(request_of(std::move(request))));
  const auto* output = answer->reply.AsOutput();
  if (output == nullptr) {
    return fail(ErrorKind::trouble, "unexpected_reply",
                "the daemon answered with something else than a prompt");
  }
  const std::string text(output->data.begin(), output->data.end());
  if (!output->note.empty()) invocation.say("the agent gets the task alone: " + output->note);
  if (!invocation.json()) {
    say_sections(invocation, output->built.get());
    // A file or pipe gets the exact prompt plus a final line break; --json has exactly the bytes.
    print(invocation.terminal().style().width != 0 ? make_harmless(text, {.keep_newlines = true}) : text);
    if (!text.ends_with('\n')) print("\n");
    return 0;
  }
  JsonObject object;
  object.text("prompt", text);
  object.number("bytes", text.size());
  object.text_or_null("task_alone_because", output->note);
  write_sections(object, output->built.get());
  print_line(object.take());
  return 0;
}

constexpr Verb kPromptVerbs[] = {
    {"preview", "PROJECT TASK [--template NAME] [--flow FLOW/STEP]", 1, 2, preview_prompt,
     "template agent flow file"},
    {"list", "", 0, 0, list_templates},
    {"show", "TEMPLATE", 1, 1, show_template},
    {"check", "FILE...", 1, -1, check_templates},
};

}  // namespace

// Shown in help as a part of learn.
const Command kPromptCommand = {
    "prompt",
    "",
    "preview PROJECT TASK [--template NAME]\n"
    "list\n"
    "show TEMPLATE\n"
    "check FILE...",
    "preview what an agent is told around its task; manage templates",
    "With [projects.NAME] prompt = \"implementation\" (or analysis, debugging, NAME of a file NAME.md in "
    "[prompts] folder, a path) each attempt's prompt is built around its task when it begins: what went "
    "wrong before, the flow's context, solutions that helped, tools that suit the task, project and "
    "environment. What went in is recorded as PromptBuilt. A template names sections in double braces: "
    "task, identity, focus, context, practices, tools, project, environment, protocol (what the agent may "
    "decide alone, how it asks, reports and ends), output.",
    "luzia learn prompt preview web 'fix the login' --template debugging\n"
    "luzia learn prompt show implementation > ~/.config/luzia/prompts/mine.md\n"
    "luzia learn prompt check ~/.config/luzia/prompts/mine.md",
    kPromptOptions,
    {0, -1},
    run_verbs<kPromptVerbs>,
    kNeedsStore};

}  // namespace luzia
