// Adds tables to a configuration file and removes them, as text: comments and order stay. One thread.
#pragma once

#include <functional>
#include <string>

#include "engine/base/result.h"

namespace luzia {

/// Replaces the file's text by what `change` makes of it (empty: there is no such file), completely or not at
/// all, even if two programs do it at once. Makes the folder if necessary; deletes a file that is empty then.
/// Errors: those of `change`; `output_failed` (trouble).
Status rewrite_config(const std::string& file,
                      const std::function<Result<std::string>(const std::string& text)>& change);

/// Appends the table ("[projects.web]") with its keys, each on a line, and returns the text that was added.
/// `config_syntax` (usage): the file would not be valid TOML; the hint says what to add by hand.
Result<std::string> add_config_table(const std::string& file, const std::string& table,
                                     const std::string& keys);

/// Removes the table and its keys. Comments before the next table stay. `not_in_file` (usage): the file has
/// no line with that table alone.
Status remove_config_table(const std::string& file, const std::string& table);

}  // namespace luzia
