/**
 * The schema of GraphQL, built once from `schema.graphql`.
 */
import { readFileSync } from "node:fs"
import { buildSchema } from "graphql"

/** A bundle has the file beside itself. */
export const sdl = readFileSync(new URL("schema.graphql", import.meta.url), "utf8")

export const schema = buildSchema(sdl)
