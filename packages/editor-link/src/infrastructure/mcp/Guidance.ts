/**
 * What a model should know before it uses the tools.
 */
import type { EditorProfile } from "../../domain/EditorProfile.ts"

/**
 * @param editors the names of the editors; a single one has the empty name
 * @param isPartial whether some tools are not listed
 */
export const instructions = (
  {
    guidance = "While the editor reloads its scripts, calls wait for it: do not start it again.",
    title,
  }: EditorProfile,
  editors: ReadonlyArray<string>,
  isPartial: boolean,
): string =>
  [
    `These tools work in ${title}.`,
    editors.length > 1 ? `There are several editors: every tool takes \`editor\`, one of ${editors.join(", ")}.` : "",
    isPartial ? "Not all tools are listed: search_tools finds the others, and call_tool calls them by name." : "",
    guidance,
    "A failed result has `structuredContent.error`: where `retryable` is true, calling again is safe; otherwise check the state of the editor first.",
  ]
    .filter((sentence) => sentence !== "")
    .join(" ")
