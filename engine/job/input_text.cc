#include "engine/job/input_text.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/lower_case.h"
#include "engine/base/whole_number.h"
#include "engine/job/inputs.h"

namespace luzia {
namespace {

using schema::QuestionType;

/// Index of the only one of `names` for which `test` is true; npos: none or several.
template <class Test>
std::size_t only_one(const std::vector<std::string>& names, Test test) {
  std::size_t found = std::string::npos;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!test(names[i])) continue;
    if (found != std::string::npos) return std::string::npos;
    found = i;
  }
  return found;
}

/// A number from 1 to `count`, as an index from 0; npos: anything else.
std::size_t number_in(std::string_view typed, std::size_t count) {
  const std::size_t number = parse_whole_number<std::size_t>(typed).value_or(0);
  return number >= 1 && number <= count ? number - 1 : std::string::npos;
}

/// Picks an option by its exact text, its number, its name or its prefix. A number with which another option
/// begins is refused: "1" of "3, 5, 10" could mean the first option or "10".
std::size_t pick_option(const std::vector<std::string>& options, std::string_view typed) {
  const auto is_typed = [typed](const std::string& option) { return trimmed(option) == typed; };
  const auto exact = std::ranges::find_if(options, is_typed);
  if (exact != options.end()) return static_cast<std::size_t>(exact - options.begin());
  const std::size_t by_number = number_in(typed, options.size());
  if (by_number == std::string::npos) return pick_name(options, typed);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (i != by_number && trimmed(options[i]).starts_with(typed)) return std::string::npos;
  }
  return by_number;
}

std::string listed(const std::vector<std::string>& options) {
  constexpr std::size_t kMostWords = 400;
  std::string words;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (words.size() > kMostWords) return words + ", ...";
    if (i > 0) words += ", ";
    words += std::to_string(i + 1) + " " + options[i];
  }
  return words;
}

tl::unexpected<Error> no_option(std::string_view typed, const std::vector<std::string>& options) {
  return fail(ErrorKind::usage, "bad_answer",
              "'" + std::string(typed) + "' is none of the options, or could be several",
              "answer with a number or a name: " + listed(options));
}

Result<std::string> chosen(const std::vector<std::string>& options, std::string_view typed) {
  const std::size_t index = pick_option(options, typed);
  if (index == std::string::npos) return no_option(typed, options);
  return options[index];
}

/// The chosen options in the order of the question, each once.
Result<std::string> chosen_several(const std::vector<std::string>& options, std::string_view typed) {
  std::vector<bool> taken(options.size(), false);
  const std::size_t whole = pick_option(options, typed);  // an option may contain commas itself
  if (whole != std::string::npos) {
    taken[whole] = true;
    typed = {};
  }
  while (!typed.empty()) {
    const std::size_t comma = typed.find(',');
    const std::string_view part = trimmed(typed.substr(0, comma));
    typed.remove_prefix(comma == std::string_view::npos ? typed.size() : comma + 1);
    if (part.empty()) continue;
    const std::size_t index = pick_option(options, part);
    if (index == std::string::npos) return no_option(part, options);
    taken[index] = true;
  }
  std::string joined;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (taken[i]) joined += (joined.empty() ? "" : ", ") + options[i];
  }
  if (joined.empty()) {
    return fail(ErrorKind::usage, "bad_answer", "the answer names no option", listed(options));
  }
  return joined;
}

Result<std::string> confirmed(std::string_view typed) {
  const std::string word = lower_case(typed);
  for (const char* yes : {"yes", "y", "true", "1", "ok"}) {
    if (word == yes) return std::string("yes");
  }
  for (const char* no : {"no", "n", "false", "0"}) {
    if (word == no) return std::string("no");
  }
  return fail(ErrorKind::usage, "bad_answer", "'" + std::string(typed) + "' is neither yes nor no",
              "answer yes or no");
}

tl::unexpected<Error> bad_options(const std::string& why) {
  return fail(ErrorKind::usage, "bad_options", "the question's options are wrong: " + why,
              "a choice has two or more, each different and not empty");
}

Status check_choices(const std::vector<std::string>& options) {
  if (options.size() < 2) return bad_options("there are fewer than two");
  if (options.size() > kMaxOptions) return bad_options("there are more than " + std::to_string(kMaxOptions));
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (trimmed(options[i]).empty()) return bad_options("number " + std::to_string(i + 1) + " is empty");
    if (options[i].size() > kMaxOptionText) {
      return bad_options("number " + std::to_string(i + 1) + " is longer than 1 KiB");
    }
    const auto rest = options.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::find(rest, options.end(), options[i]) != options.end()) {
      return bad_options("number " + std::to_string(i + 1) + " stands there twice");
    }
  }
  return {};
}

}  // namespace

std::size_t pick_name(const std::vector<std::string>& names, std::string_view typed) {
  const std::string word = lower_case(trimmed(typed));
  if (word.empty()) return std::string::npos;
  const std::size_t same = only_one(names, [&](const std::string& name) { return lower_case(name) == word; });
  if (same != std::string::npos) return same;
  return only_one(names, [&](const std::string& name) { return lower_case(name).starts_with(word); });
}

Status check_options(schema::QuestionType type, const std::vector<std::string>& options,
                     std::string_view default_answer) {
  switch (type) {
    case QuestionType::text:
    case QuestionType::confirm:
      if (!options.empty()) return bad_options("only a choice has any");
      break;
    case QuestionType::choice:
    case QuestionType::multi_select:
      LUZIA_TRY(check_choices(options));
      break;
  }
  if (default_answer.empty()) return {};
  const auto as_answer = normal_answer(type, options, default_answer);
  if (as_answer && *as_answer == default_answer) return {};
  // Without the text of the default: messages are logged, texts of agents and people are not.
  return fail(ErrorKind::usage, "bad_default", "the default is not an answer to the question",
              as_answer ? "write it out, as the answer would be stored: the option's whole name, yes or no"
                        : "it must be one of the options, or yes or no");
}

Result<std::string> normal_answer(schema::QuestionType type, const std::vector<std::string>& options,
                                  std::string_view typed) {
  if (typed.size() > kMaxInputText) {
    return fail(ErrorKind::usage, "bad_answer", "the answer is longer than 64 KiB",
                "put it in a file and answer with its path");
  }
  if (trimmed(typed).empty()) {
    return fail(ErrorKind::usage, "bad_answer", "the answer is empty",
                "say what the agent should hear, or luzia question cancel JOB");
  }
  switch (type) {
    case QuestionType::text:
      return std::string(typed);
    case QuestionType::choice:
      return chosen(options, trimmed(typed));
    case QuestionType::confirm:
      return confirmed(trimmed(typed));
    case QuestionType::multi_select:
      return chosen_several(options, trimmed(typed));
  }
  return std::string(typed);
}

Result<std::string> free_answer(schema::QuestionType type, const std::vector<std::string>& options,
                                std::string_view typed) {
  auto answer = normal_answer(type, options, typed);
  const std::string_view own = trimmed(typed);
  const bool is_number = own.find_first_not_of("0123456789") == std::string_view::npos;
  if (answer || is_number || own.size() > kMaxInputText) return answer;
  return std::string(own);
}

}  // namespace luzia
