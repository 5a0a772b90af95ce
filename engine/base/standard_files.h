// Descriptors 0 to 2 of this process.
#pragma once

namespace luzia {

/// Opens /dev/null for each of them that is closed: else the next file or socket would become standard output
/// or error, and get what is meant for people. Before anything is opened, at the start of main.
void open_standard_files();

}  // namespace luzia
