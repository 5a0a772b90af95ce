// Templates of prompts: text with section names in double braces, in a subset of the mustache language.
//
//   {{name}}                  the section's text
//   {{#name}} ... {{/name}}   only if the section has text
//   {{^name}} ... {{/name}}   only if it has none
//   {{! words }}              nothing: a comment
//
// A line with nothing but an opening tag, a closing tag or a comment leaves no empty line. Nothing is
// escaped, because a prompt is not HTML. The text of a section is not searched for tags. Pure, any thread.
//
// Rejected: kainjow::mustache 4.1, Debian's library.
// - It treats an unknown name as empty text and does not expose what it parsed. Refusing a mistyped {{taks}}
//   or a template without {{task}} would need a second parser of the same tags, which is most of this code.
// - Its errors name a byte, not a line.
// - With {{>task}} it would read a task as a template, even one that includes itself for ever.
// - It recurses as deep as a template nests, and treats an empty text as present.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// The names that a template may use.
inline constexpr std::array<std::string_view, 10> kPromptSections = {
    "task",  "identity", "focus",       "context",  "practices",
    "tools", "project",  "environment", "protocol", "output"};

constexpr std::size_t kMaxTemplateBytes = 256 * 1024;
constexpr std::size_t kMaxTemplateDepth = 16;

class PromptTemplate {
 public:
  /// `name`: the template's name for messages. Error `bad_template` (usage) with the line: an unknown name, a
  /// tag that is not closed or closes another one, no {{task}}, more than kMaxTemplateBytes, or nested deeper
  /// than kMaxTemplateDepth.
  static Result<PromptTemplate> parse(std::string_view text, const std::string& name);

  /// Sections that are not in the map have no text.
  std::string render(const std::map<std::string, std::string, std::less<>>& sections) const;
  bool uses(std::string_view section) const;

 private:
  enum class Kind : std::uint8_t { text, value, when, unless, end };
  struct Part {
    Kind kind;
    std::string text;      // or the section's name
    std::size_t next = 0;  // of when and unless: index after their end
  };
  struct Reader;

  std::vector<Part> parts_;
};

}  // namespace luzia
