#include "bench/harness/page_script.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/harness/driving.h"

namespace luzia::bench {
namespace {

constexpr int kNoBrowser = 77;  // exit code of page.mjs; the reason is on standard error

std::vector<std::string> lines_in(const std::string& file) {
  std::ifstream from(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(from, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

PageScript::PageScript(std::string folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  if (run_node({"--version"}) != 0) missing_ = trouble_;
}

nlohmann::json PageScript::run(const std::string& part, const nlohmann::json& arguments) {
  if (!missing_.empty()) return {};
  const int code = run_node({LUZIA_PAGE_SCRIPT, part, arguments.dump()});
  if (code == kNoBrowser) {
    missing_ = trouble_;
    return {};
  }
  auto answer = nlohmann::json::parse(answer_, nullptr, false);
  if (code == 0 && answer.is_object()) return answer;
  std::ifstream whole(folder_ + "/trouble");
  give_up("page.mjs " + part + " failed: " + std::string(std::istreambuf_iterator<char>(whole), {}));
}

int PageScript::run_node(const std::vector<std::string>& words) {
  std::vector<std::string> all{LUZIA_PAGE_RUN, folder_ + "/packages"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string out = folder_ + "/answer", err = folder_ + "/trouble";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed == 0) waitpid(pid, &status, 0);
  const auto said = lines_in(out), troubles = lines_in(err);
  answer_ = said.empty() ? std::string() : said.back();
  trouble_ = troubles.empty() ? "cannot run " + all.front() : troubles.front();
  return failed == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const nlohmann::json& object_in(const nlohmann::json& answer, const char* key) {
  const auto found = answer.find(key);
  if (found == answer.end() || !found->is_object()) give_up(std::string("page.mjs says no ") + key);
  return *found;
}

double number_in(const nlohmann::json& answer, const char* key) {
  const auto found = answer.find(key);
  if (found == answer.end() || !found->is_number()) give_up(std::string("page.mjs says no ") + key);
  return found->get<double>();
}

std::vector<double> numbers_in(const nlohmann::json& answer, const char* key) {
  const auto found = answer.find(key);
  std::vector<double> numbers;
  if (found != answer.end() && found->is_array()) {
    for (const auto& each : *found) {
      if (each.is_number()) numbers.push_back(each.get<double>());
    }
  }
  if (numbers.empty()) give_up(std::string("page.mjs says no ") + key);
  return numbers;
}

}  // namespace luzia::bench
