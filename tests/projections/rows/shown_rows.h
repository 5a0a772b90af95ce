// Encoded rows of one table, and pointers to them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "projections/rows/row_bytes.h"

namespace luzia::test {

template <class Row>
class ShownRows {
 public:
  const Row& add(const typename Row::NativeTableType& row) {
    bytes_.push_back(std::make_unique<std::string>(row_bytes(row)));
    rows_.push_back(flatbuffers::GetRoot<Row>(bytes_.back()->data()));
    return *rows_.back();
  }
  const std::vector<const Row*>& list() const { return rows_; }

 private:
  std::vector<std::unique_ptr<std::string>> bytes_;
  std::vector<const Row*> rows_;
};

}  // namespace luzia::test
