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
