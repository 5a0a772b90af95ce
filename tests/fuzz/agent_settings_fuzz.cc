// Agents' settings files: either refused in one line, or Luzia is added once and removed again, and the rest
// stays readable.
#include <string>

#include "tests/fuzz/fuzz_folder.h"
#include "tools/luzia/set_up/agent_settings.h"

namespace luzia::init {
namespace {

void check_refusal(const Error& error) {
  require(error.code == "bad_settings" || error.code.starts_with("config_"), "the code of bad settings");
  require(error.message.find('\n') == std::string::npos, "a refusal is one line");
}

void check_settings(const std::string& folder, const Agent& agent, const char* file, std::string_view text) {
  for (const auto& each : std::filesystem::directory_iterator(folder)) std::filesystem::remove_all(each);
  const std::string path = folder + "/" + file;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  put_file(path, text);
  const Task enter{&agent, folder, "luzia", false}, leave{&agent, folder, "luzia", true};
  const auto entered = changes_of(enter);
  if (!entered) return check_refusal(entered.error());
  require(write_changes(*entered).has_value(), "what changes can be written");
  const auto again = changes_of(enter);
  require(!again || again->empty(), "a second time nothing is entered");
  const auto left = changes_of(leave);
  if (!left) return check_refusal(left.error());
  require(write_changes(*left).has_value(), "and taken out");
  require(changes_of(enter).has_value(), "what is left can be read");
}

}  // namespace
}  // namespace luzia::init

void luzia::fuzz(std::string_view text) {
  const static FuzzFolder folder;
  for (const Agent& agent : known_agents()) {
    for (const auto& file : agent.settings) init::check_settings(folder.path, agent, file.path, text);
  }
}
