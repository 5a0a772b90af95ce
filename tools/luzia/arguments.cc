#include "tools/luzia/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "adapters/config/nearest.h"
#include "engine/base/local_time.h"
#include "engine/base/lower_case.h"
#include "engine/base/whole_number.h"
#include "projections/rows/names.h"

namespace luzia {
namespace {

tl::unexpected<Error> bad_usage(const Command& command, const std::string& what, std::string hint = {}) {
  if (hint.empty()) {
    hint = "luzia " + std::string(command.name) + " --help";
  }
  return fail(ErrorKind::usage, "bad_usage", what, std::move(hint));
}

std::optional<double> parse_real(std::string_view text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

/// The option that was probably meant; empty: none comes near. A part of a name will do when it is of one
/// option only: --percent for --progress-percent.
std::string meant_option(const Command& command, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      names.push_back("--" + std::string(long_name(option)));
    }
  }
  if (std::string near = nearest_name(given, names); !near.empty()) return near;
  const std::string part = given.substr(std::min(given.size(), given.find_first_not_of('-')));
  if (part.empty()) return {};
  for (const bool at_end : {true, false}) {
    std::vector<std::string> parted;
    std::ranges::copy_if(names, std::back_inserter(parted), [&](const std::string& name) {
      return at_end ? name.ends_with("-" + part) : name.starts_with("--" + part + "-");
    });
    if (parted.size() == 1) return parted.front();
  }
  return {};
}

/// Of a plain argument that was given as an option, --project of `PROJECT "TASK" [options]`: how it is given;
/// empty: there is none of that name.
std::string plain_argument_hint(const Command& command, const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  std::string_view usage = command.synopsis.substr(0, command.synopsis.find('\n'));
  for (const std::string_view options : {" [-", " [options", " -", " |"}) {
    usage = usage.substr(0, usage.find(options));
  }
  for (std::string_view rest = usage; !name.empty() && !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    std::string_view argument = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    argument.remove_prefix(std::min(argument.find_first_not_of("[\""), argument.size()));
    if (argument.substr(0, argument.find_last_not_of("].\"") + 1) == name) {
      return word.substr(word.find_first_not_of('-'), name.size()) +
             " is an argument, not an option: luzia " + std::string(command.name) + " " + std::string(usage);
    }
  }
  return {};
}

/// Of a command that luzia-query has too, or something like it: how to look at the past.
std::string past_hint(std::string_view command) {
  constexpr std::string_view kTheirs[] = {"status",    "jobs",      "job",   "why", "issues",
                                          "questions", "approvals", "tools", "flow"};
  if (std::ranges::find(kTheirs, command) != std::end(kTheirs)) {
    return "luzia-query " + std::string(command) + " --at POSITION|TIME tells it as it was then";
  }
  return command == "logs" ? "luzia-query play JOB tells what was printed when" : "";
}

tl::unexpected<Error> unknown_option(const Command& command, const std::string& word) {
  const std::string what = std::string(command.name) + " has no option ";
  const bool of_past = word.substr(0, word.find('=')) == "--at";
  if (const std::string hint = of_past ? past_hint(command.name) : ""; !hint.empty()) {
    return bad_usage(command, what + "--at", hint);
  }
  if (const std::string hint = plain_argument_hint(command, word); !hint.empty()) {
    return bad_usage(command, what + word, hint);
  }
  const std::string near = meant_option(command, word);
  return bad_usage(command, what + word, near.empty() ? "" : "did you mean " + near + "?");
}

/// "-n" of "-n,--lines"; empty: there is none.
std::string_view short_name(const Option& option) {
  const std::size_t comma = option.names.find(',');
  return comma == std::string_view::npos ? std::string_view() : option.names.substr(0, comma);
}

/// The option whose value is missing at the end of the words; null: that is not what is wrong.
const Option* option_without_value(const Command& command, const std::vector<std::string>& words,
                                   std::vector<std::string>::const_iterator end) {
  if (end == words.begin()) return nullptr;
  const std::string& last = *std::prev(end);
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      if (option.kind == ValueKind::flag) continue;
      if (last == "--" + std::string(long_name(option)) || last == short_name(option)) return &option;
    }
  }
  return nullptr;
}

/// A text like "- do this" is a task, not an option.
bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word[1] != ' ';
}

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> words;
  while (!choices.empty()) {
    const std::size_t bar = choices.find('|');
    words.push_back(choices.substr(0, bar));
    choices.remove_prefix(bar == std::string_view::npos ? choices.size() : bar + 1);
  }
  return words;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (comma != 0) {
      pieces.emplace_back(text.substr(0, comma));
    }
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return pieces;
}

std::string missing_words(std::string_view usage, std::size_t given) {
  // One of several forms: what each of them begins with.
  if (usage.find('\n') != std::string_view::npos && given == 0) {
    std::string firsts;
    std::string_view last;
    for (std::string_view rest = usage; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view word = rest.substr(0, std::min(end, rest.find(' ')));
      if (word != last && word[0] != '-') firsts.append(firsts.empty() ? "" : " or ").append(word);
      last = word;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return firsts;
  }
  std::string_view words = usage.substr(0, usage.find('\n'));
  for (const std::string_view optional : {" [", " -", " >"}) words = words.substr(0, words.find(optional));
  if (words.find(" | ") != std::string_view::npos) return std::string(words);
  for (std::size_t left = given; left > 0 && words.find(' ') != std::string_view::npos; --left) {
    words.remove_prefix(words.find(' ') + 1);
  }
  return std::string(words);
}

std::optional<std::uint8_t> parse_priority(std::string_view written) {
  const std::string word = lower_case(written);
  constexpr std::uint8_t kHigh = 8, kNormal = 5, kLow = 2;
  if (word == "high") {
    return kHigh;
  }
  if (word == "normal") {
    return kNormal;
  }
  if (word == "low") {
    return kLow;
  }
  if (word.size() == 1 && word[0] >= '0' && word[0] <= '9') {
    return static_cast<std::uint8_t>(word[0] - '0');
  }
  return std::nullopt;
}

Result<Arguments> Arguments::parse(const Command& command, const std::vector<std::string>& words,
                                   TimeUs now) {
  Arguments arguments;
  arguments.now_ = now;
  CLI::App app;
  app.set_help_flag();
  // Positionals are told apart here: CLI11 would take "[text]" in them for a list.
  app.allow_extras();
  std::map<std::string, std::size_t, std::less<>> flags;
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      const std::string name(long_name(option));
      if (option.kind == ValueKind::flag) {
        app.add_flag(std::string(option.names), flags[name]);
      } else {
        app.add_option(std::string(option.names), arguments.values_[name])->allow_extra_args(false);
      }
    }
  }
  const auto end = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> reversed(std::make_reverse_iterator(end), words.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    if (const Option* option = option_without_value(command, words, end)) {
      return bad_usage(command, std::string(command.name) + ": " + *std::prev(end) +
                                    " needs a value: " + std::string(option->value));
    }
    return bad_usage(command, "reading the command line: " + std::string(error.what()));
  }
  for (const std::string& word : app.remaining()) {
    if (looks_like_option(word)) return unknown_option(command, word);
    arguments.positionals_.push_back(word);
  }
  if (end != words.end()) {
    arguments.positionals_.insert(arguments.positionals_.end(), std::next(end), words.end());
  }
  if (arguments.positionals_.empty() && !command.otherwise.empty()) {
    arguments.positionals_.emplace_back(command.otherwise);
  }
  for (const auto& [name, count] : flags) {
    if (count > 0) {
      arguments.values_[name] = {"true"};
    }
  }
  std::erase_if(arguments.values_, [](const auto& entry) { return entry.second.empty(); });
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      const std::string_view name = short_name(option);
      const bool typed_short = !name.empty() && std::any_of(words.begin(), end, [&](const auto& word) {
        return word.starts_with(name);
      });
      const std::string whole = "--" + std::string(long_name(option));
      const bool typed_long = std::any_of(words.begin(), end, [&](const auto& word) {
        return word == whole || word.starts_with(whole + "=");
      });
      if (typed_short && !typed_long) arguments.short_names_[std::string(long_name(option))] = name;
    }
  }
  if (const Status checked = arguments.check(command); !checked && !arguments.has("help")) {
    return tl::unexpected(checked.error());
  }
  return arguments;
}

Status Arguments::check(const Command& command) const {
  for (const auto& options : {command.options, common_options()}) {
    for (const Option& option : options) {
      const auto found = values_.find(long_name(option));
      if (found == values_.end()) {
        continue;
      }
      const bool repeatable = option.kind == ValueKind::texts || option.kind == ValueKind::list;
      if (found->second.size() > 1 && !repeatable) {
        return bad_usage(command, typed_name(option) + " is given " + std::to_string(found->second.size()) +
                                      " times, it is taken once");
      }
      for (const std::string& value : found->second) {
        if (Status checked = check_value(option, value); !checked) {
          return checked;
        }
      }
    }
  }
  const int count = static_cast<int>(positionals_.size());
  if (count < command.least_positionals) {
    return bad_usage(command, std::string(command.name) + " needs " +
                                  missing_words(command.synopsis, positionals_.size()) + "; usage: luzia " +
                                  std::string(command.name) + " " +
                                  std::string(command.synopsis.substr(0, command.synopsis.find('\n'))));
  }
  if (command.most_positionals >= 0 && count > command.most_positionals) {
    return bad_usage(command,
                     std::string(command.name) + ": unexpected word '" +
                         positionals_[static_cast<std::size_t>(command.most_positionals)] + "'",
                     "quote a text of several words; repeat an option or separate its values by commas");
  }
  return {};
}

Status Arguments::check_value(const Option& option, const std::string& value) const {
  const std::string name = typed_name(option);
  const auto wrong = [&](const std::string& expected) -> Status {
    return fail(ErrorKind::usage, "bad_value", name + ": '" + value + "' is not " + expected);
  };
  switch (option.kind) {
    case ValueKind::flag:
    case ValueKind::text:
    case ValueKind::texts:
    case ValueKind::list:
      return {};
    case ValueKind::number:
      return parse_whole_number(value) ? Status() : wrong("a whole number from 0");
    case ValueKind::real:
      return parse_real(value) ? Status() : wrong("a number from 0");
    case ValueKind::duration:
      return parse_duration_ms(value) ? Status() : wrong("a duration such as 90s, 10m or 2h30m");
    case ValueKind::moment:
      return parse_local_time(value, now_)
                 ? Status()
                 : wrong("a time such as 14:05, today, 2h, 2026-01-31 or 2026-01-31T12:00:00Z");
    case ValueKind::moment_to_come:
      return parse_local_time_to_come(value, now_)
                 ? Status()
                 : wrong("a time to come such as 2h, 22:30, tomorrow or 2026-01-31T12:00:00Z");
    case ValueKind::priority:
      return parse_priority(value) ? Status() : wrong("a priority: 0 to 9, high, normal or low");
    case ValueKind::choice: {
      const auto choices = split_choices(option.choices);
      std::string listed;
      for (const std::string_view choice : choices) {
        if (choice == value) {
          return {};
        }
        listed += (listed.empty() ? "" : ", ") + std::string(choice);
      }
      return wrong("one of " + listed);
    }
    case ValueKind::states:
      for (const std::string& word : split_list(value)) {
        if (!parse_state(word)) {
          return wrong(
              "a list of states (queued, starting, running, waiting, parked, completed, failed, killed, "
              "timed_out, lost)");
        }
      }
      return {};
  }
  return {};
}

std::string Arguments::typed_name(const Option& option) const {
  const auto found = short_names_.find(long_name(option));
  return found == short_names_.end() ? "--" + std::string(long_name(option)) : found->second;
}

bool Arguments::has(std::string_view option) const {
  return values_.find(option) != values_.end();
}

std::string Arguments::text(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::string() : found->second.front();
}

std::vector<std::string> Arguments::texts(std::string_view option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::uint64_t> Arguments::number(std::string_view option) const {
  return has(option) ? parse_whole_number(text(option)) : std::nullopt;
}

std::optional<double> Arguments::real(std::string_view option) const {
  return has(option) ? parse_real(text(option)) : std::nullopt;
}

std::optional<std::uint64_t> Arguments::duration_ms(std::string_view option) const {
  return has(option) ? parse_duration_ms(text(option)) : std::nullopt;
}

std::optional<TimeUs> Arguments::moment(std::string_view option) const {
  return has(option) ? parse_local_time(text(option), now_) : std::nullopt;
}

std::optional<TimeUs> Arguments::moment_to_come(std::string_view option) const {
  return has(option) ? parse_local_time_to_come(text(option), now_) : std::nullopt;
}

std::optional<std::uint8_t> Arguments::priority(std::string_view option) const {
  return has(option) ? parse_priority(text(option)) : std::nullopt;
}

std::vector<schema::JobState> Arguments::states(std::string_view option) const {
  std::vector<schema::JobState> states;
  for (const std::string& word : split_list(text(option))) {
    states.push_back(*parse_state(word));
  }
  return states;
}

}  // namespace luzia
