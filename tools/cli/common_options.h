// The options that every command has.
#pragma once

#include "tools/cli/command.h"

namespace luzia {

inline constexpr Option kStoreOption{
    "--store", ValueKind::text,     "DIR", "use this store (default: $LUZIA_STORE, else the configuration's)",
    "",        Completes::directory};
inline constexpr Option kConfigOption{"--config", ValueKind::text,
                                      "FILE",     "also read this configuration (default: $LUZIA_CONFIG)",
                                      "",         Completes::file};
inline constexpr Option kJsonOption{"--json", ValueKind::flag, "", "print values and errors as JSON"};
inline constexpr Option kPatienceOption{
    "--patience", ValueKind::duration, "D",
    "wait this long for a daemon that does not answer (default: $LUZIA_PATIENCE, else 10s; 0: forever)"};
inline constexpr Option kColorOption{"--color", ValueKind::choice, "WHEN",
                                     "use colors: auto, always or never", "auto|always|never"};
inline constexpr Option kQuietOption{"-q,--quiet", ValueKind::flag, "",
                                     "print only errors on standard error"};
inline constexpr Option kHelpOption{"-h,--help", ValueKind::flag, "", "show this help"};

inline constexpr Option kOnOption{
    "--on",
    ValueKind::text,
    "MACHINE",
    "ask the daemon of this machine (luzia machine list; default: $LUZIA_ON); "
    "dispatch also takes a label, or any; fleet:SITE, fleet:LABEL and fleet:any "
    "give orders through the fleet's database",
    "",
    Completes::machine};

inline constexpr Option kCommonOptions[] = {kStoreOption, kConfigOption, kJsonOption, kPatienceOption,
                                            kColorOption, kQuietOption,  kHelpOption};
/// Of luzia, which also talks to other machines.
inline constexpr Option kLuziaOptions[] = {kOnOption,       kStoreOption, kConfigOption, kJsonOption,
                                           kPatienceOption, kColorOption, kQuietOption,  kHelpOption};

}  // namespace luzia
