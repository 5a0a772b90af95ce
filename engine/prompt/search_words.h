// Words of tasks and errors, as advice about web searches sees them. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

/// Words in lower case; inner dots, dashes and pluses stay ("c++", "3.11", "next.js"). Only the first 16 KiB
/// count.
std::vector<std::string> search_words(std::string_view text);
/// Whether the word, in lower case, names a known language, framework or tool.
bool is_technology(std::string_view word);

}  // namespace luzia
