// The erasable texts that an event refers to, and whether they are there.
#pragma once

#include <vector>

#include "engine/log/blob_row.h"
#include "event.fb.h"

namespace luzia {

/// The references to texts that an event holds. They point into the event.
std::vector<const schema::BlobRef*> texts_of(const schema::Event& event);

/// Whether the row has the text that the event speaks of, or the fact of its erasure.
bool has_text(const std::vector<BlobEntry>& entries, Position event, const schema::BlobRef& text);

}  // namespace luzia
