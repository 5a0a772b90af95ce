// Questions and approvals for an agent to read: what was asked, what may be answered, what was. Pure.
#pragma once

#include <string>
#include <vector>

#include "view.fb.h"

namespace luzia::mcp {

/// {"questions":[...],"approvals":[...]}
std::string requests_json(const std::vector<const view::Question*>& questions,
                          const std::vector<const view::Approval*>& approvals);

}  // namespace luzia::mcp
