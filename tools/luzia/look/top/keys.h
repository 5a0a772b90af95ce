// Bytes of a terminal as keys. Pure but for what is kept between two reads. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace luzia {

enum class KeyCode {
  text,  // a character that shows, in Key::text
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  enter,
  backspace,
  escape,
  interrupt,  // Ctrl-C
  suspend,    // Ctrl-Z
  redraw,     // Ctrl-L
};

struct Key {
  KeyCode code = KeyCode::text;
  std::string text = {};  // UTF-8, one character
};

class KeyReader {
 public:
  /// The keys that these bytes complete. Sequences that mean no key here are left out.
  std::vector<Key> feed(std::string_view bytes);
  /// The beginning of a sequence is there: an Escape alone looks like that until nothing follows it.
  bool is_waiting() const { return !rest_.empty(); }
  /// Nothing has followed: what is kept, as keys.
  std::vector<Key> finish();

 private:
  std::string rest_;
};

}  // namespace luzia
