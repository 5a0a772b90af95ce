// What changes between two texts, line by line, as `diff -u` shows it. Pure.
//
// Rejected: `git diff --no-index`, which needs git and both texts in files. The library dtl 1.20, which saves
// 60 lines: it counts a file that is not there from line 1 ("-1,0") and shows four lines after a change.
#pragma once

#include <string>
#include <string_view>

namespace luzia::init {

/// Empty for equal texts. An empty `before` or `after` stands for a file that is not there.
std::string line_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace luzia::init
