#include "adapters/config/shell_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "engine/base/characters.h"

namespace luzia {
namespace {

constexpr std::string_view kBlanks = " \t\r";

}  // namespace

std::string with_single_blanks(std::string_view text) {
  std::string out;
  for (const char c : trimmed(text, kBlanks)) {
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (!blank) {
      out += c;
    } else if (!out.ends_with(' ')) {
      out += ' ';
    }
  }
  return out;
}

std::vector<std::string> simple_commands(std::string_view line) {
  std::vector<std::string> parts;
  std::string part;
  const auto end_part = [&] {
    if (std::string clean = with_single_blanks(part); !clean.empty()) parts.push_back(std::move(clean));
    part.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    // The & in 2>&1 and &>file does not end the command.
    const bool of_redirection =
        c == '&' && ((i > 0 && line[i - 1] == '>') || (i + 1 < line.size() && line[i + 1] == '>'));
    if (!of_redirection && std::string_view(";&|\n()`").find(c) != std::string_view::npos) {
      end_part();
    } else {
      part += c;
    }
  }
  end_part();
  return parts;
}

std::string_view base_name(std::string_view program) {
  return program.substr(program.find_last_of('/') + 1);
}

std::string_view bare_command(std::string_view part) {
  static constexpr std::array kBefore = {"then",  "do",      "else", "elif",   "if",   "while",
                                         "until", "!",       "{",    "time",   "sudo", "nohup",
                                         "exec",  "command", "env",  "builtin"};
  while (true) {
    const std::string_view word = part.substr(0, part.find(' '));
    const std::size_t equals = word.find('=');
    const bool assigns = equals != std::string_view::npos && equals > 0 &&
                         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    const bool before = std::ranges::find(kBefore, base_name(word)) != kBefore.end();
    if (word.size() == part.size() || !(assigns || before)) return part;
    part.remove_prefix(word.size() + 1);
  }
}

bool writes_file(std::string_view part) {
  for (std::size_t at = part.find('>'); at != std::string_view::npos; at = part.find('>', at + 1)) {
    if (at + 1 < part.size() && part[at + 1] == '>') {
      continue;  // examine the second one instead
    }
    const std::string_view target = trimmed(part.substr(at + 1), kBlanks);
    const bool copies = target.starts_with('&');
    const std::string_view rest = target.substr(copies ? 1 : 0);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ;&|()"));
    const std::string_view descriptor = copies ? word : std::string_view();
    const bool is_descriptor =
        descriptor == "-" ||
        (!descriptor.empty() && descriptor.find_first_not_of("0123456789") == std::string_view::npos);
    if (!is_descriptor && (copies || word != "/dev/null")) return true;
  }
  return false;
}

}  // namespace luzia
