// A picture of a page with at most 256 colours: a third of the bytes, and nobody sees the difference.
import * as zlib from 'node:zlib';

const {deflateSync, inflateSync, crc32} = zlib;

/** Only what a browser writes: 8 bits a channel, RGB or RGBA, not interlaced. */
export function smallPng(bytes) {
  const {width, height, channels, data} = decoded(bytes);
  const counts = new Map();
  const keys = new Uint32Array(width * height);
  for (let i = 0; i < keys.length; ++i) {
    const at = i * channels;
    keys[i] = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
    counts.set(keys[i], (counts.get(keys[i]) ?? 0) + 1);
  }
  // The most frequent colours that differ visibly, so that a rare one (a small sign) keeps its own.
  const palette = [];
  for (const [key] of [...counts].sort((a, b) => b[1] - a[1])) {
    if (palette.length === 256) break;
    if (!palette.length || distance(palette[nearest(palette, key)], key) > 150) palette.push(key);
  }
  const places = new Map(palette.map((key, i) => [key, i]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      const key = keys[y * width + x];
      let place = places.get(key);
      if (place === undefined) places.set(key, (place = nearest(palette, key)));
      rows[y * (width + 1) + 1 + x] = place;
    }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((key) => [key >> 16, (key >> 8) & 255, key & 255]));
  return Buffer.concat([bytes.subarray(0, 8), chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, {level: 9})), chunk('IEND', Buffer.alloc(0))]);
}

function distance(a, b) {
  const [red, green, blue] = [(a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255)];
  return red * red + green * green + blue * blue;
}
function nearest(palette, key) {
  let [best, least] = [0, Infinity];
  for (let i = 0; i < palette.length; ++i) {
    const found = distance(palette[i], key);
    if (found < least) [best, least] = [i, found];
  }
  return best;
}

function decoded(bytes) {
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const [depth, kind, , , interlace] = bytes.subarray(24, 29);
  if (depth !== 8 || ![2, 6].includes(kind) || interlace) throw new Error('not a picture that a browser writes');
  const channels = kind === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const data = new Uint8Array(stride * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; ++x) {
      const left = x >= channels ? data[y * stride + x - channels] : 0;
      const up = y ? data[(y - 1) * stride + x] : 0;
      const corner = y && x >= channels ? data[(y - 1) * stride + x - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      data[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return {width, height, channels, data};
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32 ? crc32(body) : slowSum(body));
  return Buffer.concat([size, body, sum]);
}

/** Node before 20.15 has no crc32. */
function slowSum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
