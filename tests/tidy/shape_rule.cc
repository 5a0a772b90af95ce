#include <array>

#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

constexpr std::size_t kMaxLines = 600;

// Each word is split in two, so that this file does not match itself.
const std::array<std::string, 4> kUnfinished = {std::string("TO") + "DO", std::string("FIX") + "ME",
                                                std::string("XX") + "X:", std::string("HA") + "CK:"};

bool is_written_by_hand(const SourceFile& file) {
  return !file.is_under("tests/golden") && !file.is_under("schema/released") &&
         !file.is_under("tests/fuzz/corpus") && !file.is_under("tools/docs/reference") &&
         !file.has_extension("/package-lock.json");
}

void check_opening(const SourceFile& file, Findings& findings) {
  if (file.lines.empty() || !file.lines.front().starts_with("// ")) {
    findings.push_back(
        {file.path, 1, "a header opens with a comment: purpose, thread, ownership, units, errors"});
  }
  if (file.text.find("\n#pragma once\n") == std::string::npos) {
    findings.push_back({file.path, 1, "a header has #pragma once"});
  }
}

}  // namespace

Findings check_shape(const SourceFile& file) {
  Findings findings;
  if (!is_written_by_hand(file)) return findings;
  if (file.lines.size() > kMaxLines) {
    findings.push_back({file.path, kMaxLines + 1,
                        "more than " + std::to_string(kMaxLines) + " lines: one purpose per file"});
  }
  if (file.has_extension(".h")) check_opening(file, findings);
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    for (const std::string& mark : kUnfinished) {
      if (file.lines[i].find(mark) != std::string::npos)
        findings.push_back({file.path, i + 1, mark + ": finish it or leave it out"});
    }
  }
  return findings;
}

}  // namespace luzia::tidy
