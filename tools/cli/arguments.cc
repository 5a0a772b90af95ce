#include "tools/cli/arguments.h"

#include <algorithm>
#include <array>

#include "adapters/config/byte_size.h"
#include "adapters/config/nearest.h"
#include "engine/base/joined_names.h"
#include "engine/base/local_time.h"
#include "engine/base/lower_case.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "projections/rows/names.h"
#include "tools/cli/shown_list.h"
#include "tools/cli/typed_words.h"

namespace luzia {
namespace {

/// The tables that define the valid words.
struct Tables {
  const Program& program;
  const Command& command;

  std::array<std::span<const Option>, 2> options() const { return {command.options, program.common}; }
  std::string called() const { return std::string(program.name) + " " + std::string(command.name); }
};

tl::unexpected<Error> bad_usage(const Tables& tables, const std::string& what, const std::string& hint = {}) {
  return fail(ErrorKind::usage, "bad_usage", what, hint.empty() ? tables.called() + " --help" : hint);
}

/// The words of --state where flows or todos are listed.
constexpr std::array<std::string_view, 4> kFlowStates = {"active", "completed", "failed", "cancelled"};
constexpr std::array<std::string_view, 3> kTodoStates = {"pending", "in_progress", "completed"};

/// What lists show instead of a state, where --state is about jobs.
constexpr std::array<std::string_view, 2> kProofs = {"proved", "refuted"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

template <class Condition>
bool all_of(std::string_view list, Condition condition) {
  return std::ranges::all_of(split_list(list), condition);
}

/// The state of a job that stands for a word of --state. `word` was checked.
schema::JobState state_meant(std::string_view word) {
  if (word == kFlowStates.front() || word == kTodoStates[1]) return schema::JobState::running;
  return word == kTodoStates.front() ? schema::JobState::queued : *parse_state(word);
}

std::optional<double> parse_real(std::string_view text) {
  const auto number = parse_number<double>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// The option that was probably meant; empty: none is similar. Part of a name is enough if only one option
/// has it: --percent for --progress-percent, --prio for --priority.
std::string meant_option(const Tables& tables, const std::string& word) {
  const std::string given = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const auto& options : tables.options()) {
    for (const Option& option : options) names.push_back("--" + std::string(long_name(option)));
  }
  if (std::string near = nearest_name(given, names); !near.empty()) return near;
  const std::string part = given.substr(std::min(given.size(), given.find_first_not_of('-')));
  if (part.size() < 2) return {};
  for (const bool at_end : {true, false}) {
    std::vector<std::string> parted;
    std::ranges::copy_if(names, std::back_inserter(parted), [&](const std::string& name) {
      return at_end ? name.ends_with("-" + part) : name.starts_with("--" + part);
    });
    if (parted.size() == 1) return parted.front();
  }
  return {};
}

/// A hint for a plain argument that was given as an option (--project for `PROJECT "TASK" [options]`): how to
/// give it. Empty: the command has no argument of that name.
std::string plain_argument_hint(const Tables& tables, const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  name.erase(0, name.find_first_not_of('-'));
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; });
  const std::string_view synopsis = tables.command.synopsis;
  std::string_view usage = synopsis.substr(0, synopsis.find('\n'));
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
             " is an argument, not an option: " + tables.called() + " " + std::string(usage);
    }
  }
  return {};
}

tl::unexpected<Error> unknown_option(const Tables& tables, const std::string& word) {
  const std::string hint = plain_argument_hint(tables, word);
  std::string_view name = std::string_view(word).substr(0, word.find('='));
  name.remove_prefix(std::min(name.size(), name.find_first_not_of('-')));
  const std::string_view why = tables.command.unfiltered;
  if (!why.empty() && is_filter(name)) {
    auto refused = no_such_filter(tables.command.name, name, why);
    if (!hint.empty()) refused.value().hint = hint;
    return refused;
  }
  const std::string what = std::string(tables.command.name) + " has no option ";
  if (!hint.empty()) return bad_usage(tables, what + word, hint);
  const std::string near = meant_option(tables, word);
  return bad_usage(tables, what + word, near.empty() ? "" : "did you mean " + near + "?");
}

/// A value for the option, to show what is meant; empty: its placeholder says enough.
std::string_view example_of(const Option& option) {
  switch (option.kind) {
    case ValueKind::flag:
    case ValueKind::text:
    case ValueKind::texts:
    case ValueKind::list:
      return {};
    case ValueKind::number:
      return "10";
    case ValueKind::real:
      return "0.5";
    case ValueKind::factor:
      return "10x";
    case ValueKind::duration:
    case ValueKind::moment_to_come:
      return "30m";
    case ValueKind::bytes:
      return "4G";
    case ValueKind::percent:
      return "200%";
    case ValueKind::moment:
    case ValueKind::bound:
    case ValueKind::place:
    case ValueKind::place_before:
      return "14:05";
    case ValueKind::choice:
      return option.choices.substr(0, option.choices.find('|'));
    case ValueKind::priority:
      return "high";
    case ValueKind::states:
    case ValueKind::shown_states:
    case ValueKind::flow_states:
      return "failed";
    case ValueKind::todo_states:
      return "pending";
  }
  return {};
}

/// Looks for options that lack a value, or have one too many: nothing follows them but the end or another
/// option. (CLI11 would take that option for the value, or answer in words of its own.)
Status check_values_given(const Tables& tables, std::span<const std::string> words) {
  const auto lacks_value = [&](const Option& option, const std::string& typed) {
    const std::string_view example = example_of(option);
    return bad_usage(tables, typed + (example.empty() ? " needs a value: " + std::string(option.value)
                                                      : " needs a value, such as " + std::string(example)));
  };
  const auto is_option = [&](const std::string& word) {
    return word.starts_with("--") && std::ranges::any_of(tables.options(), [&](const auto& options) {
             return std::ranges::any_of(options, [&](const Option& option) {
               return std::string_view(word).substr(2) == long_name(option);
             });
           });
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (const Option* option = option_awaiting_value(tables.program, &tables.command, word)) {
      if (i + 1 == words.size() || is_option(words[i + 1])) return lacks_value(*option, word);
      ++i;
      continue;
    }
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos) continue;
    const std::string name = word.substr(0, equals);
    const Option* const option = option_awaiting_value(tables.program, &tables.command, name);
    if (option != nullptr && equals + 1 == word.size()) return lacks_value(*option, name);
    if (option == nullptr && is_option(name)) return bad_usage(tables, name + " takes no value");
  }
  return {};
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "10x", "0.5": above 0, at most kFastest.
std::optional<double> parse_factor(std::string_view text) {
  constexpr double kFastest = 1e6;
  if (text.ends_with('x')) text.remove_suffix(1);
  const auto factor = parse_real(text);
  return factor && *factor > 0 && *factor <= kFastest ? factor : std::nullopt;
}

tl::unexpected<Error> bad_value(const std::string& name, const std::string& what, const char* hint = "") {
  return fail(ErrorKind::usage, "bad_value", name + ": " + what, hint);
}

/// Checks that the value is a past time; `or_to_come`: a future time is valid, too.
Status check_moment(const std::string& name, const std::string& value, TimeUs now, bool or_to_come) {
  auto time = parse_local_time(value, now);
  const bool is_time = time && *time > 0;
  if (is_time && (or_to_come || *time <= now)) return {};
  if (!is_time) time = parse_local_time_to_come(value, now);
  if (time && *time > now) {
    return bad_value(
        name, value + " is in the future (" + format_local(*time) + ")",
        "HH:MM is the last one, local time; examples: 2h, 14:05, yesterday 22:00, 2026-11-21T14:05:00Z");
  }
  return bad_value(name, "'" + value + "' is not a time",
                   "examples: 2h (ago), 14:05 (the last), yesterday 22:00, 2026-11-21, 2026-11-21T14:05:00Z");
}

Status check_place(const std::string& name, const std::string& value, TimeUs now, bool or_0) {
  if (!is_digits(value)) return check_moment(name, value, now, false);
  const auto position = parse_whole_number(value);
  if (!position) return bad_value(name, "'" + value + "' is not a log position");
  if (*position > 0 || or_0) return {};
  return fail(ErrorKind::usage, "no_such_position", name + " 0: log positions begin at 1");
}

/// Which arguments name jobs or a flow: from the place of JOB in the synopsis on, all of them where it is
/// JOB...
struct JobArguments {
  std::size_t first = 0, end = 0;
};

JobArguments job_arguments(const Command& command, std::size_t count) {
  const std::string_view synopsis = command.synopsis;
  // FLOW has the same place in each form of a command that takes one.
  for (const std::string_view form : pieces_of(synopsis, '\n')) {
    const auto words = pieces_of(form, ' ');
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "FLOW" || words[i] == "[FLOW]") return {i, std::min(i + 1, count)};
    }
  }
  if (command.positionals.completes != Completes::job) return {};
  const auto words = pieces_of(synopsis.substr(0, synopsis.find('\n')), ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.starts_with('[')) word.remove_prefix(1);
    if (word.starts_with("JOB...")) return {i, count};
    if (word == "JOB" || word == "JOB]") return {i, std::min(i + 1, count)};
  }
  return {};
}

}  // namespace

Status Arguments::name_rows(const Command& command,
                            const std::function<Result<std::string>(std::string_view word)>& job_of) {
  const auto name = [&](std::string& word) -> Status {
    if (row_named_by(word) == 0) return {};
    word = LUZIA_TRY(job_of(word));
    return {};
  };
  const JobArguments jobs = job_arguments(command, positionals_.size());
  for (std::size_t i = jobs.first; i < jobs.end; ++i) LUZIA_TRY(name(positionals_[i]));
  for (const Option& option : command.options) {
    const auto values = values_.find(long_name(option));
    if (option.completes != Completes::job || values == values_.end()) continue;
    for (std::string& value : values->second) {
      std::string named;
      for (std::string& piece : split_list(value)) {
        LUZIA_TRY(name(piece));
        named += (named.empty() ? "" : ",") + piece;
      }
      if (value.find('%') != std::string::npos) value = std::move(named);
    }
  }
  return {};
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  const auto pieces = pieces_of(text, separator);
  return {pieces.begin(), pieces.end()};
}

std::string missing_words(std::string_view usage, std::size_t given) {
  // Several forms and nothing given: list what each form begins with.
  if (usage.find('\n') != std::string_view::npos && given == 0) {
    std::string firsts;
    std::string_view last;
    for (const std::string_view form : pieces_of(usage, '\n')) {
      const std::string_view word = form.substr(0, form.find(' '));
      if (word != last && word[0] != '-') firsts.append(firsts.empty() ? "" : " or ").append(word);
      last = word;
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
  if (word == "high") return kHigh;
  if (word == "normal") return kNormal;
  if (word == "low") return kLow;
  if (word.size() == 1 && word[0] >= '0' && word[0] <= '9') return static_cast<std::uint8_t>(word[0] - '0');
  return std::nullopt;
}

Result<Arguments> Arguments::parse(const Program& program, const Command& command,
                                   const std::vector<std::string>& words, TimeUs now) {
  const Tables tables{program, command};
  Arguments arguments;
  arguments.now_ = now;
  const auto end = std::find(words.begin(), words.end(), "--");
  LUZIA_TRY(check_values_given(tables, {words.begin(), end}));
  auto typed = typed_words(program, command, {words.begin(), end});
  if (!typed) return bad_usage(tables, std::string(command.name) + ": these options cannot be read");
  for (const std::string& word : typed->others) {
    if (looks_like_option(word)) return unknown_option(tables, word);
    arguments.positionals_.push_back(word);
  }
  arguments.values_ = std::move(typed->values);
  if (end != words.end()) {
    arguments.positionals_.insert(arguments.positionals_.end(), std::next(end), words.end());
  }
  if (arguments.positionals_.empty() && !command.otherwise.empty()) {
    arguments.positionals_.emplace_back(command.otherwise);
  }
  for (const auto& options : tables.options()) {
    for (const Option& option : options) {
      const std::string_view name = short_name(option);
      const bool typed_short = !name.empty() && std::any_of(words.begin(), end, [&](const auto& word) {
        return word.starts_with(name);
      });
      if (!typed_short) continue;
      const std::string whole = "--" + std::string(long_name(option));
      const bool typed_long = std::any_of(words.begin(), end, [&](const auto& word) {
        return word == whole || word.starts_with(whole + "=");
      });
      if (!typed_long) arguments.short_names_[std::string(long_name(option))] = name;
    }
  }
  if (const Status checked = arguments.check(program, command); !checked && !arguments.has("help")) {
    return tl::unexpected(checked.error());
  }
  return arguments;
}

Status Arguments::check(const Program& program, const Command& command) const {
  const Tables tables{program, command};
  for (const auto& options : tables.options()) {
    for (const Option& option : options) {
      const auto found = values_.find(long_name(option));
      if (found == values_.end()) continue;
      const bool repeatable = option.kind == ValueKind::texts || option.kind == ValueKind::list ||
                              option.kind == ValueKind::states || option.kind == ValueKind::shown_states ||
                              option.kind == ValueKind::flow_states || option.kind == ValueKind::todo_states;
      if (found->second.size() > 1 && !repeatable) {
        return bad_usage(tables, typed_name(option) + " is given " + std::to_string(found->second.size()) +
                                     " times; it can be given only once");
      }
      for (const std::string& value : found->second) {
        LUZIA_TRY(check_value(option, value));
      }
    }
  }
  const int count = static_cast<int>(positionals_.size());
  if (count < command.positionals.least) {
    const std::string name(command.name);
    if (count == 0 && !command.words.empty())
      return bad_usage(tables, name + " needs one of " + joined_names(pieces_of(command.words, '|')));
    return bad_usage(tables, name + " needs " + missing_words(command.synopsis, positionals_.size()) +
                                 "; usage: " + tables.called() + " " +
                                 std::string(command.synopsis.substr(0, command.synopsis.find('\n'))));
  }
  if (command.positionals.most >= 0 && count > command.positionals.most) {
    return bad_usage(tables,
                     std::string(command.name) + ": unexpected word '" +
                         positionals_[static_cast<std::size_t>(command.positionals.most)] + "'",
                     "quote a text of several words; to give several values, repeat the option or separate "
                     "them by commas");
  }
  return {};
}

Status Arguments::check_value(const Option& option, const std::string& value) const {
  const std::string name = typed_name(option);
  const auto wrong = [&](const std::string& expected) -> Status {
    return bad_value(name, "'" + value + "' is not " + expected);
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
    case ValueKind::bytes:
      return parse_bytes(value) ? Status() : wrong("a size such as 512M or 4G");
    case ValueKind::percent:
      return parse_percent(value) ? Status() : wrong("a percentage such as 200%");
    case ValueKind::factor:
      return parse_factor(value) ? Status() : wrong("a factor such as 10x or 0.5x");
    case ValueKind::moment:
    case ValueKind::bound:
      return check_moment(name, value, now_, option.kind == ValueKind::bound);
    case ValueKind::place:
    case ValueKind::place_before:
      return check_place(name, value, now_, option.kind == ValueKind::place_before);
    case ValueKind::moment_to_come:
      return parse_local_time_to_come(value, now_)
                 ? Status()
                 : wrong("a future time such as 2h, 22:30, tomorrow or 2026-01-31T12:00:00Z");
    case ValueKind::priority:
      return parse_priority(value) ? Status() : wrong("a priority: 0 to 9, high, normal or low");
    case ValueKind::choice: {
      const auto choices = pieces_of(option.choices, '|');
      return is_one_of(value, choices) ? Status() : wrong("one of " + joined_names(choices));
    }
    case ValueKind::states:
    case ValueKind::shown_states: {
      const bool shown = option.kind == ValueKind::shown_states;
      const auto is_state = [shown](const std::string& word) {
        return parse_state(word).has_value() || (shown && is_one_of(word, kProofs));
      };
      return all_of(value, is_state)
                 ? Status()
                 : wrong(
                       std::string("a list of states (queued, starting, running, waiting, parked, completed, "
                                   "failed, killed, timed_out, lost, skipped, cancelled") +
                       (shown ? ", proved, refuted)" : ")"));
    }
    case ValueKind::flow_states:
      return all_of(value, [](const std::string& word) { return is_one_of(word, kFlowStates); })
                 ? Status()
                 : wrong("a list of states of flows (" + joined_names(kFlowStates) + ")");
    case ValueKind::todo_states:
      return all_of(value, [](const std::string& word) { return is_one_of(word, kTodoStates); })
                 ? Status()
                 : wrong("a list of states of todos (" + joined_names(kTodoStates) + ")");
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

std::optional<double> Arguments::factor(std::string_view option) const {
  return has(option) ? parse_factor(text(option)) : std::nullopt;
}

std::optional<Moment> Arguments::place(std::string_view option) const {
  if (!has(option)) return std::nullopt;
  const std::string word = text(option);
  if (is_digits(word)) return Moment{parse_whole_number(word).value_or(0), 0};
  return Moment{0, parse_local_time(word, now_).value_or(0)};
}

std::optional<std::uint64_t> Arguments::bytes(std::string_view option) const {
  return has(option) ? parse_bytes(text(option)) : std::nullopt;
}

std::optional<std::uint32_t> Arguments::percent(std::string_view option) const {
  return has(option) ? parse_percent(text(option)) : std::nullopt;
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

std::vector<std::string> Arguments::list(std::string_view option) const {
  std::vector<std::string> all;
  for (const std::string& text : texts(option)) {
    for (std::string& piece : split_list(text)) all.push_back(std::move(piece));
  }
  return all;
}

std::vector<schema::JobState> Arguments::states(std::string_view option) const {
  std::vector<schema::JobState> states;
  for (const std::string& word : list(option)) {
    if (!is_one_of(word, kProofs)) states.push_back(state_meant(word));
  }
  return states;
}

}  // namespace luzia
