/** The version of this package, as it says of itself to those that it talks to. */
import * as Program from "@zain/tool-server/Program"

export const ownVersion = (): string => Program.versionOf(new URL("../package.json", import.meta.url))
