#include "tools/cli/help.h"

#include <algorithm>
#include <optional>

#include "engine/base/try.h"
#include "projections/rows/roff.h"
#include "projections/rows/wrapped.h"
#include "tools/cli/invocation.h"

namespace luzia {
namespace {

constexpr std::size_t kOptionColumn = 26, kSummaryColumn = 14;

constexpr Option kHelpOptions[] = {
    {"--all", ValueKind::flag, "", "list every command, not only the most used"},
    {"--man", ValueKind::flag, "", "print the whole manual as a man page (roff)"},
    {"--markdown", ValueKind::flag, "", "print the whole manual as a page in Markdown"}};

std::string option_lines(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    std::string names(option.names);
    if (const std::size_t comma = names.find(','); comma != std::string::npos) {
      names.insert(comma + 1, " ");
    } else {
      names.insert(0, "    ");
    }
    std::string line = "  " + names + (option.value.empty() ? "" : " " + std::string(option.value));
    if (line.size() + 2 > kOptionColumn) {
      line += "\n" + std::string(kOptionColumn, ' ');
    } else {
      line.resize(kOptionColumn, ' ');
    }
    text += line + wrap_hanging(option.help, kHelpWidth, kOptionColumn) + "\n";
  }
  return text;
}

std::string man_options(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    text += ".TP\n\\fB" + roff(option.names) + "\\fR" +
            (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR") + "\n" + roff(option.help) +
            "\n";
  }
  return text;
}

std::string man_command(const Program& program, const Command& command) {
  std::string text;
  for (const std::string_view form : forms_of(command)) {
    text += text.empty() ? ".SS " : ".br\n";
    text += roff(program.name) + " " + roff(command.name) + " " + roff(form) + "\n";
  }
  // .SS takes a single line, so further forms follow it.
  text += roff(command.summary) + ".\n";
  if (!command.description.empty()) text += ".PP\n" + roff(command.description) + "\n";
  text += man_options(command.options);
  if (!command.examples.empty()) {
    text += ".PP\nExamples:\n.PP\n.nf\n.RS\n" + roff(examples_of(program, command, "")) + ".RE\n.fi\n";
  }
  for (const Command& part : command.parts) text += man_command(program, part);
  return text;
}

Result<int> run_help(Invocation& invocation) {
  const Program& program = invocation.program();
  const auto& words = invocation.args().positionals();
  std::string text;
  if (invocation.args().has("man")) {
    text = man_page(program);
  } else if (invocation.args().has("markdown")) {
    text = reference_page(program);
  } else if (words.empty()) {
    const bool bare = invocation.surroundings().arguments.empty() && program.first_look != nullptr;
    text = bare ? program.first_look(invocation) + "\n" + std::string(program.name) +
                      " help lists the commands.\n"
                : overview_text(program, invocation.args().has("all"));
  } else {
    const Command* command = find_command(program, words.front());
    const bool is_internal = command != nullptr && command->group.empty() && command->examples.empty();
    if (command == nullptr || is_internal) return unknown_command(program, words.front());
    const auto chosen = LUZIA_TRY(narrowed(program, {command, {words.begin() + 1, words.end()}}));
    text = help_on(program, *chosen.command, chosen.words);
  }
  const Status written = invocation.console().write(text);
  return written ? Result<int>(0) : tl::unexpected(written.error());
}

}  // namespace

std::string examples_of(const Program& program, const Command& command, std::string_view indent) {
  constexpr std::string_view kWritten = "luzia ";
  std::string text;
  for (std::string_view line : pieces_of(command.examples, '\n')) {
    text += indent;
    if (line.starts_with(kWritten) && program.name != "luzia") {
      text += std::string(program.name) + " ";
      line.remove_prefix(kWritten.size());
    }
    text.append(line).push_back('\n');
  }
  return text;
}

std::vector<std::string_view> forms_of(const Command& command) {
  auto forms = pieces_of(command.synopsis, '\n');
  if (forms.empty()) forms.emplace_back();
  return forms;
}

std::string overview_text(const Program& program, bool all) {
  std::string text = wrap_hanging(program.purpose, kHelpWidth, 0) + "\n\n";
  for (const std::string_view& usage : program.usage) {
    text += (&usage == program.usage.data() ? "usage: " : "       ") + std::string(program.name) + " " +
            std::string(usage) + "\n";
  }
  std::vector<std::pair<std::string_view, std::string>> groups;  // each once, as they first come
  const bool some = !all && !program.everyday.empty();
  for (const Command* command : some ? program.everyday : program.commands) {
    if (command->group.empty()) continue;
    auto group = std::ranges::find(groups, command->group, [](const auto& each) { return each.first; });
    if (group == groups.end()) group = groups.insert(group, {command->group, {}});
    std::string line = "  " + std::string(command->name);
    line.resize(kSummaryColumn, ' ');
    group->second += line + wrap_hanging(command->summary, kHelpWidth, kSummaryColumn) + "\n";
  }
  for (const auto& [title, lines] : groups) text += "\n" + std::string(title) + "\n" + lines;
  const std::string more =
      some ? "These are the most used commands; " + std::string(program.name) + " help --all lists all. "
           : "";
  return text + "\n" + wrap_hanging(more + std::string(program.notes), kHelpWidth, 0) + "\n";
}

std::string command_help(const Program& program, const Command& command) {
  const std::string title = std::string(command.name) + ": " + std::string(command.summary);
  std::string text = wrap_hanging(title, kHelpWidth, 0) + "\n\n";
  const auto forms = forms_of(command);
  for (const std::string_view& form : forms) {
    text += (&form == forms.data() ? "usage: " : "       ") + std::string(program.name) + " " +
            std::string(command.name) + " " + std::string(form) + "\n";
  }
  if (!command.description.empty()) text += "\n" + wrap_hanging(command.description, kHelpWidth, 0) + "\n";
  const std::string own = option_lines(command.options);
  if (!own.empty()) text += "\nOptions\n" + own;
  text += "\nCommon options\n" + option_lines(program.common);
  if (!command.examples.empty()) text += "\nExamples\n" + examples_of(program, command, "  ");
  return text;
}

std::string help_on(const Program& program, const Command& command, const std::vector<std::string>& words) {
  std::optional<std::string> text;
  if (command.word_help != nullptr && !words.empty()) text = command.word_help(program, words.front());
  return text ? std::move(*text) : command_help(program, command);
}

std::string man_page(const Program& program) {
  std::string text(program.man_head);
  for (const Command* command : program.commands) {
    text += command->group.empty() ? "" : man_command(program, *command);
  }
  return text + ".SH COMMON OPTIONS\n" + man_options(program.common) + std::string(program.man_tail);
}

const Command kHelpCommand = {"help",
                              "Set up",
                              "[COMMAND] | --all | --man | --markdown",
                              "show help on a command",
                              "",
                              "luzia help dispatch\nluzia help --all\nluzia help --man | man -l -",
                              kHelpOptions,
                              {0, 2, Completes::command},
                              run_help};

}  // namespace luzia
