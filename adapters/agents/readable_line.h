// Renders a line of an agent's JSON for people: who said what, which tools were called, and their results.
// Leaves out usage data and partial messages that arrive complete later. Pure, any thread. A library of its
// own, so that luzia does without simdjson, the decoders' JSON parser, which is a shared library.
//
//   assistant text            I look at the files first.
//   a tool call               > Bash: ls -1
//   the rest of its input     >   wc -l
//   its result, shortened       README.md
//                               ... 12 more lines
//   what went wrong           ! Exit code 2
//   the course of the run     * session s-1, model m
//   its final answer            All tests pass.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// Most lines shown of a tool's result, a call's input and a run's final answer; most bytes of UTF-8 shown of
/// each of these and of thoughts. Other text that the agent says is never shortened.
inline constexpr std::size_t kShownResultLines = 4, kShownCallLines = 12, kShownAnswerLines = 20;
inline constexpr std::size_t kShownPartBytes = 240, kShownAnswerBytes = 1000;

/// Returns the lines to show; none if the line is left out. nullopt: not a known line of an agent, so show it
/// as it is. Texts are unescaped: the caller must neutralize control characters.
std::optional<std::vector<std::string>> readable_lines(std::string_view line);

}  // namespace luzia
