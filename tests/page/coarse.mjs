// Writes small PNGs: few colours, one byte a pixel. A file of the page's screens has a quarter of its usual size.
import { deflateSync } from 'node:zlib';
import crc from 'pngjs/lib/crc.js';

function chunk(type, data) {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeInt32BE(crc.crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/// The colours of `picture` in steps of `step`, and the bytes of its rows; null: more than 256 colours.
function paletteOf({ width, height, data }, step) {
  const colours = new Map();
  const rows = Buffer.alloc((width + 1) * height); // each row begins with its filter: none
  const level = (value) => Math.min(255, Math.round(value / step) * step);
  for (let pixel = 0; pixel < width * height; ++pixel) {
    const [red, green, blue] = data.subarray(4 * pixel, 4 * pixel + 3);
    const colour = (level(red) << 16) | (level(green) << 8) | level(blue);
    if (!colours.has(colour)) colours.set(colour, colours.size);
    rows[pixel + Math.floor(pixel / width) + 1] = colours.get(colour);
  }
  return colours.size > 256 ? null : { colours: [...colours.keys()], rows };
}

export function coarsePng(picture) {
  const { colours, rows } = paletteOf(picture, 8) ?? paletteOf(picture, 16) ?? paletteOf(picture, 64);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(picture.width);
  head.writeUInt32BE(picture.height, 4);
  head.set([8, 3, 0, 0, 0], 8); // bits, a palette, and how PNG always does the rest
  const palette = Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
