// Looks for a word in a job's output, from a byte on, piece by piece, without regard to the case of ASCII letters. The
// next pieces are on their way while one is looked through.
import { readOutput, type Bytes, type Place } from './window.ts';

const kPiece = 1024 * 1024;
const kAhead = 4; // pieces on their way at once
const kSample = 4096; // bytes that tell which of the word's bytes are rare

const lower = (byte: number): number => (byte >= 65 && byte <= 90 ? byte + 32 : byte);
const upper = (byte: number): number => (byte >= 97 && byte <= 122 ? byte - 32 : byte);

/// The place of the byte of the word that `bytes` has least often: few places are looked at closely.
function rarest(bytes: Uint8Array, needle: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const byte of bytes.subarray(0, kSample)) ++counts[lower(byte)]!;
  let best = 0;
  for (let at = 1; at < needle.length; ++at) if (counts[needle[at]!]! < counts[needle[best]!]!) best = at;
  return best;
}

/// The offset of `needle`, which is in lower case, in `bytes`; -1: none.
export function indexIn(bytes: Uint8Array, needle: Uint8Array): number {
  const rare = rarest(bytes, needle);
  const [small, large] = [needle[rare]!, upper(needle[rare]!)];
  const next = (byte: number, from: number) => {
    const at = bytes.indexOf(byte, from);
    return at < 0 ? bytes.length : at;
  };
  let [one, other] = [next(small, rare), small === large ? bytes.length : next(large, rare)];
  for (let at = Math.min(one, other); at < bytes.length; at = Math.min(one, other)) {
    const begin = at - rare;
    if (begin + needle.length > bytes.length) return -1;
    let equal = 0;
    while (equal < needle.length && lower(bytes[begin + equal]!) === needle[equal]) ++equal;
    if (equal === needle.length) return begin;
    if (at === one) one = next(small, at + 1);
    else other = next(large, at + 1);
  }
  return -1;
}

/// The next place of `word` at or after `from`; null: none up to the end. `progress` gets the offset reached, and
/// returns whether to go on.
export async function findIn(
  place: Place,
  word: string,
  from: number,
  progress: (at: number, size: number) => boolean,
): Promise<[number, number] | null> {
  const needle = new TextEncoder().encode(word).map(lower);
  if (needle.length === 0) return null;
  const step = kPiece - needle.length + 1; // pieces overlap: the word may begin in one and end in the next
  const coming: Promise<Bytes>[] = [];
  let asked = from;
  for (let known = from + 1; ;) {
    for (; coming.length < kAhead && (coming.length === 0 || asked < known); asked += step) {
      const piece = readOutput(place, asked, kPiece);
      piece.catch(() => undefined); // whoever waits for it hears of it
      coming.push(piece);
    }
    const { bytes, offset, size } = await coming.shift()!;
    known = size;
    const found = indexIn(bytes, needle);
    if (found >= 0) return [offset + found, offset + found + needle.length];
    const end = offset + bytes.length;
    if (end >= size || bytes.length === 0 || !progress(end, size)) return null;
    if (bytes.length < kPiece) {
      // Less than was asked for: go on where it ended.
      coming.length = 0;
      asked = Math.max(end - needle.length + 1, offset + 1);
    }
  }
}
