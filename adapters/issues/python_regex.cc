#include "adapters/issues/python_regex.h"

#include <re2/re2.h>

#include "adapters/issues/confirmation.h"
#include "adapters/issues/regex_parser.h"
#include "engine/base/try.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

void collect_names(const RegexNode& node, std::vector<std::string>& names) {
  if (node.kind == RegexKind::capture) {
    names.push_back(node.name.empty() ? std::to_string(names.size() + 1) : node.name);
  }
  for (const RegexNode& part : node.parts) collect_names(part, names);
}

/// Whether both engines can read the text unchanged: all syntax that differs starts with one of these.
bool is_plain(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (static_cast<std::uint8_t>(text[at]) >= 0x80) return false;
    if (text[at] == '\\' && at + 1 < text.size() &&
        std::string_view("ZuU01234567").find(text[++at]) != std::string_view::npos) {
      return false;
    }
  }
  return text.find("(?#") == std::string_view::npos && text.find("(?x") == std::string_view::npos &&
         text.find("(?a") == std::string_view::npos && text.find("(?u") == std::string_view::npos &&
         text.find("{,") == std::string_view::npos;
}

tl::unexpected<RegexRefusal> refused(std::string reason) {
  return tl::unexpected(RegexRefusal{0, std::move(reason)});
}

}  // namespace

tl::expected<RegexNode, RegexRefusal> parse_python_regex(std::string_view text) {
  if (text.size() > kMaxRegexBytes) {
    return refused("longer than " + std::to_string(kMaxRegexBytes) + " bytes");
  }
  if (bounded_utf8(text, kMaxRegexBytes) != text) return refused("not valid UTF-8");
  return RegexParser(text).parse();
}

tl::expected<LineRegex, RegexRefusal> translate_python_regex(std::string_view text) {
  const auto tree = LUZIA_TRY(parse_python_regex(text));
  if (shortest_match(tree) == 0) return refused("it matches the empty text, so it would match every line");
  if (expanded_size(tree) > kMaxRegexSize) return refused("too large when its repeats are written out");
  LineRegex regex{std::string(text), print_confirming(tree), print_finding(tree), {}, !is_plain(text)};
  collect_names(tree, regex.capture_names);
  const RE2 confirming(regex.confirming, confirming_options());
  if (!confirming.ok()) return refused(confirming.error());
  return regex;
}

}  // namespace luzia
