// Which row of luzia top is selected, and where the selection goes when rows change or the person has acted.
// Pure.
#pragma once

#include <cstddef>
#include <string>

#include "tools/luzia/look/top/rows.h"

namespace luzia {

class TopSelection {
 public:
  /// Empty: no row.
  const std::string& id() const { return id_; }
  /// Something was done to the selected row; about this question or approval, if not empty.
  void acted(std::string prompt);
  void forget_act();
  /// By so many of the rows that are shown.
  void move(const TopRows::Jobs& all, std::ptrdiff_t by);
  /// After an answer or a decision, once it holds: selects the next row that needs a person.
  void move_on(const TopRows::Jobs& all, const TopRows& rows);
  /// The shown rows have changed. `alone`: the selected row is shown alone, and stays even if it is gone.
  void keep(const TopRows::Jobs& all, bool alone);
  bool has_moved_on() const { return moved_on_; }
  void settle() { moved_on_ = false; }

 private:
  /// The selected row, or the job of its step if a gate is gone; else the end.
  TopRows::Jobs::const_iterator find_in(const TopRows::Jobs& all) const;

  std::string id_;
  std::string acted_on_;      // id of the row that something was done to, until it is left
  std::string acted_prompt_;  // its question or approval, until the selection moves on
  bool moved_on_ = false;
  std::size_t place_ = 0;  // of the selected row, for when it goes
};

}  // namespace luzia
