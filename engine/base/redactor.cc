#include "engine/base/redactor.h"

#include <algorithm>
#include <cstring>

#include "engine/base/base64url.h"
#include "engine/base/lower_case.h"
#include "engine/base/percent_encoding.h"

namespace luzia {
namespace {

bool ends_line(char c) {
  return c == '\n' || c == '\r';
}

/// As inside of a JSON string (RFC 8259, 7).
std::string in_json(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  std::string written;
  for (const char c : text) {
    const std::size_t known = kShort.find(c);
    const auto byte = static_cast<unsigned char>(c);
    if (known != std::string_view::npos) {
      written += {'\\', kLetters[known]};
    } else if (byte < 0x20) {
      written.append("\\u00") += {kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      written += c;
    }
  }
  return written;
}

/// What of the base64 of any text with `value` inside depends on the value alone, if the bytes before it are
/// a multiple of 3 and `shift` more.
std::string in_base64(std::string_view value, std::size_t shift) {
  const std::string encoded = base64url(std::string(shift, '\0').append(value));
  const std::size_t first = (shift * 8 + 5) / 6, last = (shift + value.size()) * 8 / 6;
  return encoded.substr(first, last - first);
}

/// Of the other alphabet of RFC 4648.
std::string in_plain_alphabet(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  return text;
}

}  // namespace

Redactor::Redactor(const std::vector<SecretValue>& values) : nodes_(1) {
  skips_.fill(kLeastValue - 1);
  for (const SecretValue& secret : values) {
    const auto which = static_cast<std::uint16_t>(labels_.size());
    labels_.push_back("[secret " + secret.name + "]");
    context_ = std::max(context_, labels_.back().size());
    add_forms(secret.value, which);
  }
  link();
  std::size_t longest = 0;
  for (const Node& node : nodes_) longest = std::max<std::size_t>(longest, node.depth);
  context_ += longest;
}

Redactor Redactor::blind() {
  return {};
}

Redactor::~Redactor() {
  if (!nodes_.empty()) ::explicit_bzero(static_cast<void*>(nodes_.data()), nodes_.size() * sizeof(Node));
}

void Redactor::add_forms(std::string_view value, std::uint16_t which) {
  add(value, which);
  std::string_view rest = value;
  while (value.find('\n') != std::string_view::npos && !rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    add(line, which);
  }
  if (value.size() < kLeastValue || value.size() > kMostEncoded) return;
  for (std::size_t shift = 0; shift < 3; ++shift) {
    const std::string encoded = in_base64(value, shift);
    add(encoded, which);
    add(in_plain_alphabet(encoded), which);
  }
  for (const std::string_view plain : {"-_.~", "-_.~/", "-_.!~*'()"}) {
    const std::string encoded = percent_encoded(value, plain);
    add(encoded, which);
    if (encoded == value) continue;
    // The hexadecimal digits in lower case, and nothing else.
    std::string low = encoded;
    for (std::size_t at = low.find('%'); at != std::string::npos; at = low.find('%', at + 3)) {
      low.replace(at + 1, 2, lower_case(low.substr(at + 1, 2)));
    }
    add(low, which);
  }
  const std::string json = in_json(value);
  add(json, which);
  add(in_json(json), which);
}

void Redactor::add(std::string_view form, std::uint16_t which) {
  if (form.size() < kLeastValue) return;
  for (std::size_t i = 1; i < kLeastValue; ++i) {
    std::uint8_t& skip = skips_[pair_of(form[i - 1], form[i])];
    skip = std::min(skip, static_cast<std::uint8_t>(kLeastValue - 1 - i));
  }
  std::uint32_t at = 0;
  for (const char c : form) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t to = child_of(at, byte);
    if (to == 0) {
      to = static_cast<std::uint32_t>(nodes_.size());
      Node node;
      node.byte = byte;
      node.depth = nodes_[at].depth + 1;
      node.sibling = at == 0 ? 0 : nodes_[at].child;
      nodes_.push_back(node);
      (at == 0 ? first_[byte] : nodes_[at].child) = to;
    }
    at = to;
  }
  nodes_[at].longest = nodes_[at].depth;
  nodes_[at].which = which;
}

std::uint32_t Redactor::child_of(std::uint32_t node, unsigned char byte) const {
  if (node == 0) return first_[byte];
  std::uint32_t child = nodes_[node].child;
  while (child != 0 && nodes_[child].byte != byte) child = nodes_[child].sibling;
  return child;
}

std::uint32_t Redactor::next(std::uint32_t node, unsigned char byte) const {
  for (;;) {
    const std::uint32_t to = child_of(node, byte);
    if (to != 0 || node == 0) return to;
    node = nodes_[node].fail;
  }
}

/// Breadth first: a node's fail is the node of the longest proper end of its text.
void Redactor::link() {
  std::vector<std::uint32_t> order;
  order.reserve(nodes_.size());
  for (const std::uint32_t child : first_) {
    if (child != 0) order.push_back(child);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t at = order[i];
    for (std::uint32_t child = nodes_[at].child; child != 0; child = nodes_[child].sibling) {
      const std::uint32_t fail = next(nodes_[at].fail, nodes_[child].byte);
      nodes_[child].fail = fail;
      if (nodes_[child].longest == 0) {
        nodes_[child].longest = nodes_[fail].longest;
        nodes_[child].which = nodes_[fail].which;
      }
      order.push_back(child);
    }
  }
}

/// `found` ends at or behind all others.
void Redactor::join(std::vector<Run>& runs, Run found) {
  while (!runs.empty() && found.begin < runs.back().end) {
    if (runs.back().begin <= found.begin) {
      found.begin = runs.back().begin;
      found.which = runs.back().which;
    }
    runs.pop_back();
  }
  runs.push_back(found);
}

/// The next byte at which a value may begin.
std::size_t Redactor::skipped(std::string_view text, std::size_t from) const {
  constexpr std::size_t kMost = kLeastValue - 1;
  while (from + kMost < text.size()) {
    const std::size_t skip = skips_[pair_of(text[from + kMost - 1], text[from + kMost])];
    if (skip == 0) break;
    // A constant in the usual case: the processor goes on without waiting for the table (seven times as
    // fast).
    if (skip == kMost) {
      from += kMost;
    } else {
      from += skip;
    }
  }
  return from;
}

std::vector<Redactor::Run> Redactor::find(std::string_view text, bool goes_on) const {
  std::vector<Run> runs;
  std::uint32_t at = 0;
  for (std::size_t i = skipped(text, 0); i < text.size(); i = at == 0 ? skipped(text, i + 1) : i + 1) {
    at = next(at, static_cast<unsigned char>(text[i]));
    const std::size_t longest = nodes_[at].longest;
    if (longest != 0) join(runs, {i + 1 - longest, i + 1, nodes_[at].which});
  }
  const std::size_t begun = nodes_[at].depth;
  if (!goes_on || begun < kLeastBeginning) return runs;
  // Which value it is, is not known yet.
  join(runs, {text.size() - begun, text.size(), static_cast<std::uint16_t>(labels_.size())});
  return runs;
}

bool Redactor::black_out(std::span<char> text, bool goes_on) const {
  if (blind_) {
    for (char& c : text) {
      if (!ends_line(c)) c = '*';
    }
    return !text.empty();
  }
  const std::vector<Run> runs = find({text.data(), text.size()}, goes_on);
  for (const Run& run : runs) {
    const std::string_view label = run.which < labels_.size() ? labels_[run.which] : std::string_view();
    const bool fits = label.size() <= run.end - run.begin;
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::size_t in_run = i - run.begin;
      if (!ends_line(text[i])) text[i] = fits && in_run < label.size() ? label[in_run] : '*';
    }
  }
  return !runs.empty();
}

std::string Redactor::blacked_out(std::string text) const {
  black_out(text, false);
  return text;
}

}  // namespace luzia
