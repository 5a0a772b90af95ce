// The environment of a program that root runs as another user. That user can read it, and what root has in
// its own may be secret: tokens, keys, passwords. Async-signal-safe, so it may be called between fork and
// exec; not while other threads use the environment.
#pragma once

namespace luzia {

/// Drops all variables but PATH, HOME, TERM, TZ and those for the language, the size of the terminal and
/// colours.
void keep_plain_environment();

}  // namespace luzia
