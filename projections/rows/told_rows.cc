#include "projections/rows/told_rows.h"

#include <fmt/format.h>

#include "projections/rows/unreadable.h"

namespace luzia {
namespace {

std::string_view how_words(schema::ToldHow how) {
  switch (how) {
    case schema::ToldHow::prompt:
      return "in its prompt";
    case schema::ToldHow::hook:
      return "at a tool call";
    case schema::ToldHow::tool:
      return "with the result of a tool";
  }
  return "in a way that this program does not know";
}

}  // namespace

std::string told_by(const view::ToldMessage& told) {
  if (!text(told.from_job()).empty()) return fmt::format("the agent of job {}", text(told.from_job()));
  const std::string from(text(told.from()).empty() ? "somebody" : text(told.from()));
  return text(told.device()).empty() ? from : fmt::format("{} on {}", from, text(told.device()));
}

std::string read_words(std::uint32_t attempt, schema::ToldHow how) {
  return fmt::format("attempt {} read it {}", attempt, how_words(how));
}

void write_told(JsonObject& object, const view::Job& job) {
  if (job.told_unread() > 0) object.number("messages_unread", job.told_unread());
  if (job.told() == nullptr || job.told()->size() == 0) return;
  object.objects("messages", *job.told(), [](JsonObject& one, const view::ToldMessage* told) {
    const bool is_read = told->read_us() != 0;
    one.text("id", told->id());
    one.text("text", told->text());
    if (is_unreadable(text(told->text()), told->text_ref())) one.text("text_error", kTextUnreadable);
    one.strings("files", told->files());
    one.text_or_null("from", told->from());
    one.text_or_null("device", told->device());
    one.text_or_null("from_job", told->from_job());
    one.text_or_null("channel", told->channel());
    one.time("told_at", told->told_us());
    one.time("read_at", told->read_us());
    one.number_or_null("attempt", told->attempt());
    one.text_or_null("how", is_read ? schema::EnumNameToldHow(told->how()) : std::string_view());
  });
  if (job.told_omitted() > 0) object.number("messages_omitted", job.told_omitted());
}

}  // namespace luzia
