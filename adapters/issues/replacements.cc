#include "adapters/issues/replacements.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>

namespace luzia {
namespace {

using Edges = std::vector<std::vector<std::size_t>>;

Edges edges_by_name(const std::vector<IssuePattern>& patterns) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < patterns.size(); ++i) by_name[patterns[i].name].push_back(i);
  Edges edges(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (const std::string& name : patterns[i].instead_of) {
      const auto named = by_name.find(name);
      if (named == by_name.end()) continue;
      for (const std::size_t other : named->second) {
        if (other != i && !(patterns[i].shipped && !patterns[other].shipped)) edges[i].push_back(other);
      }
    }
    std::ranges::sort(edges[i]);
    const auto again = std::ranges::unique(edges[i]);
    edges[i].erase(again.begin(), again.end());
  }
  return edges;
}

/// Tarjan's algorithm for strongly connected components, with an explicit stack: a chain may be as long as
/// the file.
class Circles {
 public:
  explicit Circles(const Edges& edges) : edges_(edges), nodes_(edges.size()) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (nodes_[i].order == 0) walk(i);
    }
  }
  bool have_both(std::size_t one, std::size_t other) const {
    return nodes_[one].circle == nodes_[other].circle;
  }

 private:
  struct Node {
    std::size_t order = 0, lowest = 0;  // from 1, in order of discovery
    std::size_t circle = 0;             // from 1; 0: not known yet
    std::size_t next = 0;               // next edge to follow
  };

  void enter(std::size_t node) {
    nodes_[node].order = nodes_[node].lowest = ++met_;
    path_.push_back(node);
    open_.push_back(node);
  }

  void walk(std::size_t from) {
    enter(from);
    while (!path_.empty()) {
      const std::size_t here = path_.back();
      Node& node = nodes_[here];
      if (node.next < edges_[here].size()) {
        const std::size_t other = edges_[here][node.next++];
        if (nodes_[other].order == 0) {
          enter(other);
        } else if (nodes_[other].circle == 0) {
          node.lowest = std::min(node.lowest, nodes_[other].order);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) nodes_[path_.back()].lowest = std::min(nodes_[path_.back()].lowest, node.lowest);
      if (node.lowest == node.order) close(here);
    }
  }

  void close(std::size_t first) {
    ++circles_;
    for (bool is_last = false; !is_last; open_.pop_back()) {
      nodes_[open_.back()].circle = circles_;
      is_last = open_.back() == first;
    }
  }

  const Edges& edges_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> path_, open_;
  std::size_t met_ = 0, circles_ = 0;
};

}  // namespace

std::vector<std::vector<std::size_t>> replacements(const std::vector<IssuePattern>& patterns) {
  Edges edges = edges_by_name(patterns);
  const Circles circles(edges);
  Edges replaced(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::ranges::copy_if(edges[i], std::back_inserter(replaced[i]),
                         [&](std::size_t other) { return !circles.have_both(i, other); });
  }
  return replaced;
}

}  // namespace luzia
