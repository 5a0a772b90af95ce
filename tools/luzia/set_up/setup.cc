#include "tools/luzia/set_up/setup.h"

#include <algorithm>

#include "adapters/config/toml_text.h"
#include "adapters/config/toml_tree.h"

namespace luzia::init {
namespace {

constexpr std::string_view kEvents =
    "on = [\"question_asked\", \"approval_requested\", \"job_failed\", \"job_timed_out\", \"job_lost\"]\n";

constexpr std::string_view kGivesUp =
    "default_timeout = \"30m\"           # then a question's default answer counts; without one the job "
    "stops\n";

std::string project_text(const FolderProject& project, const Choices& choices) {
  std::string text =
      "# A project: luzia NAME \"TASK\" works from any folder, luzia run \"TASK\" in the project's own.\n"
      "[projects." +
      toml_key(project.name) + "]\npath = " + toml_string(project.path) + "\n";
  if (choices.agents.empty()) return text;
  std::string line = "agent = " + toml_string(choices.agents.front()->name);
  line.resize(std::max<std::size_t>(line.size() + 1, 34), ' ');
  return text + line + "# who does its tasks, unless --agent names another\n";
}

std::string notified_text(const Choices& choices) {
  constexpr std::string_view kComment = "# Who is notified, and when. Send a sample: luzia hooks test ";
  std::string text(kComment);
  if (choices.notified == Notified::desktop) {
    text +=
        "desktop\n[[hooks]]\nname = \"desktop\"\n"
        "desktop = true                    # a notification of your session, by notify-send\n";
  } else {
    text += "address\n[[webhooks]]\nname = \"address\"\nurl = " + toml_string(choices.address) +
            "\nformat = " + toml_string(format_of_address(choices.address)) + "\n";
  }
  return text.append(kEvents);
}

bool has_table(const TomlValue& tree, std::string_view name) {
  return std::ranges::find(tree.entries, name, &TomlEntry::key) != tree.entries.end();
}

void append(std::string& text, const std::string& part) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += (text.empty() ? "" : "\n") + part;
}

}  // namespace

std::string format_of_address(const std::string& address) {
  if (address.find("slack.com/") != std::string::npos) return "slack";
  return address.find("ntfy") != std::string::npos ? "ntfy" : "json";
}

bool notifies(const Config& config) {
  return !config.hooks.empty() || !config.webhooks.empty() || config.telegram.in_use();
}

Result<FileWithChoices> with_choices(const std::string& file, const std::string& text, const Config& config,
                                     const FolderProject& project, const Choices& choices) {
  const auto tree = LUZIA_TRY(parse_toml(text, file));
  FileWithChoices result{text, {}};
  const auto add = [&](const std::string& part) { append(result.after, part); };
  if (text.empty()) {
    add("# Luzia's configuration, written by luzia init. Every key and its value: luzia config show\n"
        "# A change counts after: luzia config reload\n");
  }
  if (!project.file.empty()) add(project_text(project, choices));
  if (choices.unanswered == Unanswered::gives_up && config.questions.default_timeout_ms == 0) {
    if (has_table(tree, "questions")) {
      result.by_hand.push_back("[questions] default_timeout = \"30m\"");
    } else {
      add("[questions]\n" + std::string(kGivesUp));
    }
  }
  if (choices.notified != Notified::nobody && !notifies(config)) add(notified_text(choices));
  LUZIA_TRY(parse_toml(result.after, file));
  // A file among others may name what only those define.
  if (text.empty()) LUZIA_TRY(parse_config(result.after, file));
  return result;
}

}  // namespace luzia::init
