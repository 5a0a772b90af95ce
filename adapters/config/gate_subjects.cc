#include "adapters/config/gate_subjects.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace luzia {
namespace {

using Json = nlohmann::json;

/// For these tools a path is a folder, below which they search.
bool is_folder_tool(std::string_view tool) {
  return tool == "Grep" || tool == "Glob" || tool == "LS";
}

bool is_absolute(std::string_view path) {
  return path.starts_with('/');
}

/// A normalized absolute path without a trailing slash.
std::string straight(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  // Also "///", which the library leaves as it is: the folder of all.
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

/// nullopt if it cannot be resolved: relative to an unknown folder, or in another user's home.
std::optional<std::string> absolute(const std::string& path, const std::string& from,
                                    const std::string& home) {
  if (is_absolute(path)) return straight(path);
  const bool at_home = path == "~" || path.starts_with("~/");
  const std::string& base = at_home ? home : from;
  if (!is_absolute(base) || (path.starts_with('~') && !at_home)) return std::nullopt;
  return straight(at_home ? base + path.substr(1) : base + "/" + path);
}

Subject file_subject(const std::string& path, const std::string& from, const GateRequest& request) {
  const auto meant = absolute(path, from, request.place.home);
  if (!meant) return {path, {path}, false};
  Subject subject{path, {*meant}};
  if (is_absolute(request.place.folder)) {
    const std::string folder = straight(request.place.folder) + "/";
    if (meant->starts_with(folder)) subject.meant.push_back(meant->substr(folder.size()));
  }
  if (is_folder_tool(request.tool)) {
    const std::size_t count = subject.meant.size();
    for (std::size_t i = 0; i < count; ++i) subject.meant.push_back(subject.meant[i] + "/");
  }
  return subject;
}

/// For a member of the input that is a file for every tool.
Subject file_subject_of(const Json& value, const GateRequest& request) {
  if (!value.is_string()) return {"", {""}, false};
  return file_subject(value.get<std::string>(), request.place.cwd, request);
}

Subject other_subject_of(const Json& value, const GateRequest& request) {
  std::string text = value.is_string() ? value.get<std::string>() : std::string();
  if (is_absolute(text)) return file_subject(text, {}, request);
  return {text, {text}};
}

/// The folder that the call names, else the agent's current one. Empty: unknown.
std::string folder_of(const Json& input, const GateRequest& request) {
  const auto path = input.find("path");
  const Subject folder =
      path != input.end() ? file_subject_of(*path, request) : file_subject(request.place.cwd, {}, request);
  return folder.known ? folder.meant.front() : std::string();
}

/// Glob's pattern is a path with wildcards, relative to `path` if the call has one.
Subject glob_subject(const Json& value, const Json& input, const GateRequest& request) {
  return value.is_string() ? file_subject(value.get<std::string>(), folder_of(input, request), request)
                           : file_subject_of(value, request);
}

/// The folder part of the pattern before the first of `wildcards`.
std::string_view literal_folder(std::string_view pattern, std::string_view wildcards) {
  pattern = pattern.substr(0, pattern.find_first_of(wildcards));
  return pattern.substr(0, pattern.find_last_of('/') + 1);
}

}  // namespace

std::optional<Subject> unnamed_folder(const GateRequest& request) {
  const auto input = Json::parse(request.tool_input, nullptr, false);
  const bool looks_there =
      request.tool != "Glob" && is_folder_tool(request.tool) && input.is_object() && !input.contains("path");
  return looks_there ? std::optional(file_subject(request.place.cwd, {}, request)) : std::nullopt;
}

std::optional<Subject> searched_folder(const GateRequest& request) {
  const auto input = Json::parse(request.tool_input, nullptr, false);
  if (!is_folder_tool(request.tool) || !input.is_object()) return std::nullopt;
  const auto pattern = input.find("pattern");
  const bool by_pattern = request.tool == "Glob" && pattern != input.end() && pattern->is_string();
  const std::string looked_for = by_pattern ? pattern->get<std::string>() : std::string();
  Subject folder =
      file_subject(std::string(literal_folder(looked_for, "*?[{(\\")), folder_of(input, request), request);
  return folder.known ? std::optional(std::move(folder)) : std::nullopt;
}

std::optional<bool> begins_in(std::string_view pattern, const std::string& folder, const CallPlace& place) {
  const auto begin = absolute(std::string(literal_folder(pattern, "*")), place.folder, place.home);
  if (!begin) return std::nullopt;
  return *begin == folder || begin->starts_with(folder.ends_with('/') ? folder : folder + "/");
}

bool is_file_tool(std::string_view tool) {
  static constexpr std::array<std::string_view, 5> kFileTools = {"Write", "Edit", "MultiEdit", "Read",
                                                                 "NotebookEdit"};
  return std::ranges::find(kFileTools, tool) != kFileTools.end();
}

std::vector<Subject> subjects_of(const GateRequest& request) {
  static constexpr std::array<std::string_view, 7> kKeys = {"command", "file_path", "notebook_path", "path",
                                                            "url",     "query",     "pattern"};
  const auto input = Json::parse(request.tool_input, nullptr, false);
  const bool of_files = is_file_tool(request.tool);
  std::vector<Subject> subjects;
  if (!input.is_object()) return subjects;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    const bool is_path = i >= 1 && i <= 3;
    const auto value = input.find(kKeys[i]);
    if (value == input.end() || (of_files && !is_path)) continue;
    subjects.push_back(is_path ? file_subject_of(*value, request)
                       : request.tool == "Glob" && kKeys[i] == "pattern"
                           ? glob_subject(*value, input, request)
                           : other_subject_of(*value, request));
  }
  return subjects;
}

std::string command_of(const std::string& tool_input) {
  const auto input = Json::parse(tool_input, nullptr, false);
  const auto command = input.is_object() ? input.find("command") : input.end();
  return command != input.end() && command->is_string() ? command->get<std::string>() : std::string();
}

}  // namespace luzia
