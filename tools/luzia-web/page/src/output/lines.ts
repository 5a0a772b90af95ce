// Bytes of output as lines that know where they stand, cut into rows of a given width as a terminal does.
import { ansiPieces, newPen, type Pen, type Piece } from './ansi.ts';

/// `ended`: whether a line feed follows; a long line is several that have not ended.
export interface Line {
  at: number;
  end: number;
  ended: boolean;
  pieces: Piece[];
  cells: number;
}

const kLongest = 16 * 1024; // bytes; a longer line becomes several
const kLineFeed = 10;

const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true });

/// Whether the byte continues a character.
const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/// The lines of `bytes`, the first of which stands at offset `at` of the output.
export function linesOf(bytes: Uint8Array, at: number, pen: Pen = newPen()): Line[] {
  const lines: Line[] = [];
  let from = 0;
  while (from < bytes.length) {
    const feed = bytes.subarray(from, from + kLongest).indexOf(kLineFeed);
    let to = feed < 0 ? Math.min(bytes.length, from + kLongest) : from + feed;
    if (feed < 0) while (to < bytes.length && to > from + 1 && continues(bytes[to])) --to;
    const pieces = ansiPieces(decoder.decode(bytes.subarray(from, to)), pen);
    const end = feed < 0 ? to : to + 1;
    const sum = pieces.reduce((total, piece) => total + cells(piece.text), 0);
    lines.push({ at: at + from, end: at + end, ended: feed >= 0, pieces, cells: sum });
    from = end;
  }
  return lines;
}

const kWide = new RegExp(
  '[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe30-\\ufe6f' +
    '\\uff00-\\uff60\\uffe0-\\uffe6\\u{1f300}-\\u{1f64f}\\u{1f900}-\\u{1f9ff}\\u{20000}-\\u{3fffd}]',
  'u',
);
// eslint-disable-next-line no-control-regex
const kPlain = /^[\u0020-\u00ff]*$/;

/// How many columns a character takes.
export const width = (character: string): number => (/\p{M}/u.test(character) ? 0 : kWide.test(character) ? 2 : 1);

function cells(text: string): number {
  if (kPlain.test(text)) return text.length;
  let sum = 0;
  for (const character of text) sum += width(character);
  return sum;
}

export const rowsOf = (line: Line, columns: number): number => Math.max(1, Math.ceil(line.cells / columns));

/// The rows of a line.
export function wrapped(line: Line, columns: number): Piece[][] {
  if (line.cells <= columns) return [line.pieces];
  const rows: Piece[][] = [[]];
  let left = columns;
  for (const piece of line.pieces) {
    let part = '';
    for (const character of piece.text) {
      const wide = width(character);
      if (wide > left) {
        if (part) rows.at(-1)!.push({ text: part, style: piece.style });
        rows.push([]);
        part = '';
        left = columns;
      }
      part += character;
      left -= wide;
    }
    if (part) rows.at(-1)!.push({ text: part, style: piece.style });
  }
  return rows;
}
