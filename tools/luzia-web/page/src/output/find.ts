// Looks for a word in a job's output, from a byte on, piece by piece, without regard to the case of ASCII letters.
import { readOutput, type Place } from './window.ts';

const kPiece = 1024 * 1024;
const lower = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte));

/// The offset of `needle` in `bytes`, or -1. Both in lower case.
export function indexIn(bytes: Uint8Array, needle: Uint8Array): number {
  for (let at = bytes.indexOf(needle[0]!); at >= 0; at = bytes.indexOf(needle[0]!, at + 1)) {
    if (at + needle.length > bytes.length) return -1;
    let equal = 1;
    while (equal < needle.length && bytes[at + equal] === needle[equal]) ++equal;
    if (equal === needle.length) return at;
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
  const needle = lower(new TextEncoder().encode(word));
  if (needle.length === 0) return null;
  for (let at = from; ;) {
    const { bytes, offset, size } = await readOutput(place, at, kPiece);
    const found = indexIn(lower(bytes), needle);
    if (found >= 0) return [offset + found, offset + found + needle.length];
    const end = offset + bytes.length;
    if (end >= size || bytes.length === 0 || !progress(end, size)) return null;
    at = Math.max(end - needle.length + 1, at + 1);
  }
}
