// help: what the tables say, for people and for man.
#include <algorithm>

#include "adapters/config/nearest.h"
#include "projections/rows/roff.h"
#include "projections/rows/wrapped.h"
#include "tools/luzia/families.h"
#include "tools/luzia/help.h"
#include "tools/luzia/invocation.h"

namespace luzia {
namespace {

constexpr std::size_t kOptionColumn = 26;

constexpr Option kHelpOptions[] = {{"--man", ValueKind::flag, "", "the whole manual as a man page (roff)"}};

constexpr std::string_view kExitCodes[][2] = {
    {"0", "done"},
    {"1", "the thing asked about failed (a job that was waited for)"},
    {"2", "bad usage or input; nothing was changed"},
    {"3", "no such job, flow or question"},
    {"4", "refused: not allowed, or not possible in this state"},
    {"5", "trouble with the daemon, the store or the machine"},
};

constexpr std::string_view kVariables[][2] = {
    {"LUZIA_STORE", "the store to use"},
    {"LUZIA_CONFIG", "a configuration to read too"},
    {"LUZIA_DAEMON", "the luziad to start"},
    {"LUZIA_PATIENCE", "how long to wait for a daemon that does not answer, as --patience"},
    {"LUZIA_SOCKET, LUZIA_JOB_ID, LUZIA_ATTEMPT", "set inside jobs: whom to talk to, and about what"},
    {"LUZIA_CREDENTIAL", "set inside jobs: proves which attempt speaks, while that lives"},
    {"NO_COLOR, CLICOLOR_FORCE, COLUMNS, TERM", "as everywhere"},
};

template <class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    each(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

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

std::string man_command(const Command& command) {
  std::string text;
  for_each_line(command.synopsis.empty() ? std::string_view(" ") : command.synopsis,
                [&](std::string_view form) {
                  text += text.empty() ? ".SS " : ".br\n";
                  text += "luzia " + roff(command.name) + " " + roff(form) + "\n";
                });
  // A heading is one line; further forms follow it.
  text += roff(command.summary) + ".\n";
  if (!command.description.empty()) {
    text += ".PP\n" + roff(command.description) + "\n";
  }
  text += man_options(command.options);
  if (!command.examples.empty()) {
    text += ".PP\nExamples:\n.PP\n.nf\n.RS\n" + roff(command.examples) + "\n.RE\n.fi\n";
  }
  return text;
}

Result<int> run_help(Invocation& invocation) {
  const auto& words = invocation.args().positionals();
  if (invocation.args().has("man")) {
    print(man_page());
    return 0;
  }
  if (words.empty()) {
    print(overview_text());
    return 0;
  }
  const Command* command = find_command(words.front());
  if (command == nullptr || command->group.empty()) {
    const std::string near = nearest_command(words.front());
    return fail(ErrorKind::usage, "bad_usage", "there is no command '" + words.front() + "'",
                near.empty() ? "luzia help" : "did you mean " + near + "?");
  }
  print(command_help(*command));
  return 0;
}

}  // namespace

std::string overview_text() {
  std::string text =
      "luzia runs coding agents, or any command, in the background and keeps a perfect\n"
      "memory of them.\n\n"
      "usage: luzia PROJECT \"TASK\" [options]\n"
      "       luzia COMMAND [words] [options]\n";
  std::vector<std::pair<std::string_view, std::string>> groups;  // each once, as they first come
  for (const Command* command : all_commands()) {
    if (command->group.empty()) {
      continue;
    }
    auto group = std::ranges::find(groups, command->group, [](const auto& each) { return each.first; });
    if (group == groups.end()) {
      group = groups.insert(group, {command->group, {}});
    }
    std::string line = "  " + std::string(command->name);
    line.resize(14, ' ');
    group->second += line + wrap_hanging(command->summary, kHelpWidth, 14) + "\n";
  }
  for (const auto& [title, lines] : groups) {
    text += "\n" + std::string(title) + "\n" + lines;
  }
  return text +
         "\nA JOB is an id, the beginning of one, or @last. Every command has --help with\n"
         "examples, and --json.\n";
}

std::string command_help(const Command& command) {
  std::string text = std::string(command.name) + ": " + wrap_hanging(command.summary, kHelpWidth, 0) + "\n\n";
  bool first = true;
  for_each_line(command.synopsis.empty() ? std::string_view(" ") : command.synopsis,
                [&](std::string_view form) {
                  text += (first ? "usage: luzia " : "       luzia ") + std::string(command.name) + " " +
                          std::string(form) + "\n";
                  first = false;
                });
  if (!command.description.empty()) {
    text += "\n" + wrap_hanging(command.description, kHelpWidth, 0) + "\n";
  }
  if (!command.options.empty()) {
    text += "\nOptions\n" + option_lines(command.options);
  }
  text += "\nOptions of every command\n" + option_lines(common_options());
  if (!command.examples.empty()) {
    text += "\nExamples\n";
    for_each_line(command.examples, [&](std::string_view line) { text += "  " + std::string(line) + "\n"; });
  }
  return text;
}

std::string man_page() {
  std::string text =
      ".TH LUZIA 1 \"\" \"luzia " LUZIA_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nluzia \\- run coding agents in the background and keep a perfect memory of them\n"
      ".SH SYNOPSIS\n.B luzia\n\\fIPROJECT\\fR \"\\fITASK\\fR\" [options]\n.br\n.B luzia\n"
      "\\fICOMMAND\\fR [words] [options]\n"
      ".SH DESCRIPTION\nA task handed to luzia becomes a job with an id; its agent runs detached, and "
      "everything that happens to it is recorded as an event. A JOB is named by its id, the beginning "
      "of one, or @last for the newest.\n.SH COMMANDS\n";
  for (const Command* command : all_commands()) {
    text += command->group.empty() ? "" : man_command(*command);
  }
  text += ".SH OPTIONS OF EVERY COMMAND\n" + man_options(common_options());
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : kExitCodes) {
    text += ".TP\n" + std::string(code) + "\n" + roff(meaning) + "\n";
  }
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kVariables) {
    text += ".TP\n.B " + roff(name) + "\n" + roff(meaning) + "\n";
  }
  return text +
         ".SH FILES\n.TP\n.I /etc/luzia/luzia.toml, ~/.config/luzia/luzia.toml\nThe configuration; see luzia "
         "config.\n"
         ".TP\n.I ~/.local/state/luzia/store, ~/.local/state/luzia/jobs\nThe store, and the jobs' "
         "directories; those of root are /var/lib/luzia/store and /var/log/luz\\-orchestrator/jobs. "
         "luziad(8) has the rule.\n"
         ".SH SEE ALSO\n.BR luzia\\-query (1),\n.BR luziad (8)\n";
}

const Command kHelpCommand = {"help",
                              "Set up",
                              "[COMMAND] | --man",
                              "help on a command",
                              "",
                              "luzia help dispatch\nluzia help --man | man -l -",
                              kHelpOptions,
                              0,
                              1,
                              Completes::nothing,
                              run_help};

}  // namespace luzia
