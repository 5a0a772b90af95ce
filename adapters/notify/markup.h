// Escapes text for receivers that read markup. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// Escapes `&`, `<` and `>` as entities, and nothing else. Slack requires this
/// (https://api.slack.com/reference/surfaces/formatting#escaping), and it keeps a desktop from reading text
/// as markup (https://specifications.freedesktop.org/notification-spec).
std::string without_markup(std::string_view text);

}  // namespace luzia
