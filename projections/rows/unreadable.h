// Texts that a row was to show and that could not be read: never an empty text, never a silent one.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "protocol.fb.h"
#include "view.fb.h"

namespace luzia {

/// Codes of a row: Job.task_error, and `question_error`, `output_error` and their like in JSON.
inline constexpr std::string_view kTaskUnreadable = "task_unreadable";
inline constexpr std::string_view kTextUnreadable = "text_unreadable";

/// The task as people see it: "(unreadable: task_unreadable)" in its place.
std::string shown_task(const view::Job& job);

/// What stands for a text of `size` bytes that cannot be read. It never has that size, so that no text can
/// pass for it.
std::string unreadable_words(std::uint64_t size);
/// Whether these words stand for a text of that size, or of that reference.
bool is_unreadable(std::string_view shown, std::uint64_t size);
bool is_unreadable(std::string_view shown, const schema::BlobRef* text);

/// Whether a text that the row was to show could not be read. An erased one is none. `row`: aligned to 8.
bool has_unreadable_text(wire::RowType type, Bytes row);
/// For who has printed such rows beside others: `text_unreadable` (trouble).
Error unreadable_rows(std::uint64_t rows);

}  // namespace luzia
