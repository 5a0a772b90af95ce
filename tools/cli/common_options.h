// The options of every command.
#pragma once

#include "tools/cli/command.h"

namespace luzia {

inline constexpr Option kStoreOption{
    "--store", ValueKind::text,
    "DIR",     "the store to use (default: $LUZIA_STORE, else the configuration's)",
    "",        Completes::directory};
inline constexpr Option kConfigOption{"--config", ValueKind::text,
                                      "FILE",     "read this configuration too (default: $LUZIA_CONFIG)",
                                      "",         Completes::file};
inline constexpr Option kJsonOption{"--json", ValueKind::flag, "", "values and errors as JSON"};
inline constexpr Option kPatienceOption{
    "--patience", ValueKind::duration, "D",
    "how long to wait for a daemon that does not answer (default: $LUZIA_PATIENCE, else 10s; 0: for ever)"};
inline constexpr Option kColorOption{"--color", ValueKind::choice, "WHEN", "colours: auto, always or never",
                                     "auto|always|never"};
inline constexpr Option kQuietOption{"-q,--quiet", ValueKind::flag, "",
                                     "nothing on standard error but errors"};
inline constexpr Option kHelpOption{"-h,--help", ValueKind::flag, "", "this help"};

inline constexpr Option kCommonOptions[] = {kStoreOption, kConfigOption, kJsonOption, kPatienceOption,
                                            kColorOption, kQuietOption,  kHelpOption};

}  // namespace luzia
