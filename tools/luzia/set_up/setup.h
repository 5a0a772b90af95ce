// `luzia init` without an agent: what a configuration file lacks for the current folder, as text. Pure.
#pragma once

#include <string>
#include <vector>

#include "adapters/config/config.h"
#include "tools/luzia/run/folder_project.h"

namespace luzia::init {

/// What happens to a question that nobody answers.
enum class Unanswered { waits, gives_up };
/// Who is notified when an agent asks or a job fails.
enum class Notified { nobody, desktop, address };

/// What a person has chosen, or the defaults.
struct Choices {
  std::vector<const Agent*> agents;  // installed ones; the first does the project's tasks
  Unanswered unanswered = Unanswered::waits;
  Notified notified = Notified::nobody;
  std::string address;  // http or https
};

/// A configuration file before and after, and what has to be put into it by hand: a table that is there
/// already cannot be added once more.
struct FileWithChoices {
  std::string after;
  std::vector<std::string> by_hand;
};

/// `text`: what the file holds; empty: it is new. `project`: with `file` set where the folder is no project
/// yet. What `config`, the whole configuration, has already is left alone. `config_syntax` and the like
/// (usage): the file would not be valid.
Result<FileWithChoices> with_choices(const std::string& file, const std::string& text, const Config& config,
                                     const FolderProject& project, const Choices& choices);

/// slack, ntfy or json, by what the address says.
std::string format_of_address(const std::string& address);

/// Whether somebody is notified already.
bool notifies(const Config& config);

}  // namespace luzia::init
