#include "tools/luzia/look/updates.h"

#include "tools/cli/invocation.h"

namespace luzia {

UpdateSettings update_settings(Invocation& invocation) {
  if (invocation.json()) return {};
  const auto config = invocation.config();
  return config ? update_settings_of((*config)->status_updates) : UpdateSettings();
}

}  // namespace luzia
