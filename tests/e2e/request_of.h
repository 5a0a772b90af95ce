// A request as it goes over the wire, for tests that speak the protocol themselves.
#pragma once

#include <utility>

#include "protocol.fb.h"

namespace luzia {

template <class Body>
wire::RequestUnion request_of(Body body) {
  wire::RequestUnion request;
  request.Set(std::move(body));
  return request;
}

}  // namespace luzia
