#include "engine/log/event_log.h"

#include "engine/log/event_texts.h"

namespace luzia {
namespace {

std::string blob_name(Position event, std::uint32_t index) {
  return "text " + std::to_string(index) + " of event " + std::to_string(event);
}

}  // namespace

tl::unexpected<Error> no_group_for(Position position) {
  return fail(ErrorKind::trouble, "log_corrupt",
              "the log has no group for position " + std::to_string(position),
              "run `luzia-query verify`, then restore the store from a backup");
}

tl::unexpected<Error> no_such_blob(Position event, std::uint32_t index) {
  return fail(ErrorKind::not_found, "no_such_blob", "there is no " + blob_name(event, index) + " in the log");
}

tl::unexpected<Error> blob_erased(Position event, std::uint32_t index) {
  return fail(ErrorKind::not_found, "blob_erased", blob_name(event, index) + " was erased by a purge");
}

tl::unexpected<Error> text_damaged(Position event, std::uint32_t index, std::string_view stream,
                                   const std::string& why) {
  const std::string of = stream.empty() ? std::string() : " (" + std::string(stream) + ")";
  return fail(ErrorKind::trouble, "text_damaged", blob_name(event, index) + of + " is damaged: " + why,
              "restore the store from a backup, or save what can be proved of it: `luzia-query salvage DIR`");
}

bool text_is_gone(const Error& error) {
  return error.kind == ErrorKind::not_found || error.code == "log_corrupt" || error.code == "text_damaged";
}

Result<std::string> EventLog::blob(Position event, std::uint32_t index) const {
  const auto stored = LUZIA_TRY(this->event(event));
  const schema::BlobRef* const text = stored ? find_text(stored->event(), index) : nullptr;
  if (text == nullptr) return no_such_blob(event, index);
  const auto stream = luzia::text(stored->event().stream());
  Result<std::string> content = text_damaged(event, index, stream, kTextMissing);
  const Status read = visit_text_row(event, [&](std::string_view row) {
    const FoundText found = look_up(row, event, *text);
    if (found.fate == TextFate::present) {
      content = std::string(found.entry.content);
    } else if (found.fate == TextFate::erased) {
      content = blob_erased(event, index);
    } else {
      content = text_damaged(event, index, stream, why_damaged(found.fate));
    }
  });
  if (!read) return tl::unexpected(read.error());
  return content;
}

}  // namespace luzia
