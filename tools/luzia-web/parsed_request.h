// A request as libwebsockets has parsed it, and who sent it. Loop thread.
#pragma once

#include "tools/luzia-web/exchange.h"

struct lws;

namespace luzia::web {

/// Method, path, query, and the headers that anything looks at. A header with a NUL character keeps it, so
/// that no check takes its beginning for the whole. Call in the callback for a request.
Request parsed_request(lws* wsi);

/// As in "HTTP/1.1"; empty: the first line has none. So it is if the address has %0A or %0D: there the
/// library ends the line, and takes the rest for a header.
std::string version_of(lws* wsi);

/// The address at the other end of a socket, without its port.
std::string address_of(int fd);

}  // namespace luzia::web
