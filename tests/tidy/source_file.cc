#include "tests/tidy/source_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace luzia::tidy {
namespace {

constexpr std::array<std::string_view, 8> kFolders = {"schema", "engine", "projections", "adapters",
                                                      "tools",  "bench",  "tests",       ".ci"};

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// The offset after the literal that opens at `at` (a quote, or the R of a raw string).
std::size_t end_of_literal(const std::string& text, std::size_t at) {
  if (text[at] == 'R') {
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos) return text.size();
    const std::string close = ")" + text.substr(at + 2, open - at - 2) + "\"";
    const std::size_t end = text.find(close, open);
    return end == std::string::npos ? text.size() : end + close.size();
  }
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The offset after the comment or literal that starts at `at`; `at` itself if none starts there.
std::size_t end_of_prose(const std::string& text, std::size_t at) {
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") == 0) {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string::npos ? text.size() : end + 2;
  }
  const bool inside_word = at > 0 && is_word(text[at - 1]);
  if (text.compare(at, 2, "R\"") == 0 && !inside_word) return end_of_literal(text, at);
  if (text[at] == '"') return end_of_literal(text, at);
  if (text[at] == '\'' && !inside_word) return end_of_literal(text, at);  // 10'000 is a number
  return at;
}

std::string without_prose(const std::string& text) {
  std::string code = text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_prose(text, at);
    for (std::size_t i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

bool is_text(const std::string& content) {
  return content.find('\0') == std::string::npos;
}

/// A folder beside the page's sources that npm or its build writes.
bool is_made(const std::filesystem::path& path) {
  return path.filename() == "node_modules" || path.filename() == "dist" || path.filename() == "pictures";
}

}  // namespace

bool SourceFile::is_under(std::string_view folder) const {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool SourceFile::has_extension(std::string_view extension) const {
  return path.ends_with(extension);
}

SourceFile make_source(std::string path, std::string text) {
  SourceFile file{.path = std::move(path), .text = std::move(text), .lines = {}, .code = {}};
  file.lines = split_lines(file.text);
  const bool has_prose = file.is_cpp() || file.has_extension(".fbs");
  file.code = has_prose ? split_lines(without_prose(file.text)) : file.lines;
  return file;
}

std::vector<SourceFile> read_source_tree(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.is_regular_file()) paths.push_back(entry.path());
  }
  for (std::string_view folder : kFolders) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (std::filesystem::recursive_directory_iterator at(root / folder), end; at != end; ++at) {
      if (is_made(at->path())) at.disable_recursion_pending();
      if (at->is_regular_file() && !at->is_symlink()) paths.push_back(at->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<SourceFile> files;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(in), {});
    if (is_text(content))
      files.push_back(make_source(path.lexically_relative(root).string(), std::move(content)));
  }
  return files;
}

std::string to_text(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += finding.path + ":" + std::to_string(finding.line) + ": " + finding.message + "\n";
  }
  return text;
}

}  // namespace luzia::tidy
