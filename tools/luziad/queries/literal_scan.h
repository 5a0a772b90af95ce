// Finds a text in a long one, without regard to the case of ASCII letters, nearly as fast as memory is read:
// of all places only those are compared where two bytes fit, the ones that are rarest in what is searched.
// One thread at a time.
//
// Rejected: Vectorscan, which must first be compiled, and compares the last bytes, however frequent they are.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace luzia {

class LiteralScan {
 public:
  /// `literal`: any bytes, at least one.
  explicit LiteralScan(std::string_view literal);
  std::size_t size() const { return literal_.size(); }

  /// Where it begins in `text`, at `from` or behind; npos: nowhere.
  std::size_t find(std::string_view text, std::size_t from);

 private:
  /// A byte of the literal. `fold`: the bit by which its two cases differ, else 0.
  struct Mark {
    std::size_t at = 0;
    unsigned char byte = 0, fold = 0;
  };
  void learn(std::string_view text);
  bool is_at(const char* place) const;
  const char* next_likely(const char* place, const char* end) const;

  std::string literal_;  // in lower case
  std::string folds_;    // of its bytes
  std::array<Mark, 2> rarest_;
  std::size_t patience_ = 0;         // places that may turn out to be others until it looks for rarer bytes
  std::size_t next_patience_ = 512;  // the rarest may be frequent, too
};

}  // namespace luzia
