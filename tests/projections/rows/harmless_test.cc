#include "projections/rows/harmless.h"

#include <gtest/gtest.h>

#include <string>

namespace luzia::test {
namespace {

TEST(MakeHarmless, ControlCharactersAreShownNotObeyed) {
  EXPECT_EQ(make_harmless("\x1b[31mred\x1b]0;title\x07"), "\u241b[31mred\u241b]0;title\u2407");
  EXPECT_EQ(make_harmless(std::string_view("a\0b\x7f", 4)), "a\u2400b\u2421");
  EXPECT_EQ(make_harmless("a\r\nb\tc"), "a\u240d\u240ab\tc");
  EXPECT_EQ(make_harmless("a\nb\tc", {.keep_newlines = true, .keep_tabs = false}), "a\nb c");
}

TEST(TerminalMarks, CompleteMarksAreRemoved) {
  EXPECT_EQ(without_terminal_marks("\x1b]9;4;1;40\x07"
                                   "40 %"),
            "40 %");
  EXPECT_EQ(without_terminal_marks("\x1b]9;4;0\x1b\\done"), "done");
  EXPECT_EQ(without_terminal_marks("\x1b[1;31mred\x1b[0m \x1b[2K\x1b(Bplain"), "red plain");
  EXPECT_EQ(without_terminal_marks("\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(without_terminal_marks("nothing of it"), "nothing of it");
}

TEST(TerminalMarks, IncompleteMarksAreLeftForMakeHarmless) {
  for (const std::string text : {"\x1b", "a\x1b[31", "\x1b]0;title without end", "\x1bPq\x1b\\",
                                 "\x1b]0;a\x1b[31m", "\x1b[\x07m", "\x1b]0;a\nb\x07", "\x1b(\x01"}) {
    EXPECT_EQ(without_terminal_marks(text).front(), text.front());
    EXPECT_NE(without_terminal_marks(text).find('\x1b'), std::string::npos);
  }
}

TEST(MakeHarmless, C1ControlsAreNamedInEitherEncoding) {
  EXPECT_EQ(make_harmless("\xc2\x9b"
                          "31m"),
            "<U+009B>31m");
  EXPECT_EQ(make_harmless("\x9b"
                          "31m"),
            "\uFFFD31m");  // a lone byte is not valid UTF-8
  EXPECT_EQ(make_harmless("\xe2\x82z"), "\uFFFDz") << "the beginning of a character";
}

TEST(MakeHarmless, ReorderingAndInvisibleCharactersAreNamed) {
  EXPECT_EQ(make_harmless("a\u202eb\u2066c\u200bd\ufeffe\u2028f"),
            "a<U+202E>b<U+2066>c<U+200B>d<U+FEFF>e<U+2028>f");
  EXPECT_EQ(make_harmless("\U000e0041"), "<U+E0041>");
}

TEST(MakeHarmless, OrdinaryTextOfAnyScriptStays) {
  const std::string text =
      "gr\u00fc\u00df \u65e5\u672c \u05e9\u05dc\u05d5\u05dd \U0001f469\u200d\U0001f4bb e\u0301";
  EXPECT_EQ(make_harmless(text), text);
}

TEST(SpellOut, KeepsJsonsMeaningAndHarmlessText) {
  EXPECT_EQ(spell_out("{\"a\":\"\xc3\xbc \\u001b\"}\n\t", false), "{\"a\":\"\xc3\xbc \\u001b\"}\n\t");
  EXPECT_EQ(spell_out("\xe2\x80\xae\xc2\x9b"
                      "2J\x7f",
                      false),
            "\\u202e\\u009b2J\\u007f");
  EXPECT_EQ(spell_out("\xf3\xa0\x81\x81", false), "\\udb40\\udc41");
  EXPECT_EQ(spell_out("\x1b[31mred\x1b[0m\r\x1b[2J\x9b", true), "\x1b[31mred\x1b[0m\\u000d\\u001b[2J\\ufffd");
  EXPECT_EQ(spell_out("\x1b[8mhidden", false), "\\u001b[8mhidden");
  EXPECT_EQ(spell_out("a\r\nb\rc", false), "a\r\nb\\u000dc") << "lines of CSV";
}

TEST(MakeHarmless, WithoutUnicodeReplacementsAreAscii) {
  EXPECT_EQ(make_harmless("\x1b[1m\x7f\xff", {.unicode = false}), "^[[1m^??");
}

TEST(MakeHarmless, NoByteSequenceLeavesAControlCharacterOrInvalidUtf8) {
  std::string bytes;
  for (unsigned seed = 7; bytes.size() < 200'000; seed = seed * 1'664'525 + 1'013'904'223) {
    bytes.push_back(static_cast<char>(seed >> 24));
  }
  const std::string shown = make_harmless(bytes, {.keep_tabs = false});
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    ASSERT_FALSE(byte < 0x20 || byte == 0x7f) << i;
    // In UTF-8, C1 controls are c2 80..9f.
    ASSERT_FALSE(byte == 0xc2 && static_cast<unsigned char>(shown[i + 1]) < 0xa0) << i;
  }
  EXPECT_EQ(make_harmless(shown), shown);  // valid and harmless: nothing is left to replace
}

/// Ordinary characters are handled several at once.
TEST(MakeHarmless, FindsWhatIsHarmfulAtAnyPlace) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t behind = 0; behind < 40; behind += 13) {
      const std::string a(before, 'a'), b(behind, '~');
      EXPECT_EQ(make_harmless(a + "\x1b" + b), a + "\u241b" + b);
      EXPECT_EQ(make_harmless(a + "\x7f" + b), a + "\u2421" + b);
      EXPECT_EQ(make_harmless(a + "\xff" + b), a + "\ufffd" + b);
      EXPECT_EQ(make_harmless(a + "\u202e" + b), a + "<U+202E>" + b);
      EXPECT_EQ(make_harmless(a + " " + b), a + " " + b);
      EXPECT_EQ(display_width(a + "\u65e5" + b), before + 2 + behind);
      EXPECT_EQ(fit_width(a + b, before + behind), a + b);
      EXPECT_EQ(fit_width(a + "\u65e5" + b, before + 2 + behind), a + "\u65e5" + b);
    }
  }
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\u65e5\u672c"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\U0001f600"), 2U);
  EXPECT_EQ(display_width("\u00fc"), 1U);
  EXPECT_EQ(display_width("\u0915\u093f"), 2U) << "a vowel sign that takes a column";
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2U) << "one Hangul syllable in three parts";
}

TEST(FitWidth, CutsBetweenCharactersWithAMark) {
  EXPECT_EQ(fit_width("abcdef", 6), "abcdef");
  EXPECT_EQ(fit_width("abcdef", 5), "abcd\u2026");
  EXPECT_EQ(fit_width("abcdef", 5, false), "abcd~");
  EXPECT_EQ(fit_width("\u65e5\u672c\u8a9e", 5), "\u65e5\u672c\u2026");
  EXPECT_EQ(fit_width("\u65e5\u672c\u8a9e", 4), "\u65e5\u2026");  // no half of a wide character
  EXPECT_EQ(fit_width("ae\u0301bc", 3), "ae\u0301\u2026");        // the accent stays with its letter
  EXPECT_EQ(fit_width("abc", 1), "\u2026");
  EXPECT_EQ(fit_width("abc", 0), "");
  EXPECT_EQ(fit_width("", 0), "");
}

TEST(FitWidth, EndOfALineIsKept) {
  EXPECT_EQ(fit_end("src/part.cc", 11), "src/part.cc");
  EXPECT_EQ(fit_end("src/part.cc", 8), "\u2026part.cc");
  EXPECT_EQ(fit_end("src/part.cc", 8, false), "~part.cc");
  EXPECT_EQ(fit_end("src/part.cc", 1), "\u2026");
  EXPECT_EQ(fit_end("src/part.cc", 0), "");
  EXPECT_EQ(fit_end("ab\u65e5\u672c", 4), "\u2026\u672c") << "no half of a wide character";
  EXPECT_EQ(fit_end("abcde\u0301", 2), "\u2026e\u0301") << "marks stay with their letter";
  EXPECT_EQ(fit_end("abcde\u0301", 1), "\u2026");
}

TEST(FitWidth, BothEndsOfASentenceAreKept) {
  const std::string why = "exit code 1: the tests ran: assert total == 3";
  EXPECT_EQ(fit_both_ends(why, 45), why);
  EXPECT_EQ(fit_both_ends(why, 30), "exit code 1\u2026 assert total == 3");
  EXPECT_EQ(fit_both_ends(why, 30, false), "exit code 1~ assert total == 3");
  EXPECT_EQ(fit_both_ends(why, 15), fit_width(why, 15)) << "too narrow for two parts";
  EXPECT_EQ(fit_both_ends("", 20), "");
  for (std::size_t width = 0; width < 40; ++width) {
    for (const char* text :
         {"\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e",
          "ae\u0301ae\u0301ae\u0301ae\u0301ae\u0301ae\u0301ae\u0301ae\u0301ae\u0301ae\u0301"})
      EXPECT_LE(display_width(fit_both_ends(text, width)), width);
  }
  // The accent stays with its letter.
  EXPECT_EQ(fit_both_ends("abcdefghijklmnopqre\u0301st", 16), "abcde\u2026lmnopqre\u0301st");
}

TEST(MakeHarmlessButColours, OnlyColoursPassAndEndWithTheLine) {
  EXPECT_EQ(make_harmless_but_colours("plain"), "plain");
  EXPECT_EQ(make_harmless_but_colours("\x1b[1;31mred"), "\x1b[1;31mred\x1b[0m");
  EXPECT_EQ(make_harmless_but_colours("\x1b[38;5;8mgrey"), "\x1b[38;5;8mgrey\x1b[0m");
  EXPECT_EQ(make_harmless_but_colours("\x1b[48;2;8;5;6mx"), "\x1b[48;2;8;5;6mx\x1b[0m");
  EXPECT_EQ(make_harmless_but_colours("\x1b[8mhidden\x1b[1;05mblink"), "hiddenblink");
  EXPECT_EQ(make_harmless_but_colours("\x1b[2Jgone\x1b]0;title\x07"), "gone");
  EXPECT_EQ(make_harmless_but_colours("\x1b[31", {.unicode = false}), "^[[31");
  EXPECT_EQ(make_harmless_but_colours("a\x1b"), "a\u241b");
}

}  // namespace
}  // namespace luzia::test
