/** What converts a schema of Effect. By its own file, a bundle has these parts of `effect/Schema` and no others. */
export { String, toStandardJSONSchemaV1, toStandardSchemaV1 } from "effect/Schema"
