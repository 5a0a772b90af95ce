// luzia-patterns: compiles the shipped patterns of known issues into a folder, when Luzia is built. The
// daemon reads them there instead of compiling them itself, which costs it a second of a processor. Not
// installed.
#include <cstdio>

#include "adapters/issues/issue_patterns.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: luzia-patterns FOLDER\n", stderr);
    return 2;
  }
  luzia::IssuePatterns patterns({.cache_folder = argv[1], .shipped = true});
  const auto report = patterns.reload({});
  // On a machine that cannot compile them the build goes on: what they are for finds them missing.
  if (!report) std::fprintf(stderr, "luzia-patterns: %s\n", report.error().message.c_str());
  return 0;
}
