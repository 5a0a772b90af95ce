// Which machine each row of a list over several machines is from, for tables and JSON. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/time.h"
#include "engine/event/event.h"

namespace luzia {

struct RowMachine {
  std::string name;
  Position position = 0;             // of its log; 0: not known
  TimeUs as_of_us = 0;               // its rows are what it said then; 0: it has just said them, or never
  std::optional<Error> failed = {};  // why it has not answered
  bool answered() const { return !failed; }
};

struct RowMachines {
  TimeUs now = 0;
  std::vector<RowMachine> machines = {};
  std::map<std::string, std::size_t, std::less<>> of_id = {};  // by job or flow: the index of its machine
  std::map<std::string, std::size_t, std::less<>> also_of_id = {};  // another machine that claims the same id
  std::map<std::string, std::size_t, std::less<>> first_seen = {};  // by job or flow: who had it earlier
  std::map<std::string, RowMachine, std::less<>> contested =
      {};                                          // claimed by several, and seen on none before
  std::map<const void*, std::size_t> of_row = {};  // by row, for those without a job or flow

  /// nullptr: it is of none of them. Of a contested id the name has all machines that claim it: "a or b".
  const RowMachine* find(std::string_view id) const;
  const RowMachine* find_row(const void* row) const;
};

/// "web1"; if its rows are not of now, "web1, 3m ago".
std::string machine_text(const RowMachine& machine, TimeUs now);

/// Adds `machine` to an object that is JSON already and, if its rows are not of now, `as_of` and `as_of_us`.
/// Null: adds nothing.
std::string with_machine(std::string object, const RowMachine* machine);

/// Adds to an object that is JSON already
/// "machines":[{"machine","answered","position","as_of","as_of_us","error":null|{"code","message","hint"}}].
std::string with_machines(std::string object, const RowMachines& machines);

}  // namespace luzia
