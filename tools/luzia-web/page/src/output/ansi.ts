// Output of terminals as pieces of text with classes: colours, bold, faint, italic, underlined. Every other escape
// sequence is dropped, and no control character is left. The 256 and the true colours become the nearest of the 16, so
// that both themes can show them.
import { harmless } from '../base/text.tsx';

export interface Piece {
  text: string;
  style: string;
}

/// What SGR sequences have set; it goes on from line to line.
export interface Pen {
  fore: number;
  back: number;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  under: boolean;
  inverse: boolean;
}

export const newPen = (): Pen => ({
  fore: -1,
  back: -1,
  bold: false,
  faint: false,
  italic: false,
  under: false,
  inverse: false,
});

// CSI; OSC, DCS, APC, PM, SOS up to their end (or that of the line); other escapes, also a lone ESC.
const kCsi = String.raw`(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~])?`;
const kStrings = String.raw`(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?`;
const kOthers = String.raw`\x1b[ -/]*[0-~]?`;
const kSequence = new RegExp(`${kCsi}|${kStrings}|${kOthers}`, 'g');

const kSteps = [0, 95, 135, 175, 215, 255];
const kPalette: [number, number, number][] = [
  [0, 0, 0],
  [170, 0, 0],
  [0, 150, 0],
  [170, 110, 0],
  [0, 60, 200],
  [150, 0, 150],
  [0, 150, 150],
  [190, 190, 190],
  [95, 95, 95],
  [255, 85, 85],
  [85, 255, 85],
  [255, 230, 85],
  [95, 135, 255],
  [255, 85, 255],
  [85, 255, 255],
  [255, 255, 255],
];

function nearest(red: number, green: number, blue: number): number {
  let best = 0;
  let least = Infinity;
  kPalette.forEach(([r, g, b], index) => {
    const far = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (far < least) [best, least] = [index, far];
  });
  return best;
}

function indexed(index: number): number {
  if (index < 16) return index;
  if (index > 231) return nearest(...(Array<number>(3).fill((index - 232) * 10 + 8) as [number, number, number]));
  const cube = index - 16;
  return nearest(kSteps[Math.floor(cube / 36)]!, kSteps[Math.floor(cube / 6) % 6]!, kSteps[cube % 6]!);
}

/// The colour after 38 or 48, and how many numbers it takes.
function extended(codes: number[], at: number): [number, number] {
  if (codes[at + 1] === 5) return [indexed((codes[at + 2] ?? 0) & 255), 2];
  if (codes[at + 1] === 2) return [nearest(codes[at + 2] ?? 0, codes[at + 3] ?? 0, codes[at + 4] ?? 0), 4];
  return [-1, 0];
}

function paint(pen: Pen, codes: number[]): void {
  for (let at = 0; at < codes.length; ++at) {
    const code = codes[at]!;
    if (code === 0) Object.assign(pen, newPen());
    else if (code === 1) pen.bold = true;
    else if (code === 2) pen.faint = true;
    else if (code === 3) pen.italic = true;
    else if (code === 4) pen.under = true;
    else if (code === 7) pen.inverse = true;
    else if (code === 22) pen.bold = pen.faint = false;
    else if (code === 23) pen.italic = false;
    else if (code === 24) pen.under = false;
    else if (code === 27) pen.inverse = false;
    else if (code >= 30 && code <= 37) pen.fore = code - 30;
    else if (code === 39) pen.fore = -1;
    else if (code >= 40 && code <= 47) pen.back = code - 40;
    else if (code === 49) pen.back = -1;
    else if (code >= 90 && code <= 97) pen.fore = code - 82;
    else if (code >= 100 && code <= 107) pen.back = code - 92;
    else if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes, at);
      if (code === 38) pen.fore = colour;
      else pen.back = colour;
      at += taken;
    }
  }
}

function classes(pen: Pen): string {
  const names: string[] = [];
  const [fore, back] = pen.inverse ? [pen.back, pen.fore] : [pen.fore, pen.back];
  if (pen.inverse && fore < 0 && back < 0) names.push('ansi-inverse');
  if (fore >= 0) names.push(`ansi-f${fore}`);
  if (back >= 0) names.push(`ansi-b${back}`);
  if (pen.bold) names.push('ansi-bold');
  if (pen.faint) names.push('ansi-faint');
  if (pen.italic) names.push('ansi-italic');
  if (pen.under) names.push('ansi-under');
  return names.join(' ');
}

/// The last state of a line that was drawn over by carriage returns.
function lastDrawn(line: string): string {
  const text = line.replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}

/// The pieces of one line without its end. Moves `pen` on.
export function ansiPieces(line: string, pen: Pen): Piece[] {
  const text = lastDrawn(line);
  const pieces: Piece[] = [];
  const add = (part: string) =>
    part && pieces.push({ text: harmless(part).replaceAll('\t', '    '), style: classes(pen) });
  let from = 0;
  for (const found of text.matchAll(kSequence)) {
    add(text.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[2] === 'm') paint(pen, (found[1] || '0').split(/[;:]/).map(Number));
  }
  add(text.slice(from));
  return pieces;
}
