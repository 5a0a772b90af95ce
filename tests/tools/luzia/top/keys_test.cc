// Parses terminal input into keys: whole, in pieces, and invalid.
#include "tools/luzia/look/top/keys.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

std::string name_of(const Key& key) {
  switch (key.code) {
    case KeyCode::text:
      return key.text;
    case KeyCode::up:
      return "<up>";
    case KeyCode::down:
      return "<down>";
    case KeyCode::page_up:
      return "<page up>";
    case KeyCode::page_down:
      return "<page down>";
    case KeyCode::home:
      return "<home>";
    case KeyCode::end:
      return "<end>";
    case KeyCode::enter:
      return "<enter>";
    case KeyCode::backspace:
      return "<backspace>";
    case KeyCode::escape:
      return "<escape>";
    case KeyCode::interrupt:
      return "<interrupt>";
    case KeyCode::suspend:
      return "<suspend>";
    case KeyCode::redraw:
      return "<redraw>";
  }
  return "?";
}

std::string names_of(const std::vector<Key>& keys) {
  std::string names;
  for (const Key& key : keys) names += name_of(key);
  return names;
}

TEST(TopKeys, EveryKeyIsRead) {
  const std::pair<std::string, std::string> table[] = {
      {"jkq?/", "jkq?/"},
      {"\x1b[A\x1b[B\x1bOA\x1bOB", "<up><down><up><down>"},
      {"\x1b[5~\x1b[6~", "<page up><page down>"},
      {"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1bOH\x1bOF", "<home><end><home><end><home><end>"},
      {"\x1b[1;5A", "<up>"},  // with Ctrl
      {"\r\n", "<enter><enter>"},
      {"\x7f\b", "<backspace><backspace>"},
      {"\x03\x1a\x0c", "<interrupt><suspend><redraw>"},
      {"\x10\x0e\x15\x04", "<up><down><page up><page down>"},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
      {"\x1b\x1b[A", "<escape><up>"},
      {"\x1bx", "<escape>x"},
      {"\x1b[2~a", "a"},       // Insert is no key here
      {"\x1b[<0;1;1Ma", "a"},  // mouse events are ignored
      {"a\xff\xc3z\x01"
       "b",
       "azb"},  // bytes that are not text are ignored
  };
  for (const auto& [bytes, names] : table) {
    KeyReader reader;
    EXPECT_EQ(names_of(reader.feed(bytes)), names) << testing::PrintToString(bytes);
    EXPECT_FALSE(reader.is_waiting()) << testing::PrintToString(bytes);
  }
}

TEST(TopKeys, PiecesGiveTheSameKeys) {
  const std::string bytes = "j\x1b[A\xe2\x82\xac\x1b[5~\x1bOBq";
  KeyReader reader;
  std::string names;
  for (const char byte : bytes) names += names_of(reader.feed(std::string_view(&byte, 1)));
  EXPECT_EQ(names, "j<up>\xe2\x82\xac<page up><down>q");
}

TEST(TopKeys, LoneEscapeIsAKey) {
  KeyReader reader;
  EXPECT_EQ(names_of(reader.feed("\x1b")), "");
  EXPECT_TRUE(reader.is_waiting());
  EXPECT_EQ(names_of(reader.finish()), "<escape>");
  EXPECT_FALSE(reader.is_waiting());
}

TEST(TopKeys, EndlessSequenceIsDropped) {
  KeyReader reader;
  const std::string names = names_of(reader.feed("\x1b[" + std::string(1'000, ';') + "j"));
  EXPECT_EQ(names.back(), 'j');
  EXPECT_FALSE(reader.is_waiting());
}

}  // namespace
}  // namespace luzia
