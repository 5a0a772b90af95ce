#include "tools/luzia/program.h"

#include <time.h>

#include <algorithm>
#include <cstdio>

#include "adapters/config/config.h"
#include "engine/base/shell_quote.h"
#include "projections/rows/unreadable.h"
#include "tools/luzia/families.h"
#include "tools/luzia/help.h"
#include "tools/luzia/invocation.h"

namespace luzia {
namespace {

TimeUs wall_now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<TimeUs>(time.tv_sec) * kSecondUs + time.tv_nsec / 1'000;
}

bool takes_value(const std::string& word) {
  return word == "--store" || word == "--config" || word == "--color" || word == "--patience";
}

/// The index of the word that names the command: the first that is neither an option nor its value.
std::size_t command_index(const std::vector<std::string>& words) {
  std::size_t i = 0;
  while (i < words.size() && words[i].size() > 1 && words[i][0] == '-') i += takes_value(words[i]) ? 2 : 1;
  return i;
}

/// After -- come the words of a command, which a shell runs: they become one task, for the project that is
/// named or for the current folder.
std::vector<std::string> with_command_line(std::vector<std::string> words) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end() || std::next(dashes) == words.end()) return words;
  std::vector<std::string> head(words.begin(), dashes);
  const std::size_t at = command_index(head);
  const Command* command = at < head.size() ? find_command(head[at]) : &kRunCommand;
  if (command != nullptr && command != &kRunCommand && command != &kDispatchCommand) return words;
  if (at >= head.size()) head.emplace_back(kRunCommand.name);
  const bool for_agent = std::ranges::any_of(
      head, [](const std::string& word) { return word == "-a" || word.starts_with("--agent"); });
  if (!for_agent) head.insert(head.end(), {"--agent", "shell"});
  std::string line = *std::next(dashes);  // a single word may be a whole line for the shell
  if (std::next(dashes, 2) != words.end()) {
    line.clear();
    for (auto word = std::next(dashes); word != words.end(); ++word) {
      line += (line.empty() ? "" : " ") + shell_quote(*word);
    }
  }
  head.insert(head.end(), {"--", std::move(line)});
  return head;
}

/// A word of other programs, unless a project is called so.
const Command* command_meant(const std::string& word) {
  if (const Command* command = find_command(word)) return command;
  const Command* meant = find_alias(word);
  if (meant == nullptr) return nullptr;
  const auto config = load_config();
  return config && config->projects.contains(word) ? nullptr : meant;
}

struct Chosen {
  const Command* command;
  std::vector<std::string> words;
};

Result<Chosen> choose(std::vector<std::string> words) {
  const std::size_t at = command_index(words);
  if (at >= words.size()) {
    return Chosen{&kHelpCommand, {}};
  }
  if (const Command* command = command_meant(words[at])) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    return Chosen{command, std::move(words)};
  }
  // A single unknown word is rather a slip than a project without a task.
  const bool alone =
      std::count_if(words.begin(), words.end(), [](const auto& word) { return word[0] != '-'; }) == 1;
  const std::string near = words[at].empty() ? std::string() : nearest_command(words[at]);
  if (alone && words.size() == at + 1) {
    return fail(ErrorKind::usage, "bad_usage",
                "'" + words[at] + "' is no command, and a project needs a task",
                words[at].empty() ? "luzia PROJECT \"TASK\"; is a variable of your script not set?"
                : is_query_command(words[at]) ? "did you mean luzia-query " + words[at] + "?"
                : !near.empty()               ? "did you mean luzia " + near + "?"
                                              : "luzia " + words[at] + " \"TASK\", or luzia help");
  }
  return Chosen{&kDispatchCommand, std::move(words)};
}

/// As an option: what stands behind "--" is none.
bool has_option(const std::vector<std::string>& words, std::string_view option) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, option) != end;
}

int finish(Result<int> code, bool as_json) {
  const int value = code ? *code : print_error(code.error(), as_json);
  // A full disk or a closed pipe must not look like success.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return print_error(
        Error{ErrorKind::trouble, "unwritable", "writing to standard output: it takes no more", {}}, as_json);
  }
  return value;
}

}  // namespace

int run_program(std::vector<std::string> words) {
  words = with_command_line(std::move(words));
  const bool as_json = has_option(words, "--json");
  const std::size_t at = command_index(words);
  if (at >= words.size() && has_option(words, "--version")) {
    print_line("luzia " LUZIA_VERSION);
    return finish(0, as_json);
  }
  if (at > words.size()) {
    return finish(fail(ErrorKind::usage, "bad_usage", words.back() + " needs a value", "luzia help"),
                  as_json);
  }
  if (at >= words.size()) {
    for (const std::string& word : words) {
      if (word != "--help" && word != "-h") {
        return finish(
            fail(ErrorKind::usage, "bad_usage", "there is no command in: luzia " + word, "luzia help"),
            as_json);
      }
    }
  }
  const auto chosen = choose(std::move(words));
  if (!chosen) {
    return finish(tl::unexpected(chosen.error()), as_json);
  }
  auto arguments = Arguments::parse(*chosen->command, chosen->words, wall_now());
  if (!arguments) {
    return finish(tl::unexpected(arguments.error()), as_json);
  }
  if (arguments->has("help")) {
    print(command_help(*chosen->command));
    return finish(0, as_json);
  }
  Invocation invocation(*chosen->command, std::move(*arguments));
  auto code = chosen->command->run(invocation);
  // For other commands a text is not the point.
  const bool shows = std::string_view(chosen->command->group) == "Look";
  if (code && *code == 0 && shows && invocation.unreadable() > 0) {
    code = tl::unexpected(unreadable_rows(invocation.unreadable()));
  }
  return finish(std::move(code), as_json);
}

}  // namespace luzia
