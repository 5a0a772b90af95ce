// What changes between two texts, line by line, as `diff -u` shows it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace luzia::init {

/// Empty for equal texts. An empty `before` or `after` stands for a file that is not there.
std::string line_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace luzia::init
