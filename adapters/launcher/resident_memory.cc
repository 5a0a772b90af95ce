#include "adapters/launcher/resident_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "adapters/launcher/process_table.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr int kMostGenerations = 1'000;  // a parent that was reused meanwhile could make a circle

/// Calls found(tree, process) for each process of each tree.
template <class Found>
void visit_trees(std::span<const ProcessTree> trees, Found found) {
  ProcessTable table;
  if (trees.empty() || !table.scan()) return;
  std::map<pid_t, std::size_t> roots;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const auto* root = table.find(trees[i].root);
    if (root != nullptr && root->stat.start == trees[i].start) roots.emplace(trees[i].root, i);
  }
  if (roots.empty()) return;
  for (const ProcessTable::Entry& entry : table) {
    const ProcessTable::Entry* at = &entry;
    for (int generation = 0; at != nullptr && generation < kMostGenerations; ++generation) {
      const auto root = roots.find(at->stat.pid);
      if (root == roots.end()) {
        at = table.find(at->stat.parent);
        continue;
      }
      const bool counts = at != &entry || trees[root->second].counts_root;
      if (counts) found(root->second, entry.stat);
      break;
    }
  }
}

std::uint64_t resident_bytes(const ProcessStat& process) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return process.resident_pages * page;
}

/// Its share of what it holds, in bytes: "Pss" of proc(5), Documentation/filesystems/proc.rst.
std::optional<std::uint64_t> proportional_bytes(pid_t pid) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/smaps_rollup", static_cast<int>(pid));
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  const auto text = read_up_to(file.get(), 2048);
  const std::size_t at = text ? text->find("\nPss:") : std::string::npos;
  unsigned long long kib = 0;
  if (at == std::string::npos || std::sscanf(text->c_str() + at, "\nPss: %llu kB", &kib) != 1)
    return std::nullopt;
  return kib * 1024;
}

}  // namespace

std::vector<std::uint64_t> resident_kib(std::span<const ProcessTree> trees) {
  std::vector<std::uint64_t> used(trees.size());
  visit_trees(trees, [&used](std::size_t tree, const ProcessStat& process) {
    used[tree] += resident_bytes(process) / 1024;
  });
  return used;
}

std::vector<TreeUse> use_of_trees(std::span<const ProcessTree> trees) {
  std::vector<TreeUse> uses(trees.size());
  visit_trees(trees, [&uses](std::size_t tree, const ProcessStat& process) {
    if (process.ended()) return;
    const std::uint64_t resident = resident_bytes(process);
    uses[tree].resident += resident;
    uses[tree].threads += process.threads;
    uses[tree].processes.push_back({process.pid, process.name, resident});
  });
  for (TreeUse& use : uses)
    std::ranges::sort(use.processes, std::ranges::greater(), &ProcessInTree::resident);
  return uses;
}

bool holds_more_than(const TreeUse& use, std::uint64_t limit) {
  std::uint64_t at_most = use.resident, at_least = 0;
  for (const ProcessInTree& process : use.processes) {
    if (at_most <= limit || at_least > limit) break;
    const std::uint64_t share =
        std::min(process.resident, proportional_bytes(process.pid).value_or(process.resident));
    at_most -= process.resident - share;
    at_least += share;
  }
  return at_most > limit;
}

}  // namespace luzia
