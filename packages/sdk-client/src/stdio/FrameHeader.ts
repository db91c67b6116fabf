/**
 * The framing of the Language Server Protocol, which some servers use in the place of MCP's lines.
 *
 * @see Language Server Protocol 3.17, base protocol, header part
 */

const length = /^content-length: *\d{1,15}\s*$/i
const type = /^content-type:/i

/**
 * Finds the header of a frame in lines that are no messages. The body of a frame ends without a line break, so that a
 * reader of lines does not see it.
 *
 * @returns takes the next line, without its line feed; true for the empty line that ends a header
 */
export const make = (): ((line: string) => boolean) => {
  let isHeader = false
  return (line) => {
    if (isHeader && line.trim() === "") return true
    isHeader = length.test(line) || (isHeader && type.test(line))
    return false
  }
}
