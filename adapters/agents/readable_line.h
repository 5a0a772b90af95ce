// A line of an agent's JSON as people read it: who said what, which tools were called, what came of it. What
// does not concern a reader (usage, parts of messages that come whole later) is left out. Pure, any thread; a
// library of its own, since the decoders' JSON parser is a shared library, which luzia does without.
//
//   assistant text            I look at the files first.
//   a tool call               > Bash: ls -1
//   its result, shortened       README.md
//                               ... 12 more lines
//   what went wrong           ! Exit code 2
//   the course of the run     * session s-1, model m
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// Of a result that many lines are shown; of each of its lines, of a tool's input and of thoughts that many
/// bytes of UTF-8. What an agent says itself is never shortened.
inline constexpr std::size_t kShownResultLines = 4, kShownPartBytes = 240;

/// The lines that stand for it, none for what is left out; nullopt: this is no line of an agent's that it
/// knows, so it stands for itself. Texts are as they came: whoever shows them makes them harmless.
std::optional<std::vector<std::string>> readable_lines(std::string_view line);

}  // namespace luzia
