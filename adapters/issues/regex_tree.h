// A regular expression for one line as a tree of its meaning: the form between the syntax it was written in
// (Python's) and the syntaxes of the two engines. Plain values, any thread. It describes bytes, not
// characters, because a log's encoding is unknown: `.` is one byte, and a non-ASCII character is its UTF-8
// bytes.
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
  choice,    // the first of `parts` that leads to a match
  repeat,    // parts[0], `least` to `most` times
  capture,   // parts[0], remembered
  line_begin,
  line_end,  // before the line's end and a carriage return in front of it
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
  std::string name;  // of a capture; empty: only numbered
};

/// All bytes except newline.
ByteSet any_byte();

/// The fewest bytes of a match. 0: the expression matches the empty text somewhere.
std::uint64_t shortest_match(const RegexNode& node);
/// The number of bytes and assertions after expanding all bounded repeats, which determines the size of an
/// engine's automaton. Saturates at UINT32_MAX.
std::uint64_t expanded_size(const RegexNode& node);

/// RE2 syntax with Latin-1 bytes, for a line without its line end; captures in order.
std::string print_confirming(const RegexNode& node);
/// Vectorscan syntax with HS_FLAG_MULTILINE, for whole blocks, without captures: the same meaning.
std::string print_for_blocks(const RegexNode& node);

/// A looser expression to search blocks for. It matches within every line that the expression matches, and in
/// others too, so each hit must be confirmed. See regex_finding.cc.
std::string print_finding(const RegexNode& node);

}  // namespace luzia
