#include "engine/log/event_log.h"

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

bool text_is_gone(const Error& error) {
  return error.kind == ErrorKind::not_found || error.code == "log_corrupt";
}

}  // namespace luzia
