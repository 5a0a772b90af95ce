// Fills command templates.
#include <algorithm>

#include "adapters/job_dir/job_dir.h"
#include "engine/base/characters.h"

namespace luzia {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

bool is_name_char(char c, bool first) {
  return is_letter(c) || c == '_' || (!first && is_digit(c));
}

// The name in `{name}` at the start of the text; empty if it is anything else.
std::string_view placeholder_name(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && is_name_char(text[end], end == 1)) ++end;
  return end > 1 && end < text.size() && text[end] == '}' ? text.substr(1, end - 1) : std::string_view();
}

tl::unexpected<Error> unknown(std::string_view name, std::string_view part, const Values& values) {
  std::string known;
  for (const auto& [key, value] : values) known += (known.empty() ? "{" : " {") + key + '}';
  return fail(
      ErrorKind::usage, "unknown_placeholder",
      "unknown placeholder {" + std::string(name) + "} in the command part '" + std::string(part) + '\'',
      "known are " + known + "; write {{ for a brace that is meant as it is");
}

Result<std::string> fill(std::string_view part, const Values& values) {
  std::string out;
  for (std::size_t at = 0; at < part.size();) {
    const std::string_view rest = part.substr(at);
    if (rest.starts_with("{{")) {
      out += '{';
      at += 2;
      continue;
    }
    const std::string_view name = rest.front() == '{' ? placeholder_name(rest) : std::string_view();
    if (name.empty()) {
      out += rest.front();
      ++at;
      continue;
    }
    const auto found =
        std::ranges::find(values, name, [](const auto& entry) { return std::string_view(entry.first); });
    if (found == values.end()) return unknown(name, part, values);
    out += found->second;
    at += name.size() + 2;
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> fill_placeholders(const std::vector<std::string>& argv_template,
                                                   const Values& values) {
  std::vector<std::string> filled;
  filled.reserve(argv_template.size());
  for (const std::string& part : argv_template) {
    auto text = LUZIA_TRY(fill(part, values));
    filled.push_back(std::move(text));
  }
  return filled;
}

}  // namespace luzia
