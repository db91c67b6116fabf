/**
 * Frames of the editors' protocols, by hand.
 */

/** The four bytes of a length, most significant first. */
export const int32 = (length: number) => Buffer.from([length >> 24, length >> 16, length >> 8, length])

/** A message of `unity`. */
export const prefixed = (text: string) => Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)])

/** A message of uLoopMCP. */
export const headed = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
