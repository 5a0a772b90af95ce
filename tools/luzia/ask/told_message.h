// Composes what luzia tell says: the person's words, attached files and comments on lines of files. One
// thread.
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct ToldMessage {
  std::string text;
  std::vector<std::string> files;  // names of what the text contains
};

/// A comment as FILE:LINE:TEXT or FILE:FIRST-LAST:TEXT. `bad_comment` (usage).
struct LineComment {
  std::string file;
  std::size_t first = 0, last = 0;  // from 1
  std::string text;
};
Result<LineComment> parse_comment(const std::string& word);

/// `words`: may be empty if there is something else. Errors (usage): `no_message`, `message_too_long`,
/// `not_text` (a file that has no text), `bad_comment`, and those of read_text().
Result<ToldMessage> compose_message(const std::string& words, const std::vector<std::string>& files,
                                    const std::vector<std::string>& comments);

}  // namespace luzia
