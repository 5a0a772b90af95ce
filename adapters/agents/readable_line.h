// A line of an agent's JSON as people read it: who said what, which tools were called, what came of it. What
// does not concern a reader (usage, parts of messages that come whole later) is left out. Pure, any thread; a
// library of its own, since the decoders' JSON parser is a shared library, which luzia does without.
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

/// Of a tool's result, of its input and of a run's final answer that many lines are shown; of each of them
/// and of thoughts that many bytes of UTF-8. What an agent says on its way is never shortened.
inline constexpr std::size_t kShownResultLines = 4, kShownCallLines = 12, kShownAnswerLines = 20;
inline constexpr std::size_t kShownPartBytes = 240, kShownAnswerBytes = 1000;

/// The lines that stand for it, none for what is left out; nullopt: this is no line of an agent's that it
/// knows, so it stands for itself. Texts are as they came: whoever shows them makes them harmless.
std::optional<std::vector<std::string>> readable_lines(std::string_view line);

}  // namespace luzia
