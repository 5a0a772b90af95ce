#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "tests/tidy/rules.h"

namespace luzia::tidy {
namespace {

struct Include {
  std::size_t line = 0;
  std::string name;
  bool quoted = false;
};

/// Reads the names from `lines`, because they are literals, but only of lines where `code` has the directive.
std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> found;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& code = file.code[i];
    const std::size_t hash = code.find_first_not_of(" \t");
    if (hash == std::string::npos || code[hash] != '#') continue;
    if (code.compare(code.find_first_not_of(" \t", hash + 1), 7, "include") != 0) continue;
    const std::string& line = file.lines[i];
    const std::size_t open = line.find_first_of("<\"", hash);
    if (open == std::string::npos) continue;
    const bool quoted = line[open] == '"';
    const std::size_t close = line.find(quoted ? '"' : '>', open + 1);
    if (close == std::string::npos) continue;
    found.push_back({.line = i + 1, .name = line.substr(open + 1, close - open - 1), .quoted = quoted});
  }
  return found;
}

std::string first_folder(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// Returns `adapters/socket` for `adapters/socket/frame.h`.
std::string two_folders(const std::string& path) {
  const std::size_t first = path.find('/');
  return path.substr(0, first == std::string::npos ? first : path.find('/', first + 1));
}

bool is_layer(const std::string& folder) {
  static constexpr std::array<std::string_view, 7> kLayers = {"schema", "engine", "projections", "adapters",
                                                              "tools",  "bench",  "tests"};
  return std::find(kLayers.begin(), kLayers.end(), folder) != kLayers.end();
}

/// Why a program in folder `from` may not include `to` from tools/: programs share code only through
/// libraries.
std::optional<std::string> refuse_tool(const std::string& from, const std::string& to) {
  static constexpr std::array<std::string_view, 2> kLibraries = {"tools/cli", "tools/read"};
  const std::string folder = two_folders(to);
  const auto is_library = [](std::string_view one) {
    return std::find(kLibraries.begin(), kLibraries.end(), one) != kLibraries.end();
  };
  if (folder == from || (is_library(folder) && !is_library(from))) return std::nullopt;
  if (folder == "tools/cli" && from == "tools/read") return std::nullopt;
  // Exception: luzia-telegram and luzia-push post in the same way as luzia-post.
  if ((from == "tools/luzia-telegram" || from == "tools/luzia-push") && to == "tools/luzia-post/post.h")
    return std::nullopt;
  return "a program includes no other: move what they share to tools/cli or tools/read";
}

/// Why `from` may not include our own file `to`; nullopt if it may.
std::optional<std::string> refuse_own(const SourceFile& from, const std::string& to) {
  const std::string layer = first_folder(from.path), target = first_folder(to);
  if (layer == "tests" || layer == "bench") return std::nullopt;
  if (target == "tests" || target == "bench")
    return "nobody includes " + target + "/: move what is shared down";
  if (layer == "tools") return target == "tools" ? refuse_tool(two_folders(from.path), to) : std::nullopt;
  if (target == "tools") return "nobody includes tools/: move what is shared down";
  if (target == "schema") return "include the generated NAME.fb.h";
  if (target == "engine") return std::nullopt;
  if (layer == "engine")
    return "engine/ includes engine/ and the schema only: put an interface into the engine";
  if (layer == "projections") {
    if (target == "projections") return std::nullopt;
    return "projections/ include engine/ and the schema only";
  }
  if (layer == "adapters") {
    if (two_folders(to) == two_folders(from.path) || two_folders(to) == "projections/rows")
      return std::nullopt;
    if (target == "adapters") return "an adapter includes no sibling: let tools/luziad connect the two";
    return "an adapter sees projections/rows only";
  }
  return "schema/ includes nothing";
}

std::optional<std::string> refuse_library(const SourceFile& from, const std::string& name) {
  const bool outside = from.is_under("tests") || from.is_under("bench");
  if (name.starts_with("rocksdb/") && !outside && !from.path.starts_with("engine/log/rocks_") &&
      !from.path.starts_with("engine/view/rocks_")) {
    return "RocksDB is seen by engine/log/rocks_* and engine/view/rocks_* only: go through EventLog or "
           "ViewStore";
  }
  const bool is_uv = name == "uv.h" || name.starts_with("uv/");
  const bool may_wait = from.is_under("adapters") || from.is_under("tools/luziad") ||
                        from.is_under("tools/luzia-proxy") || from.is_under("tools/luzia-web");
  if (is_uv && !outside && !may_wait) {
    return "libuv is seen by adapters/, tools/luziad, tools/luzia-proxy and tools/luzia-web only";
  }
  return std::nullopt;
}

std::optional<std::string> refuse(const SourceFile& from, const Include& include) {
  const bool generated = include.name.ends_with(".fb.h");
  const bool own = is_layer(first_folder(include.name)) && include.name.find('/') != std::string::npos;
  if (!include.quoted) {
    if (own || generated) return "our own files are included in quotes";
    return refuse_library(from, include.name);
  }
  if (generated) return std::nullopt;
  if (!own) {
    if (auto library = refuse_library(from, include.name)) return library;
    return "quotes are for our own files, named from the root: \"engine/base/result.h\"";
  }
  return refuse_own(from, include.name);
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

using Graph = std::map<std::string, std::map<std::string, Finding>>;

/// Depth-first search; `trail` is the path from the start to `folder`.
void search_cycle(const Graph& graph, const std::string& folder, std::vector<std::string>& trail,
                  std::set<std::string>& done, Findings& findings) {
  trail.push_back(folder);
  const auto edges = graph.find(folder);
  if (edges != graph.end()) {
    for (const auto& [target, example] : edges->second) {
      const auto seen = std::find(trail.begin(), trail.end(), target);
      if (seen != trail.end()) {
        std::string way;
        for (auto step = seen; step != trail.end(); ++step) way += *step + " -> ";
        findings.push_back({example.path, example.line, "folders need each other: " + way + target});
      } else if (!done.contains(target)) {
        search_cycle(graph, target, trail, done, findings);
      }
    }
  }
  trail.pop_back();
  done.insert(folder);
}

}  // namespace

Findings check_includes(const SourceFile& file) {
  Findings findings;
  if (!file.is_cpp()) return findings;
  for (const Include& include : includes_of(file)) {
    if (const auto reason = refuse(file, include)) {
      findings.push_back({file.path, include.line, include.name + ": " + *reason});
    }
  }
  return findings;
}

Findings check_cycles(std::span<const SourceFile> files) {
  Graph graph;
  for (const SourceFile& file : files) {
    if (!file.is_cpp()) continue;
    for (const Include& include : includes_of(file)) {
      if (!include.quoted || include.name.find('/') == std::string::npos) continue;
      const std::string from = folder_of(file.path), to = folder_of(include.name);
      if (from != to) graph[from].try_emplace(to, Finding{file.path, include.line, {}});
    }
  }
  Findings findings;
  std::set<std::string> done;
  for (const auto& [folder, edges] : graph) {
    std::vector<std::string> trail;
    if (!done.contains(folder)) search_cycle(graph, folder, trail, done, findings);
  }
  return findings;
}

}  // namespace luzia::tidy
