// Candidates come from the tables of commands; job ids come from the daemon, if one is running.
#include "tools/cli/completion.h"

#include "engine/event/event.h"
#include "projections/rows/harmless.h"
#include "projections/rows/names.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/table.h"
#include "tools/cli/invocation.h"
#include "view.fb.h"

namespace luzia {
namespace {

constexpr const char* kBash =
    R"(# bash completion of luzia, luzia-query and luzia-fleet: source it, or put it into
# /usr/share/bash-completion/completions as luzia, with luzia-query and luzia-fleet links to it
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
complete -F _luzia luzia luzia-query luzia-fleet
)";

constexpr const char* kZsh = R"(#compdef luzia luzia-query luzia-fleet
# zsh completion of luzia, luzia-query and luzia-fleet: put it into a folder of $fpath as _luzia
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
if [ "$funcstack[1]" = "_luzia" ]; then _luzia "$@"; else compdef _luzia luzia luzia-query luzia-fleet; fi
)";

constexpr const char* kFish =
    R"(# fish completion of luzia, luzia-query and luzia-fleet: put it into ~/.config/fish/completions as luzia.fish,
# with luzia-query.fish and luzia-fleet.fish links to it
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
complete -c luzia-fleet -f -a '(__luzia_complete)'
)";

/// Candidates that begin with the typed prefix, one per line: "WORD<TAB>HELP".
class Candidates {
 public:
  Candidates(Invocation& invocation, std::string prefix)
      : invocation_(invocation), prefix_(std::move(prefix)) {}

  void add(std::string_view word, std::string_view help = {}) {
    if (word.starts_with(prefix_)) lines_.append(word).append("\t").append(help).append("\n");
  }
  void add_words(std::string_view words) {
    for (const std::string_view word : pieces_of(words, '|')) add(word);
  }
  void add_options(const Command* command) {
    for (const auto& options :
         {command == nullptr ? std::span<const Option>() : command->options, invocation_.program().common}) {
      for (const Option& option : options) add("--" + std::string(long_name(option)), option.help);
    }
  }
  void add_commands() {
    for (const Command* command : invocation_.program().commands) {
      if (!command->group.empty()) add(command->name, command->summary);
    }
  }
  void add_jobs();
  void add_value(const Command* command, const Option& option);
  void add_fields(const Command& command);
  void add_for(Completes what);
  const std::string& prefix() const { return prefix_; }
  const std::string& lines() const { return lines_; }

 private:
  template <class Map>
  void add_names(const Map& map, std::string_view help) {
    for (const auto& [name, value] : map) add(name, help);
  }

  Invocation& invocation_;
  std::string prefix_;
  std::string lines_;
};

void Candidates::add_jobs() {
  add("@last", "the newest job");
  constexpr std::chrono::milliseconds kMost{1'000};  // a person waits at the prompt
  invocation_.be_patient({kMost, {}});
  auto client = invocation_.connect(WhenAbsent::complain);
  if (!client) return;
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.limit = 100;
  const auto answer = client->ask(request_of(std::move(query)));
  const wire::RowsT* rows = answer ? (*answer)->reply.AsRows() : nullptr;
  if (rows == nullptr) return;
  for (const auto& row : rows->rows) {
    const auto* job = verified_row<view::Job>({row->data.data(), row->data.size()});
    if (job == nullptr) continue;
    const std::string project = make_harmless(text(job->project()), {.keep_tabs = false});
    add(text(job->id()), std::string(state_name(job->state())) + " " + fit_width(project, 40));
  }
}

void Candidates::add_for(Completes what) {
  if (what == Completes::job) return add_jobs();
  if (what == Completes::command) return add_commands();
  if (what == Completes::file || what == Completes::directory) {
    lines_ = what == Completes::file ? ":file\n" : ":directory\n";
    return;
  }
  const auto config = what == Completes::nothing ? Result<const Config*>(nullptr) : invocation_.config();
  if (!config || *config == nullptr) return;
  if (what == Completes::project) add_names((*config)->projects, "project");
  if (what == Completes::agent) add_names((*config)->agents, "agent");
  if (what == Completes::schedule) add_names((*config)->schedules, "schedule");
  if (what == Completes::machine) add_names((*config)->machines, "machine");
  if (what != Completes::hook) return;
  add_names((*config)->hooks, "hook");
  add_names((*config)->webhooks, "webhook");
}

/// Of a list of fields the last one; "-" for descending stays in front.
void Candidates::add_fields(const Command& command) {
  std::size_t begin = prefix_.rfind(',') + 1;  // 0: there is no comma
  if (prefix_.substr(begin).starts_with('-')) ++begin;
  for (const Column& field : command.fields({})) add(prefix_.substr(0, begin) + field.title);
}

void Candidates::add_value(const Command* command, const Option& option) {
  if (option.completes == Completes::field && command != nullptr && command->fields != nullptr) {
    add_fields(*command);
  } else if (option.kind == ValueKind::choice) {
    add_words(option.choices);
  } else if (option.kind == ValueKind::states || option.kind == ValueKind::shown_states) {
    for (const schema::JobState state : schema::EnumValuesJobState()) {
      if (state != schema::JobState::none) add(state_name(state));
    }
    if (option.kind == ValueKind::shown_states) add_words("proved|refuted");
  } else if (option.kind == ValueKind::flow_states) {
    add_words("active|completed|failed|cancelled");
  } else if (option.kind == ValueKind::todo_states) {
    add_words("pending|in_progress|completed");
  } else if (option.kind == ValueKind::priority) {
    add_words("high|normal|low");
  } else {
    add_for(option.completes);
  }
}

/// Counts the arguments in `words`, without options and their values.
int count_arguments(const Program& program, const Command& command, const std::vector<std::string>& words) {
  int given = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].substr(0, 1) != "-") {
      ++given;
    } else if (option_awaiting_value(program, &command, words[i]) != nullptr) {
      ++i;
    }
  }
  return given;
}

/// Adds candidates for the command's next argument after `before`. Only the first argument, the project, is
/// completed for commands that take a project: a task follows it.
void add_arguments(Candidates& candidates, const Program& program, const Command& command,
                   const std::vector<std::string>& before) {
  const int given = count_arguments(program, command, before);
  if (given == 0) {
    candidates.add_words(command.words);
    for (const Command& part : command.parts) {
      candidates.add(part.name.substr(command.name.size() + 1), part.summary);
    }
  }
  const int most = command.positionals.completes == Completes::project ? 1 : command.positionals.most;
  if (most < 0 || given < most) candidates.add_for(command.positionals.completes);
}

Result<int> run_complete(Invocation& invocation) {
  const Program& program = invocation.program();
  std::vector<std::string> words = invocation.args().positionals();
  Candidates candidates(invocation, words.empty() ? "" : words.back());
  if (!words.empty()) words.pop_back();
  const std::string before = words.empty() ? "" : words.back();
  const std::size_t at = command_index(program, words);
  const Command* command = at < words.size() ? find_command(program, words[at]) : nullptr;
  const bool named = command != nullptr;
  if (named) words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  if (!named && at < words.size()) command = program.otherwise;
  if (command != nullptr) {
    const auto chosen = narrowed(program, {command, std::move(words)});
    command = chosen ? chosen->command : nullptr;
    words = chosen ? chosen->words : std::vector<std::string>();
  }
  if (const Option* option = option_awaiting_value(program, command, before)) {
    candidates.add_value(command, *option);
  } else if (candidates.prefix().starts_with("-")) {
    candidates.add_options(command);
  } else if (command != nullptr) {
    add_arguments(candidates, program, *command, words);
  } else {
    candidates.add_commands();
    if (program.otherwise != nullptr) candidates.add_for(program.otherwise->positionals.completes);
  }
  const Status written = invocation.console().write(candidates.lines());
  return written ? Result<int>(0) : tl::unexpected(written.error());
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
    return fail(ErrorKind::usage, "bad_usage", "no completion script for '" + shell + "'",
                "known: bash, zsh, fish");
  }
  return 0;
}

}  // namespace

const Command kCompletionCommand = {"completion",
                                    "Set up",
                                    "bash | zsh | fish",
                                    "print the completion script for a shell",
                                    "",
                                    "eval \"$(luzia completion bash)\"",
                                    {},
                                    {1, 1},
                                    run_completion,
                                    false,
                                    {},
                                    "bash|zsh|fish"};
const Command kCompleteCommand = {"__complete", "", "-- WORDS", "list candidates for the completion scripts",
                                  "",           "", {},         {0, -1},
                                  run_complete};

}  // namespace luzia
