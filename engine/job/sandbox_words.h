// A job's sandbox in words, as events and rows show it.
#pragma once

#include <string>

#include "job.fb.h"

namespace luzia {

/// "project; only reads the project; network: none; writes /home/me/.claude; reads ...; hides ..."; at most
/// 1,000 bytes. Empty: null, or off.
std::string sandbox_words(const schema::SandboxT* sandbox);

}  // namespace luzia
