#include <algorithm>

#include "projections/rows/wrapped.h"
#include "tools/cli/help.h"

namespace luzia {
namespace {

constexpr std::size_t kPageWidth = 116;

/// Text in Markdown: nothing in it is markup, and in a table nothing ends the cell.
std::string plain(std::string_view words) {
  constexpr std::string_view kMarkup = "\\`*_<>|[]#";
  std::string text;
  for (const char c : words) {
    if (kMarkup.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

std::string option_table(std::span<const Option> options) {
  std::string rows;
  for (const Option& option : options) {
    std::string names;
    for (const std::string_view name : pieces_of(option.names, ',')) {
      names += (names.empty() ? "`" : ", `") + std::string(name);
      if (name.starts_with("--") && !option.value.empty()) names += " " + std::string(option.value);
      names += '`';
    }
    rows += "| " + names + " | " + plain(option.help) + " |\n";
  }
  return rows.empty() ? rows : "\n| option | meaning |\n|---|---|\n" + rows;
}

std::string command_section(const Program& program, const Command& command) {
  std::string text = "\n### " + std::string(program.name) + " " + std::string(command.name) + "\n\n";
  for (const std::string_view form : forms_of(command)) {
    text += "    " + std::string(program.name) + " " + std::string(command.name);
    text += (form.empty() ? "" : " ") + std::string(form) + "\n";
  }
  std::string words = plain(command.summary);
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z') words.front() -= 'a' - 'A';
  words += ".";
  if (!command.description.empty()) words += " " + plain(command.description);
  text += "\n" + wrap_hanging(words, kPageWidth, 0) + "\n" + option_table(command.options);
  if (!command.examples.empty()) text += "\n" + examples_of(program, command, "    ");
  for (const Command& part : command.parts) text += command_section(program, part);
  return text;
}

}  // namespace

std::string reference_page(const Program& program) {
  std::string text = "# " + std::string(program.name) + "\n\n" +
                     wrap_hanging(plain(program.purpose), kPageWidth, 0) + "\n\nPrinted by `" +
                     std::string(program.name) + " help --markdown`.\n";
  std::vector<std::string_view> groups;  // each once, as they first come
  for (const Command* command : program.commands) {
    if (!command->group.empty() && std::ranges::find(groups, command->group) == groups.end())
      groups.push_back(command->group);
  }
  for (const std::string_view group : groups) {
    text += "\n## " + std::string(group) + "\n";
    for (const Command* command : program.commands)
      if (command->group == group) text += command_section(program, *command);
  }
  return text + "\n## Options of every command\n" + option_table(program.common);
}

}  // namespace luzia
