// Rows as bytes, as in the view store and in protocol frames. Pure, any thread.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "engine/base/hash.h"

namespace luzia {

/// The row in `bytes`; null: not a valid FlatBuffer of that table. `bytes` must be aligned to 8 and outlive
/// the row.
template <class Row>
const Row* verified_row(Bytes bytes) {
  if (bytes.size() < 8 || reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) return nullptr;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 16, 10'000);
  if (!verifier.VerifyBuffer<Row>(nullptr)) return nullptr;
  return flatbuffers::GetRoot<Row>(bytes.data());
}

template <class Native>
std::string row_bytes(const Native& row) {
  flatbuffers::FlatBufferBuilder builder(512);
  builder.Finish(Native::TableType::Pack(builder, &row));
  return std::string(as_text({builder.GetBufferPointer(), builder.GetSize()}));
}

}  // namespace luzia
