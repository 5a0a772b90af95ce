// Source files as the tidy rules read them: as text, and as code with comments and literals blanked out.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace luzia::tidy {

struct SourceFile {
  std::string path;  // relative to the root, with slashes
  std::string text;
  std::vector<std::string> lines;
  /// For C++ and schema files: `lines` with every comment, string and character literal replaced by spaces,
  /// so that no rule matches prose. For other files: the same as `lines`.
  std::vector<std::string> code;

  bool is_under(std::string_view folder) const;          // "engine/job"
  bool has_extension(std::string_view extension) const;  // ".h"
  bool is_cpp() const { return has_extension(".h") || has_extension(".cc"); }
};

struct Finding {
  std::string path;
  std::size_t line = 0;  // from 1
  std::string message;   // what is wrong and what to do instead
};
using Findings = std::vector<Finding>;

SourceFile make_source(std::string path, std::string text);

/// All hand-written files at the top level and in the source folders; no build trees, no binary files.
std::vector<SourceFile> read_source_tree(const std::filesystem::path& root);

/// One "path:line: message" per finding, in the form of compiler messages.
std::string to_text(const Findings& findings);

}  // namespace luzia::tidy
