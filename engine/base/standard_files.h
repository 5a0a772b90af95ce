// Descriptors 0 to 2 of this process.
#pragma once

namespace luzia {

/// Opens /dev/null for each closed one. Otherwise the next file or socket would become standard output or
/// error and receive messages for people. Call at the start of main, before anything is opened.
void open_standard_files();

}  // namespace luzia
