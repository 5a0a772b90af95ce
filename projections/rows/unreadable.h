// Texts of a row that could not be read: shown as such, never as an empty text. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "protocol.fb.h"
#include "view.fb.h"

namespace luzia {

/// Error codes in a row: Job.task_error, and `question_error`, `output_error` and similar in JSON.
inline constexpr std::string_view kTaskUnreadable = "task_unreadable";
inline constexpr std::string_view kTextUnreadable = "text_unreadable";

/// The task for people; "(unreadable: task_unreadable)" if it cannot be read.
std::string shown_task(const view::Job& job);

/// The placeholder for an unreadable text of `size` bytes. Its own size always differs, so no real text can
/// equal it.
std::string unreadable_words(std::uint64_t size);
/// Whether `shown` is the placeholder for a text of that size, or for that reference.
bool is_unreadable(std::string_view shown, std::uint64_t size);
bool is_unreadable(std::string_view shown, const schema::BlobRef* text);

/// Whether a text of the row could not be read. Erased texts do not count. `row`: aligned to 8.
bool has_unreadable_text(wire::RowType type, Bytes row);
/// Error for callers that have printed such rows beside others: `text_unreadable` (trouble).
Error unreadable_rows(std::uint64_t rows);

}  // namespace luzia
