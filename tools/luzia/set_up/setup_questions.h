// The questions of `luzia init`: asked at a terminal, or answered by their defaults. One thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/luzia/set_up/setup.h"

namespace luzia::init {

/// Shows the text, which ends where the answer is typed, and returns the line; nothing: there is no more.
using AskPerson = std::function<std::optional<std::string>(const std::string& text)>;

/// What there is to choose from on this machine.
struct Options {
  std::vector<const Agent*> installed;  // agents, in the order in which one is looked for
  bool has_desktop = false;             // notify-send is installed
  bool asks_deadline = true;            // false: the configuration has a deadline for questions
  bool asks_notified = true;            // false: somebody is notified already
};

Choices default_choices(const Options& options);

/// At most three questions, each once more after an answer that is none. `cancelled` (refused): the input
/// ended.
Result<Choices> ask_choices(const Options& options, const AskPerson& ask);

/// Empty, y or yes. Nothing (the input ended) is no.
bool says_yes(const std::optional<std::string>& answer);

}  // namespace luzia::init
