#include "adapters/project_files/project_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/json_depth.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxDepth = 64, kMaxScriptName = 60;

/// A file whose presence says something. Empty texts say nothing.
struct Sign {
  const char *file, *language, *build_system, *technology, *tool, *about;
};
constexpr Sign kSigns[] = {
    {"tsconfig.json", "typescript", "", "typescript", "npx tsc --noEmit",
     "check the typescript types; show each error"},
    {"package.json", "javascript", "npm", "node", "", ""},
    {"Cargo.toml", "rust", "cargo", "rust", "cargo test", "build the rust project and run its tests"},
    {"go.mod", "go", "go", "go", "go test ./...", "build the go project and run its tests"},
    {"CMakeLists.txt", "c++", "cmake", "cmake", "cmake --build build",
     "build the c++ project; show each compile error"},
    {"pyproject.toml", "python", "", "python", "", ""},
    {"requirements.txt", "python", "pip", "python", "", ""},
    {"setup.py", "python", "setuptools", "python", "", ""},
    {"pom.xml", "java", "maven", "maven", "mvn test", "build the java project and run its tests"},
    {"build.gradle", "java", "gradle", "gradle", "./gradlew test",
     "build the java project and run its tests"},
    {"build.gradle.kts", "kotlin", "gradle", "gradle", "./gradlew test",
     "build the kotlin project and run its tests"},
    {"Gemfile", "ruby", "bundler", "ruby", "", ""},
    {"composer.json", "php", "composer", "php", "", ""},
    {"mix.exs", "elixir", "mix", "elixir", "mix test", "build the elixir project and run its tests"},
    {"meson.build", "", "meson", "meson", "meson test -C build", "build the project and run its tests"},
    {"Makefile", "", "make", "make", "make", "build the project by its Makefile"},
    {"Dockerfile", "", "", "docker", "docker build .", "build the docker image"},
    {"compose.yaml", "", "", "docker", "docker compose up", "start the project's docker services"},
    {"docker-compose.yml", "", "", "docker", "docker compose up", "start the project's docker services"},
};

/// Words in files of dependencies that name a framework or tool: of package.json, and of other files, which
/// are read as text, so that plain words of English must not count.
constexpr std::array<std::string_view, 12> kScriptDependencies = {"next",   "nuxt",    "react",   "vue",
                                                                  "svelte", "angular", "express", "nestjs",
                                                                  "vite",   "webpack", "jest",    "eslint"};
constexpr std::array<std::string_view, 14> kOtherDependencies = {
    "django", "flask", "fastapi", "pytest",     "numpy",   "pandas", "pytorch",
    "celery", "rails", "laravel", "sqlalchemy", "symfony", "rspec",  "tensorflow"};
/// Those of them that people call the framework of a project.
constexpr std::array<std::string_view, 14> kFrameworks = {"next",    "nuxt",    "react",   "vue",    "svelte",
                                                          "angular", "express", "nestjs",  "django", "flask",
                                                          "fastapi", "rails",   "laravel", "symfony"};

/// A regular file below the folder, not through a link; nullopt: there is none, or it is too large.
std::optional<std::string> text_in(int folder, const char* name) {
  const Descriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  const bool fits = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                    static_cast<std::size_t>(status.st_size) <= kMaxProjectFileBytes;
  return fits ? read_up_to(file.get(), static_cast<std::size_t>(status.st_size)) : std::nullopt;
}

bool is_there(int folder, const char* name) {
  struct stat status {};
  return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

void add_once(std::vector<std::string>& list, std::string_view word) {
  if (!word.empty() && std::ranges::find(list, word) == list.end()) list.emplace_back(word);
}

void set_once(std::string& to, std::string_view value) {
  if (to.empty()) to = value;
}

void add_tool(ProjectTechnologies& found, std::string name, std::string about) {
  const bool known = std::ranges::find(found.tools, name, &ProjectTool::name) != found.tools.end();
  if (!name.empty() && !known && found.tools.size() < kMaxProjectTools)
    found.tools.push_back({std::move(name), std::move(about)});
}

/// Names of dependencies as words: "@angular/core", "Django>=5".
void take_dependencies(ProjectTechnologies& found, std::string_view name,
                       std::span<const std::string_view> known) {
  std::string word;
  for (const char c : lower_case(name) + "\n") {
    if (is_letter_or_digit(c)) {
      word.push_back(c);
      continue;
    }
    if (std::ranges::find(known, word) != known.end()) add_once(found.all, word);
    word.clear();
  }
}

bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= kMaxScriptName && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == ':' || c == '.';
         });
}

std::string package_manager(int folder) {
  if (is_there(folder, "pnpm-lock.yaml")) return "pnpm";
  if (is_there(folder, "yarn.lock")) return "yarn";
  return "npm";
}

void take_package_json(int folder, ProjectTechnologies& found) {
  const auto text = text_in(folder, "package.json");
  if (!text || nests_deeper(*text, kMaxDepth)) return;
  const Json root = Json::parse(*text, nullptr, false);
  if (!root.is_object()) return;
  for (const char* key : {"dependencies", "devDependencies"}) {
    const auto list = root.find(key);
    if (list == root.end() || !list->is_object()) continue;
    for (const auto& [name, version] : list->items()) {
      if (name == "typescript") {
        add_once(found.all, name);
        found.language = name;
      }
      take_dependencies(found, name, kScriptDependencies);
    }
  }
  const std::string manager = package_manager(folder);
  found.build_system = manager;
  const auto scripts = root.find("scripts");
  if (scripts == root.end() || !scripts->is_object()) return;
  for (const auto& [name, command] : scripts->items()) {
    if (!is_plain(name) || !command.is_string()) continue;
    // What the script runs stays in the file, except for names from the list.
    const std::string& line = command.get_ref<const std::string&>();
    std::string about = name + " of package.json";
    const std::string_view builds = line.find("tsc") != std::string::npos ? ": compile typescript" : "";
    add_tool(found, manager + " run " + name, about.append(builds));
  }
}

}  // namespace

ProjectTechnologies find_technologies(const std::string& folder) {
  ProjectTechnologies found;
  const Descriptor opened(folder.empty() ? -1 : open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return found;
  const int fd = opened.get();
  take_package_json(fd, found);
  for (const Sign& sign : kSigns) {
    if (!is_there(fd, sign.file)) continue;
    set_once(found.language, sign.language);
    set_once(found.build_system, sign.build_system);
    add_once(found.all, sign.technology);
    add_tool(found, sign.tool, sign.about);
  }
  for (const char* file : {"requirements.txt", "pyproject.toml", "Gemfile", "composer.json"}) {
    if (const auto text = text_in(fd, file)) take_dependencies(found, *text, kOtherDependencies);
  }
  if (std::ranges::find(found.all, "pytest") != found.all.end())
    add_tool(found, "pytest", "run the python tests; show each failing one");
  for (const std::string& each : found.all) {
    if (std::ranges::find(kFrameworks, each) != kFrameworks.end()) set_once(found.framework, each);
  }
  return found;
}

}  // namespace luzia
