// Blacks out known values (secrets) in bytes that are shown or recorded. Every occurrence of a value, also in
// common encodings, is overwritten: with [secret NAME] and asterisks, or asterisks alone if the value is
// shorter than that. Sizes and line ends stay, so offsets and line numbers into the original remain right.
// Linear time, whatever values and text are: Aho-Corasick, after skipping where no value can begin (as Wu and
// Manber do). Immutable: any thread.
//
// Rejected: replacing by a text of another size. Each reader of a part of output.log would need a map of
// offsets, and a value across two parts would be found by neither.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace luzia {

struct SecretValue {
  std::string name, value;
  bool operator==(const SecretValue&) const = default;
};

class Redactor {
 public:
  /// Shorter values are not looked for: they would black out ordinary words.
  static constexpr std::size_t kLeastValue = 6;
  /// Longer values are found as they are and line by line, but not encoded.
  static constexpr std::size_t kMostEncoded = 4 << 10;
  /// The beginning of a value at the end of a text that may go on is blacked out from this size on.
  static constexpr std::size_t kLeastBeginning = 4;

  explicit Redactor(const std::vector<SecretValue>& values);
  /// For values that exist and cannot be read: blacks out everything but line ends.
  static Redactor blind();
  Redactor(Redactor&&) noexcept = default;
  Redactor& operator=(Redactor&&) = delete;
  ~Redactor();

  bool is_blind() const { return blind_; }
  /// Memory that it takes.
  std::size_t bytes() const { return sizeof(*this) + nodes_.capacity() * sizeof(Node); }
  /// Whether bytes of a text are blacked out is decided by so many bytes around them.
  std::size_t context() const { return context_; }
  /// Overwrites what must not be seen. `goes_on`: more text may follow later, so the beginning of a value at
  /// the end counts too. Returns whether there was anything.
  bool black_out(std::span<char> text, bool goes_on) const;
  std::string blacked_out(std::string text) const;

 private:
  struct Node {
    std::uint32_t child = 0, sibling = 0, fail = 0;
    std::uint32_t depth = 0, longest = 0;  // of the values that end here
    std::uint16_t which = 0;               // label of the longest
    unsigned char byte = 0;
  };
  struct Run {
    std::size_t begin, end;
    std::uint16_t which;
  };
  Redactor() : blind_(true) {}
  static std::size_t pair_of(char first, char second) {
    return (std::size_t{static_cast<unsigned char>(first)} << 4) ^ static_cast<unsigned char>(second);
  }
  void add_forms(std::string_view value, std::uint16_t which);
  void add(std::string_view form, std::uint16_t which);
  void link();
  std::uint32_t child_of(std::uint32_t node, unsigned char byte) const;
  std::uint32_t next(std::uint32_t node, unsigned char byte) const;
  std::size_t skipped(std::string_view text, std::size_t from) const;
  static void join(std::vector<Run>& runs, Run found);
  std::vector<Run> find(std::string_view text, bool goes_on) const;

  bool blind_ = false;
  std::size_t context_ = 0;
  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> first_{};  // children of the root
  // By the last two of kLeastValue bytes: no value begins at the first so many of them.
  std::array<std::uint8_t, 4096> skips_{};
  std::vector<std::string> labels_;
};

}  // namespace luzia
