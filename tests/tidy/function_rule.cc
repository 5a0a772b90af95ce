#include <algorithm>
#include <charconv>
#include <map>

#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

constexpr std::size_t kMaxLength = 70;

enum class Scope { names, type, function, inner };

struct Open {
  Scope scope = Scope::names;
  std::string name;
  std::size_t line = 0;  // first line of the declaration
};

bool has_word(const std::string& text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool left = at == 0 || std::isspace(static_cast<unsigned char>(text[at - 1])) != 0;
    const std::size_t end = at + word.size();
    const bool right = end == text.size() || std::isspace(static_cast<unsigned char>(text[end])) != 0;
    if (left && right) return true;
  }
  return false;
}

/// The scope that the brace after `head` opens. `head` is the text since the last statement.
Scope scope_after(const std::string& head, Scope outer) {
  if (outer == Scope::function || outer == Scope::inner) return Scope::inner;
  if (has_word(head, "namespace")) return Scope::names;
  const bool call = head.find(')') != std::string::npos;
  if (call && head.find('=') == std::string::npos) return Scope::function;
  for (std::string_view word : {"class", "struct", "union", "enum"}) {
    if (has_word(head, word)) return Scope::type;
  }
  if (call) return Scope::function;  // a lambda or an operator
  return head.find('=') == std::string::npos && outer == Scope::names ? Scope::names : Scope::inner;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '~';
}

/// Returns `Class::member` for `std::vector<T> Class<T>::member(const T& x`: template arguments are dropped.
std::string name_of(const std::string& head) {
  const std::size_t open = head.find('(');
  if (open == std::string::npos) return "";
  std::string name;
  int depth = 0;
  for (std::size_t at = open; at > 0; --at) {
    const char c = head[at - 1];
    if (c == '>') {
      ++depth;
    } else if (c == '<') {
      --depth;
    } else if (depth == 0 && !is_name(c)) {
      break;
    } else if (depth == 0) {
      name.insert(name.begin(), c);
    }
  }
  if (!name.starts_with("TEST")) return name;
  return name + head.substr(open, head.find(')', open) + 1 - open);
}

class Reader {
 public:
  explicit Reader(const SourceFile& file) : file_(file) {}

  std::vector<Function> read() {
    for (line_ = 0; line_ < file_.code.size(); ++line_) {
      const std::string& code = file_.code[line_];
      const std::size_t first = code.find_first_not_of(" \t");
      if (first != std::string::npos && code[first] == '#') continue;
      for (char c : code) take(c);
      if (!head_.empty()) head_ += ' ';
    }
    return std::move(found_);
  }

 private:
  Scope scope() const { return open_.empty() ? Scope::names : open_.back().scope; }

  void take(char c) {
    if (c == '{') {
      open_.push_back({scope_after(head_, scope()), name_of(head_), head_.empty() ? line_ : head_line_});
    } else if (c == '}') {
      close();
    } else if (c != ';') {
      if (head_.empty() && std::isspace(static_cast<unsigned char>(c)) != 0) return;
      if (head_.empty()) head_line_ = line_;
      head_ += c;
      return;
    }
    head_.clear();
  }

  void close() {
    if (open_.empty()) return;
    const Open& last = open_.back();
    if (last.scope == Scope::function) {
      found_.push_back({last.name, file_.path, last.line + 1, line_ - last.line + 1});
    }
    open_.pop_back();
  }

  const SourceFile& file_;
  std::vector<Open> open_;
  std::vector<Function> found_;
  std::string head_;
  std::size_t line_ = 0, head_line_ = 0;
};

struct Allowance {
  std::size_t line = 0, length = 0;
  bool used = false;
};

std::map<std::string, Allowance> read_ratchet(const SourceFile& ratchet, Findings& findings) {
  std::map<std::string, Allowance> allowances;
  for (std::size_t i = 0; i < ratchet.lines.size(); ++i) {
    const std::string& line = ratchet.lines[i];
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.rfind(' ');
    Allowance allowance{.line = i + 1};
    const char* end = line.data() + line.size();
    if (space == std::string::npos ||
        std::from_chars(line.data() + space + 1, end, allowance.length).ptr != end) {
      findings.push_back({ratchet.path, i + 1, "not `path name length`: " + line});
      continue;
    }
    allowances[line.substr(0, space)] = allowance;
  }
  return allowances;
}

}  // namespace

std::vector<Function> find_functions(const SourceFile& file) {
  if (!file.is_cpp()) return {};
  return Reader(file).read();
}

Findings check_lengths(std::span<const Function> functions, const SourceFile& ratchet) {
  Findings findings;
  auto allowances = read_ratchet(ratchet, findings);
  for (const Function& function : functions) {
    if (function.length <= kMaxLength) continue;
    const auto allowed = allowances.find(function.path + " " + function.name);
    const std::string lines = std::to_string(function.length) + " lines";
    if (allowed == allowances.end()) {
      findings.push_back({function.path, function.line,
                          function.name + " has " + lines + ", more than a screen of " +
                              std::to_string(kMaxLength) + ": split it"});
      continue;
    }
    allowed->second.used = true;
    if (function.length > allowed->second.length) {
      findings.push_back(
          {function.path, function.line, function.name + " has grown to " + lines + ": split it"});
    }
  }
  for (const auto& [name, allowance] : allowances) {
    if (!allowance.used)
      findings.push_back(
          {ratchet.path, allowance.line, name + " fits a screen or is gone: remove this line"});
  }
  return findings;
}

}  // namespace luzia::tidy
