/**
 * The official reference server.
 */
import { fileURLToPath } from "node:url"

/** The program, for `node`. */
export const program = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
)
