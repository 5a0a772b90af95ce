// Templates of prompts: text with the names of sections in double braces, in a part of the language of
// mustache that people know.
//
//   {{name}}              the section's text
//   {{#name}} ... {{/name}}   only where the section has text
//   {{^name}} ... {{/name}}   only where it has none
//   {{! words }}          nothing
//
// A line that holds nothing but an opening, a closing or a comment leaves no empty line behind. Nothing is
// escaped: a prompt is no HTML. What a section says is never looked through for braces. Pure, any thread.
//
// Rejected: kainjow::mustache 4.1, the library that Debian has. It takes a name that it does not know for an
// empty text, shows nobody what it has read, so that a mistyped {{taks}} or a template without {{task}} could
// only be refused by a second reader of the same tags, which is most of what stands here; its errors name a
// byte, not a line. With {{>task}} it would read a task as a template of its own, also one that names itself
// for ever; it recurses as deep as a template nests; and a text that is empty counts as one that is there.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

/// The names that a template may use.
inline constexpr std::array<std::string_view, 8> kPromptSections = {
    "task", "focus", "context", "practices", "tools", "project", "environment", "output"};

constexpr std::size_t kMaxTemplateBytes = 256 * 1024;
constexpr std::size_t kMaxTemplateDepth = 16;

class PromptTemplate {
 public:
  /// `name`: of the template, for messages. Errors (usage): `bad_template`, with the line: an unknown name, a
  /// tag that is not closed or closes another one, no {{task}} at all, over kMaxTemplateBytes, nested deeper
  /// than kMaxTemplateDepth.
  static Result<PromptTemplate> parse(std::string_view text, const std::string& name);

  /// Sections that are missing have no text.
  std::string render(const std::map<std::string, std::string, std::less<>>& sections) const;
  bool uses(std::string_view section) const;

 private:
  enum class Kind : std::uint8_t { text, value, when, unless, end };
  struct Part {
    Kind kind;
    std::string text;      // or the section's name
    std::size_t next = 0;  // of when and unless: behind their end
  };
  struct Reader;

  std::vector<Part> parts_;
};

}  // namespace luzia
