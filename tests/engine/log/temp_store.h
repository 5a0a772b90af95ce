// A store folder for one test; removed at its end.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/log/rocks_event_log.h"
#include "tests/scratch_folder.h"

namespace luzia::test {

class TempStore {
 public:
  /// The store's folder; the log creates it.
  std::string path() const { return root_.file("store"); }
  std::string beside(const std::string& name) const { return root_.file(name); }

 private:
  ScratchFolder root_;
};

inline Result<std::unique_ptr<EventLog>> open_store(const std::string& store,
                                                    OpenMode mode = OpenMode::read_write,
                                                    bool accept_end = false) {
  return open_rocks_event_log(store, {.mode = mode, .accept_end = accept_end});
}

/// Opens a store, or ends the test run with an error if it cannot.
inline std::unique_ptr<EventLog> opened_store(const std::string& store,
                                              OpenMode mode = OpenMode::read_write) {
  return std::move(open_store(store, mode).value());
}

inline void copy_store(const std::string& from, const std::string& to) {
  std::filesystem::remove_all(to);
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace luzia::test
