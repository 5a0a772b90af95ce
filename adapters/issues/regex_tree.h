// A regular expression that is matched to one line, as a tree of what it means: the form between the syntax
// it was written in (Python's) and those of the two engines. Plain values, any thread. Bytes, not characters:
// a log's encoding is a guess, so `.` is a byte and a character beyond ASCII the sequence of its UTF-8 bytes.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace luzia {

using ByteSet = std::bitset<256>;

enum class RegexKind {
  bytes,     // one byte of `set`
  sequence,  // `parts` one after another; none: the empty text
  choice,    // one of `parts`, the first that leads to a match
  repeat,    // parts[0], `least` to `most` times
  capture,   // parts[0], remembered
  line_begin,
  line_end,  // a carriage return before it counts as part of the line's end
  word_edge,
  no_word_edge,
};

struct RegexNode {
  static constexpr std::uint32_t kUnbounded = UINT32_MAX;

  RegexKind kind = RegexKind::sequence;
  ByteSet set;
  std::vector<RegexNode> parts;
  std::uint32_t least = 0, most = 0;
  bool lazy = false;
  std::string name;  // of a capture; empty: it has a number only
};

/// All bytes but the newline.
ByteSet any_byte();

/// Fewest bytes of a match; what can be 0 matches the empty text somewhere.
std::uint64_t shortest_match(const RegexNode& node);
/// Bytes and assertions when every bounded repeat is written out: what an engine's automaton grows with.
/// Saturates at UINT32_MAX.
std::uint64_t expanded_size(const RegexNode& node);

/// In the syntax of RE2 with Latin-1 bytes, for the line without its end, captures in order.
std::string print_confirming(const RegexNode& node);
/// In the syntax of Vectorscan with HS_FLAG_MULTILINE, for whole blocks, no captures: the same meaning.
std::string print_for_blocks(const RegexNode& node);

/// What to look for in blocks: matches within every line that the expression matches, and in others too; each
/// is to be confirmed. See regex_finding.cc.
std::string print_finding(const RegexNode& node);

}  // namespace luzia
