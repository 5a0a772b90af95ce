// Builds the expressions for Vectorscan. Its speed depends on literals. An expression whose literal follows
// something of any length needs an automaton that runs over all preceding text. Hundreds of those cost more
// than all literals together. RE2 confirms each line anyway. So an expression with a long enough literal is
// searched for by that literal and its neighbors. Others are searched for whole, without ends that any text
// would match. Measured with the shipped library: whole expressions alone reach 0.4 GB/s.
#include <algorithm>
#include <optional>

#include "adapters/issues/regex_tree.h"

namespace luzia {
namespace {

constexpr std::size_t kEnoughLiteral = 6;  // bytes
constexpr std::size_t kMostBranches = 16;
constexpr std::uint32_t kMostCopies = 8;
constexpr std::size_t kMostItems = 500;

bool is_optional(const RegexNode& node) {
  return (node.kind == RegexKind::repeat && node.least == 0) ||
         (node.kind == RegexKind::sequence && node.parts.empty());
}

bool is_any_text(const RegexNode& node) {
  if (node.kind == RegexKind::capture) return is_any_text(node.parts[0]);
  if (node.kind == RegexKind::sequence && node.parts.size() == 1) return is_any_text(node.parts[0]);
  return node.kind == RegexKind::repeat && node.most == RegexNode::kUnbounded &&
         node.parts[0].kind == RegexKind::bytes && node.parts[0].set == any_byte();
}

/// Removes what always matches from one end of a node; true: nothing is left.
bool trim(RegexNode& node, bool at_end);

bool trim_sequence(std::vector<RegexNode>& parts, bool at_end) {
  const RegexKind edge = at_end ? RegexKind::line_end : RegexKind::line_begin;
  while (!parts.empty()) {
    RegexNode& outer = at_end ? parts.back() : parts.front();
    if (outer.kind == edge && parts.size() >= 2) {
      // `.*$`: every line has an end.
      if (!is_any_text(at_end ? parts[parts.size() - 2] : parts[1])) return false;
    } else if (!trim(outer, at_end)) {
      return false;
    }
    parts.erase(at_end ? parts.end() - 1 : parts.begin());
  }
  return true;
}

bool trim(RegexNode& node, bool at_end) {
  switch (node.kind) {
    case RegexKind::bytes:
    case RegexKind::line_begin:
    case RegexKind::line_end:
    case RegexKind::word_edge:
    case RegexKind::no_word_edge:
      return false;
    case RegexKind::sequence:
      return trim_sequence(node.parts, at_end);
    case RegexKind::capture:
      return trim(node.parts[0], at_end);
    case RegexKind::choice: {
      bool gone = false;
      for (RegexNode& part : node.parts) gone = trim(part, at_end) || gone;
      return gone;
    }
    case RegexKind::repeat:
      if (is_optional(node)) return true;
      node.most = node.least;
      return node.least == 1 && trim(node.parts[0], at_end);
  }
  return false;
}

bool is_empty(const RegexNode& node) {
  return (node.kind == RegexKind::sequence || node.kind == RegexKind::capture) &&
         std::ranges::all_of(node.parts, is_empty);
}

/// Removes anchors that are not at the edges of the whole expression: Vectorscan rejects those inside
/// (`(?:a|b$)c`, `^^a`).
void drop_inner_anchors(RegexNode& node, bool at_begin, bool at_end) {
  const bool inner =
      (node.kind == RegexKind::line_begin && !at_begin) || (node.kind == RegexKind::line_end && !at_end);
  if (inner) {
    node = RegexNode();
    return;
  }
  if (node.kind == RegexKind::repeat && node.most > 1) at_begin = at_end = false;
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    const auto here = node.parts.begin() + static_cast<std::ptrdiff_t>(i);
    const bool alone = node.kind != RegexKind::sequence;
    drop_inner_anchors(*here, at_begin && (alone || std::all_of(node.parts.begin(), here, is_empty)),
                       at_end && (alone || std::all_of(here + 1, node.parts.end(), is_empty)));
  }
}

/// A part of an expression that every match contains, or a gap in which anything may be.
struct Item {
  const RegexNode* node = nullptr;  // null: a gap
  std::size_t literal = 0;          // number of known bytes
};

void append_items(const RegexNode& node, std::vector<Item>& items);

/// The number of known bytes of a node without gaps; nullopt for others.
std::optional<std::size_t> literal_of(const RegexNode& node) {
  std::vector<Item> items;
  append_items(node, items);
  std::size_t literal = 0;
  for (const Item& item : items) {
    if (item.node == nullptr) return std::nullopt;
    literal += item.literal;
  }
  return literal;
}

/// One byte, or a letter in both cases.
bool is_literal(const ByteSet& set) {
  if (set.count() == 1) return true;
  if (set.count() != 2) return false;
  for (std::size_t upper = 'A'; upper <= 'Z'; ++upper) {
    if (set[upper]) return set[upper - 'A' + 'a'];
  }
  return false;
}

void append_choice(const RegexNode& node, std::vector<Item>& items) {
  std::size_t least = SIZE_MAX;
  for (const RegexNode& branch : node.parts) {
    const auto literal = literal_of(branch);
    if (!literal || node.parts.size() > kMostBranches) return items.push_back({});
    least = std::min(least, *literal);
  }
  items.push_back({&node, least});
}

void append_repeat(const RegexNode& node, std::vector<Item>& items) {
  std::vector<Item> once;
  if (node.least > 0) append_items(node.parts[0], once);
  // Nested repeats double these items at each level.
  if (once.empty() || once.size() > kMostItems) return items.push_back({});
  const bool exact = node.least == node.most && node.least <= kMostCopies;
  // The first copy is next to the preceding item, the last copy next to the following one.
  for (std::uint32_t copies = exact ? node.least : 2; copies > 0; --copies) {
    items.insert(items.end(), once.begin(), once.end());
    if (!exact && copies == 2) items.push_back({});
  }
}

void append_items(const RegexNode& node, std::vector<Item>& items) {
  switch (node.kind) {
    case RegexKind::bytes:
      return items.push_back({&node, is_literal(node.set) ? std::size_t{1} : 0});
    case RegexKind::line_begin:
    case RegexKind::line_end:
      return items.push_back({&node, 1});  // a newline
    case RegexKind::word_edge:
    case RegexKind::no_word_edge:
      return items.push_back({&node, 0});
    case RegexKind::sequence:
    case RegexKind::capture:
      for (const RegexNode& part : node.parts) append_items(part, items);
      return;
    case RegexKind::choice:
      return append_choice(node, items);
    case RegexKind::repeat:
      return append_repeat(node, items);
  }
}

/// The run of items between two gaps with the most known bytes, without unknown items at its ends.
std::vector<Item> best_run(const std::vector<Item>& items, std::size_t& literal) {
  std::vector<Item> best;
  literal = 0;
  for (std::size_t at = 0; at < items.size(); ++at) {
    std::vector<Item> run;
    std::size_t known = 0;
    for (; at < items.size() && items[at].node != nullptr; ++at) {
      const bool unknown = items[at].literal == 0 && items[at].node->kind == RegexKind::bytes;
      if (run.empty() && unknown) continue;
      run.push_back(items[at]);
      known += items[at].literal;
    }
    while (!run.empty() && run.back().literal == 0 && run.back().node->kind == RegexKind::bytes)
      run.pop_back();
    if (known > literal) {
      literal = known;
      best = std::move(run);
    }
  }
  return best;
}

}  // namespace

std::string print_finding(const RegexNode& node) {
  // Nested repeats would be copied over and over.
  std::vector<Item> items;
  if (expanded_size(node) <= 1'000) append_items(node, items);
  std::size_t literal = 0;
  const std::vector<Item> run = best_run(items, literal);
  RegexNode kept;
  if (literal >= kEnoughLiteral) {
    for (const Item& item : run) kept.parts.push_back(*item.node);
  } else {
    kept = node;
    trim(kept, true);
    trim(kept, false);
  }
  drop_inner_anchors(kept, true, true);
  return print_for_blocks(kept);
}

}  // namespace luzia
