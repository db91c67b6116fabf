/**
 * Detects the framing of the Language Server Protocol, which some servers use instead of MCP's lines.
 *
 * @see Language Server Protocol 3.17, base protocol, header part
 */

const length = /^content-length: *\d{1,15}\s*$/i
const type = /^content-type:/i

/**
 * Finds the header of a frame in lines that are not messages. The body of a frame ends without a line break, so a reader of
 * lines never receives it.
 *
 * @returns a function that receives the next line without its line feed, and returns true for the empty line after a header
 */
export const make = (): ((line: string) => boolean) => {
  let isHeader = false
  return (line) => {
    if (isHeader && line.trim() === "") return true
    isHeader = length.test(line) || (isHeader && type.test(line))
    return false
  }
}
