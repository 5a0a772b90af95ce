// The head of an answer as bytes. Pure.
#pragma once

#include <string>

#include "tools/luzia-web/exchange.h"

namespace luzia::web {

enum class BodyForm { whole, chunked, until_closed };

/// Status line and headers, with those that every answer has: what the page may load and who may embed it.
std::string head_of(const Answer& answer, BodyForm form, bool close);
/// A chunk of a chunked body; empty bytes: the last one.
std::string chunk_of(std::string_view bytes);

}  // namespace luzia::web
