#include "adapters/launcher/resident_memory.h"

#include <unistd.h>

#include <map>

#include "adapters/launcher/process_table.h"

namespace luzia {
namespace {

constexpr int kMostGenerations = 1'000;  // a parent that was reused meanwhile could make a circle

}  // namespace

std::vector<std::uint64_t> resident_kib(std::span<const ProcessTree> trees) {
  std::vector<std::uint64_t> used(trees.size());
  ProcessTable table;
  if (trees.empty() || !table.scan()) return used;
  std::map<pid_t, std::size_t> roots;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const auto* root = table.find(trees[i].root);
    if (root != nullptr && root->stat.start == trees[i].start) roots.emplace(trees[i].root, i);
  }
  static const auto page_kib = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
  for (const ProcessTable::Entry& entry : table) {
    const ProcessTable::Entry* at = &entry;
    for (int generation = 0; at != nullptr && generation < kMostGenerations; ++generation) {
      const auto root = roots.find(at->stat.pid);
      if (root == roots.end()) {
        at = table.find(at->stat.parent);
        continue;
      }
      const bool counts = at != &entry || trees[root->second].counts_root;
      if (counts) used[root->second] += entry.stat.resident_pages * page_kib;
      break;
    }
  }
  return used;
}

}  // namespace luzia
