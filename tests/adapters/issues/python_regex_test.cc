// The rows of python_regex.txt: how each expression is translated, with Python's meaning kept.
#include "adapters/issues/python_regex.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/paths.h"

namespace luzia {
namespace {

struct Row {
  std::size_t line = 0;
  std::string regex, confirm, find, names, refused;
};

std::vector<Row> read_table() {
  std::ifstream file(source_path("tests/adapters/issues/python_regex.txt"));
  std::vector<Row> rows;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::size_t blank = line.find(' ');
    const std::string key = line.substr(0, blank), value = line.substr(std::min(blank + 1, line.size()));
    if (key == "regex") rows.push_back({number, value, "", "", "", ""});
    if (key == "confirm") rows.back().confirm = value;
    if (key == "find") rows.back().find = value;
    if (key == "names") rows.back().names = value;
    if (key == "refused") rows.back().refused = value;
  }
  return rows;
}

TEST(PythonRegex, IsTranslatedAsInTheTable) {
  const std::vector<Row> rows = read_table();
  ASSERT_GT(rows.size(), 60u);
  for (const Row& row : rows) {
    const auto regex = translate_python_regex(row.regex);
    if (!regex) {
      EXPECT_EQ(std::to_string(regex.error().position) + " " + regex.error().reason, row.refused)
          << "line " << row.line << ": " << row.regex;
      continue;
    }
    EXPECT_EQ(row.refused, "") << "line " << row.line << ": taken: " << row.regex;
    EXPECT_EQ(regex->confirming, row.confirm) << "line " << row.line << ": " << row.regex;
    EXPECT_EQ(regex->finding, row.find) << "line " << row.line << ": " << row.regex;
    std::string names;
    for (const std::string& name : regex->capture_names) names += (names.empty() ? "" : " ") + name;
    EXPECT_EQ(names, row.names) << "line " << row.line << ": " << row.regex;
  }
}

TEST(PythonRegex, DepthAndSizeAreBounded) {
  const std::string deep(2000, '(');
  EXPECT_EQ(translate_python_regex(deep).error().reason, "groups within groups too deep");
  std::string nested = "a";
  for (int i = 0; i < 40; ++i) nested = "(?:" + nested + "{2})";
  EXPECT_FALSE(translate_python_regex(nested).has_value());
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += "[a-z]{1,900}";
  EXPECT_FALSE(translate_python_regex(wide.substr(0, 4000)).has_value());
  std::string doubling = "a";
  for (int i = 0; i < 45; ++i) doubling = "(?:" + doubling + "|b)+";
  EXPECT_TRUE(translate_python_regex(doubling).has_value()) << "nested groups are not copied repeatedly";
  EXPECT_EQ(translate_python_regex(std::string(4097, 'a')).error().reason, "longer than 4096 bytes");
  EXPECT_EQ(translate_python_regex("a\xff").error().reason, "not valid UTF-8");
}

TEST(PythonRegex, UnchangedExpressionCountsAsUntranslated) {
  EXPECT_FALSE(translate_python_regex(R"(Permission denied: (?P<file>\S+))")->translated);
  EXPECT_TRUE(translate_python_regex(R"(Permission denied\Z)")->translated);
  EXPECT_TRUE(translate_python_regex("caf\u00e9")->translated);
}

}  // namespace
}  // namespace luzia
