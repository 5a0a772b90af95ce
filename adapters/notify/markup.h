// Text for receivers that read markup. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace luzia {

/// `&`, `<` and `>` as entities, and nothing else: what Slack asks for
/// (https://api.slack.com/reference/surfaces/formatting#escaping) and what keeps a desktop from taking a text
/// for markup (https://specifications.freedesktop.org/notification-spec).
std::string without_markup(std::string_view text);

}  // namespace luzia
