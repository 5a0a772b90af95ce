#include "engine/prompt/prompt_template.h"

#include <algorithm>

#include "engine/base/characters.h"
#include "engine/base/joined_names.h"
#include "engine/base/try.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kShownName = 60;
constexpr std::string_view kTagBlanks = " \t";

bool is_section(std::string_view name) {
  return std::ranges::find(kPromptSections, name) != kPromptSections.end();
}

}  // namespace

/// Parses the text tag by tag. `open_`: indices of parts that are not closed yet.
struct PromptTemplate::Reader {
  std::string_view whole;
  const std::string& name;
  std::vector<Part> parts;
  std::vector<std::size_t> open;
  std::size_t at = 0;

  tl::unexpected<Error> wrong(std::size_t where, const std::string& what) const {
    const auto line = 1 + std::ranges::count(whole.substr(0, where), '\n');
    return fail(ErrorKind::usage, "bad_template",
                "template " + name + ", line " + std::to_string(line) + ": " + what,
                "known are " + joined_names(kPromptSections) +
                    "; {{name}}, {{#name}}...{{/name}}, {{^name}}...{{/name}}");
  }

  void add_text(std::string_view text) {
    if (!text.empty()) parts.push_back({Kind::text, std::string(text)});
  }

  /// If the tag is alone on its line, returns where the line begins and ends, so that the whole line is
  /// dropped.
  std::pair<std::size_t, std::size_t> whole_line(std::size_t tag, std::size_t after) const {
    std::size_t begin = tag, end = after;
    while (begin > 0 && (whole[begin - 1] == ' ' || whole[begin - 1] == '\t')) --begin;
    if (begin > 0 && whole[begin - 1] != '\n') return {tag, after};
    while (end < whole.size() && (whole[end] == ' ' || whole[end] == '\t' || whole[end] == '\r')) ++end;
    if (end < whole.size() && whole[end] != '\n') return {tag, after};
    return {begin, std::min(end + 1, whole.size())};
  }

  Status open_part(Kind kind, std::string_view section, std::size_t tag) {
    if (open.size() == kMaxTemplateDepth) {
      return wrong(tag, "nested deeper than " + std::to_string(kMaxTemplateDepth));
    }
    open.push_back(parts.size());
    parts.push_back({kind, std::string(section)});
    return {};
  }

  Status close_part(std::string_view section, std::size_t tag) {
    if (open.empty() || parts[open.back()].text != section) {
      return wrong(tag, "{{/" + std::string(section) + "}} closes nothing that is open" +
                            (open.empty() ? "" : " (open is " + parts[open.back()].text + ")"));
    }
    parts.push_back({Kind::end, {}});
    parts[open.back()].next = parts.size();
    open.pop_back();
    return {};
  }

  Status take_tag(std::size_t tag, std::size_t after, std::string_view inside) {
    const char sign = inside.empty() ? '\0' : inside.front();
    const bool plain = sign != '#' && sign != '^' && sign != '/' && sign != '!';
    const auto [begin, end] = plain ? std::pair(tag, after) : whole_line(tag, after);
    add_text(whole.substr(at, begin > at ? begin - at : 0));
    at = end;
    if (sign == '!') return {};
    const std::string_view section = trimmed(plain ? inside : inside.substr(1), kTagBlanks);
    if (!is_section(section)) {
      return wrong(tag, "there is no section '" + bounded_utf8(section, kShownName) + "'");
    }
    if (sign == '#') return open_part(Kind::when, section, tag);
    if (sign == '^') return open_part(Kind::unless, section, tag);
    if (sign == '/') return close_part(section, tag);
    parts.push_back({Kind::value, std::string(section)});
    return {};
  }

  Status read() {
    for (;;) {
      const std::size_t tag = whole.find("{{", at);
      if (tag == std::string_view::npos) break;
      const std::size_t close = whole.find("}}", tag + 2);
      if (close == std::string_view::npos) return wrong(tag, "'{{' is not closed");
      LUZIA_TRY(take_tag(tag, close + 2, trimmed(whole.substr(tag + 2, close - tag - 2), kTagBlanks)));
    }
    add_text(whole.substr(at));
    if (!open.empty()) return wrong(whole.size(), "{{#" + parts[open.back()].text + "}} is not closed");
    return {};
  }
};

Result<PromptTemplate> PromptTemplate::parse(std::string_view text, const std::string& name) {
  Reader reader{text, name, {}, {}, 0};
  if (text.size() > kMaxTemplateBytes) {
    return reader.wrong(0, "over " + std::to_string(kMaxTemplateBytes >> 10) + " KiB long");
  }
  LUZIA_TRY(reader.read());
  PromptTemplate made;
  made.parts_ = std::move(reader.parts);
  if (!made.uses("task")) return reader.wrong(0, "nowhere is {{task}}: the agent would not hear what to do");
  return made;
}

bool PromptTemplate::uses(std::string_view section) const {
  return std::ranges::any_of(
      parts_, [&](const Part& part) { return part.kind == Kind::value && part.text == section; });
}

std::string PromptTemplate::render(const std::map<std::string, std::string, std::less<>>& sections) const {
  const auto text_of = [&](const std::string& section) -> std::string_view {
    const auto it = sections.find(section);
    return it == sections.end() ? std::string_view() : std::string_view(it->second);
  };
  std::string out;
  for (std::size_t i = 0; i < parts_.size();) {
    const Part& part = parts_[i];
    if (part.kind == Kind::text) out += part.text;
    if (part.kind == Kind::value) out += text_of(part.text);
    const bool skipped = (part.kind == Kind::when && text_of(part.text).empty()) ||
                         (part.kind == Kind::unless && !text_of(part.text).empty());
    i = skipped ? part.next : i + 1;
  }
  return out;
}

}  // namespace luzia
