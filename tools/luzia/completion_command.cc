// completion: scripts for shells, and the hidden command that they ask. What can be completed comes from the
// tables of commands; names of jobs come from the daemon, if one is running.
#include <algorithm>

#include "projections/rows/harmless.h"
#include "projections/rows/names.h"
#include "tools/luzia/asking.h"
#include "tools/luzia/families.h"

namespace luzia {
namespace {

constexpr const char* kBash =
    R"(# bash completion of luzia and luzia-query: source it, or put it into /usr/share/bash-completion/completions as
# luzia, with luzia-query a link to it
_luzia() {
  local candidates line
  COMPREPLY=()
  candidates=$("${COMP_WORDS[0]}" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  while IFS= read -r line; do
    case $line in
      '') ;;
      ':file') compopt -o default; return ;;
      ':directory') compopt -o dirnames; return ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done <<< "$candidates"
}
complete -F _luzia luzia luzia-query
)";

constexpr const char* kZsh = R"(#compdef luzia luzia-query
# zsh completion of luzia and luzia-query: put it into a folder of $fpath as _luzia
_luzia() {
  local line candidates
  local -a found
  candidates=$("$words[1]" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null) || return
  for line in ${(f)candidates}; do
    case $line in
      ':file') _files; return ;;
      ':directory') _files -/; return ;;
      *) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  _describe luzia found
}
if [ "$funcstack[1]" = "_luzia" ]; then _luzia "$@"; else compdef _luzia luzia luzia-query; fi
)";

constexpr const char* kFish =
    R"(# fish completion of luzia and luzia-query: put it into ~/.config/fish/completions as luzia.fish, with
# luzia-query.fish a link to it
function __luzia_complete
  set -l words (commandline -opc)
  set -l candidates ($words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test "$candidates" = ':file'; or test "$candidates" = ':directory'
    __fish_complete_path (commandline -ct)
    return
  end
  printf '%s\n' $candidates
end
complete -c luzia -f -a '(__luzia_complete)'
complete -c luzia-query -f -a '(__luzia_complete)'
)";

void offer(std::string_view prefix, std::string_view value, std::string_view help) {
  if (value.substr(0, prefix.size()) == prefix) {
    print_line(std::string(value) + "\t" + std::string(help));
  }
}

void offer_jobs(Invocation& invocation, std::string_view prefix) {
  offer(prefix, "@last", "the newest job");
  constexpr std::chrono::milliseconds kMost{1'000};  // a person waits for the next letter
  invocation.be_patient({kMost, {}});
  auto client = invocation.connect(WhenAbsent::complain);
  if (!client) {
    return;
  }
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.limit = 100;
  const auto page = ask_rows(*client, query);
  if (!page) {
    return;
  }
  for (const view::Job* job : page->as<view::Job>()) {
    const std::string project = job->project() == nullptr ? "" : job->project()->str();
    offer(prefix, job->id()->string_view(),
          std::string(state_name(job->state())) + " " +
              fit_width(make_harmless(project, {.keep_tabs = false}), 40));
  }
}

void offer_for(Invocation& invocation, Completes what, std::string_view prefix) {
  switch (what) {
    case Completes::nothing:
      return;
    case Completes::job:
      return offer_jobs(invocation, prefix);
    case Completes::project:
      if (const auto config = invocation.config()) {
        for (const auto& [name, project] : (*config)->projects) {
          offer(prefix, name, "project");
        }
      }
      return;
    case Completes::agent:
      if (const auto config = invocation.config()) {
        for (const auto& [name, agent] : (*config)->agents) {
          offer(prefix, name, "agent");
        }
      }
      return;
    case Completes::file:
      return print_line(":file");
    case Completes::directory:
      return print_line(":directory");
  }
}

void offer_words(std::string_view prefix, std::string_view words, char separator) {
  while (!words.empty()) {
    const std::size_t end = words.find(separator);
    offer(prefix, words.substr(0, end), "");
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

void offer_hooks(Invocation& invocation, bool first, std::string_view prefix) {
  if (first) {
    return offer(prefix, "test", "tell a hook of a sample");
  }
  const auto config = invocation.config();
  if (!config) {
    return;
  }
  for (const auto& [name, hook] : (*config)->hooks) {
    offer(prefix, name, "hook");
  }
  for (const auto& [name, hook] : (*config)->webhooks) {
    offer(prefix, name, "webhook");
  }
}

/// The option that the word is a name of, if it takes a value.
const Option* option_awaiting_value(const Command& command, std::string_view word) {
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      const std::size_t comma = option.names.find(',');
      const bool is_short = comma != std::string_view::npos && word == option.names.substr(0, comma);
      const bool is_long = word == "--" + std::string(long_name(option));
      if ((is_short || is_long) && option.kind != ValueKind::flag) {
        return &option;
      }
    }
  }
  return nullptr;
}

void offer_value(Invocation& invocation, const Option& option, std::string_view prefix) {
  if (option.kind == ValueKind::choice) {
    offer_words(prefix, option.choices, '|');
  } else if (option.kind == ValueKind::states) {
    offer_words(prefix, "queued|starting|running|waiting|parked|completed|failed|killed|timed_out|lost", '|');
  } else if (option.kind == ValueKind::priority) {
    offer_words(prefix, "high|normal|low", '|');
  } else {
    offer_for(invocation, option.completes, prefix);
  }
}

void offer_options(const Command& command, std::string_view prefix) {
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      offer(prefix, "--" + std::string(long_name(option)), option.help);
    }
  }
}

/// The words from the command's name on: options of every command may stand before it.
std::vector<std::string> from_the_name(const std::vector<std::string>& words) {
  std::size_t at = 0;
  while (at + 1 < words.size() && words[at].substr(0, 1) == "-") {
    at += option_awaiting_value(kHelpCommand, words[at]) != nullptr ? 2 : 1;
  }
  at = std::min(at, words.empty() ? 0 : words.size() - 1);
  return {words.begin() + static_cast<std::ptrdiff_t>(at), words.end()};
}

/// Whether the command takes a name where the last word stands. A task, which follows a project, is none.
bool takes_name(const Command& command, const std::vector<std::string>& words, bool named) {
  std::size_t given = 0;
  for (std::size_t i = named ? 1 : 0; i + 1 < words.size(); ++i) {
    if (words[i].substr(0, 1) != "-") {
      ++given;
    } else if (option_awaiting_value(command, words[i]) != nullptr) {
      ++i;
    }
  }
  const int most = command.positional == Completes::project ? 1 : command.most_positionals;
  return most < 0 || given < static_cast<std::size_t>(most);
}

Result<int> run_complete(Invocation& invocation) {
  const auto& all = invocation.args().positionals();
  // An option of every command wants its value: that is all there is to offer.
  if (all.size() > 1) {
    const Option* common = option_awaiting_value(kHelpCommand, all[all.size() - 2]);
    if (common != nullptr) {
      offer_value(invocation, *common, all.back());
      return 0;
    }
  }
  const std::vector<std::string> words = from_the_name(all);
  const std::string prefix = words.empty() ? "" : words.back();
  if (words.size() <= 1 && prefix.substr(0, 1) == "-") {
    offer_options(kHelpCommand, prefix);
    return 0;
  }
  if (words.size() <= 1) {
    for (const Command* command : all_commands()) {
      if (!command->group.empty()) {
        offer(prefix, command->name, command->summary);
      }
    }
    offer_for(invocation, Completes::project, prefix);
    return 0;
  }
  const Command* named = find_command(words.front());
  const Command& command = named == nullptr ? kDispatchCommand : *named;
  if (const Option* option = option_awaiting_value(command, words[words.size() - 2])) {
    offer_value(invocation, *option, prefix);
  } else if (prefix.substr(0, 1) == "-") {
    offer_options(command, prefix);
  } else if (command.name == "config" || command.name == "daemon") {
    offer_words(prefix,
                command.name == "config" ? "check|show|path|reload" : "start|stop|restart|reload|status",
                '|');
  } else if (command.name == "hooks") {
    offer_hooks(invocation, words.size() == 2, prefix);
  } else if (command.name == "publish" && words.size() == 2) {
    offer_words(prefix, "task_started|progress|task_completed|task_queued|warning|task_failed|system_alert",
                '|');
  } else if (command.name == "completion") {
    offer_words(prefix, "bash|zsh|fish", '|');
  } else if (command.name == "help") {
    for (const Command* each : all_commands()) {
      offer(prefix, each->group.empty() ? "" : each->name, each->summary);
    }
  } else if (takes_name(command, words, named != nullptr)) {
    offer_for(invocation, command.positional, prefix);
  }
  return 0;
}

Result<int> run_completion(Invocation& invocation) {
  const std::string& shell = invocation.args().positionals().front();
  if (shell == "bash") {
    print(kBash);
  } else if (shell == "zsh") {
    print(kZsh);
  } else if (shell == "fish") {
    print(kFish);
  } else {
    return fail(ErrorKind::usage, "bad_usage", "there is no completion for '" + shell + "'",
                "known: bash, zsh, fish");
  }
  return 0;
}

}  // namespace

const Command kCompletionCommand = {"completion",
                                    "Set up",
                                    "bash | zsh | fish",
                                    "completion script for a shell",
                                    "",
                                    "eval \"$(luzia completion bash)\"",
                                    {},
                                    1,
                                    1,
                                    Completes::nothing,
                                    run_completion};
const Command kCompleteCommand = {
    "__complete",       "",          "-- WORDS", "asked by the completion scripts", "", "", {}, 0, -1,
    Completes::nothing, run_complete};

}  // namespace luzia
