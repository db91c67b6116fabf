/**
 * Images as PNG, without a library: true colour, 8 bits, no filter.
 */
import { crc32, deflateSync } from "node:zlib"

export type Colour = readonly [red: number, green: number, blue: number]

const chunk = (type: string, data: Buffer) => {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, "latin1")
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}

/** `colourOf`: the colour of a pixel, counted from the left and from above. */
export const encode = (width: number, height: number, colourOf: (x: number, y: number) => Colour): Buffer => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0, at = 0; y < height; y++) {
    at++
    for (let x = 0; x < width; x++, at += 3) rows.set(colourOf(x, y), at)
  }
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1")
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ])
}
