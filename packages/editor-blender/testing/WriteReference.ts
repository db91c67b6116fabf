/**
 * Writes docs/reference/blender-graphql.md, for the site.
 */
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import * as Examples from "./Examples.ts"
import * as ReferencePage from "./ReferencePage.ts"

writeFileSync(ReferencePage.path, ReferencePage.page(await Effect.runPromise(Effect.scoped(Examples.expected))))
