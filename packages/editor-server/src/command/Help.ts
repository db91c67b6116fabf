/**
 * What `--help` prints.
 */
import * as OptionTable from "@zain/command/OptionTable"
import type { ProfileCommand } from "@zain/editor-link/infrastructure/mcp/ProfileCommand"
import * as EditorOptions from "./EditorOptions.ts"

export const text = (
  commands: ReadonlyArray<ProfileCommand>,
): string => `Editors as MCP servers: coding agents drive them, and keep their tools while they reload.

Usage: zain-editor-mcp PROFILE [stdio | http | sse | ws] [options]
       zain-editor-mcp list [--json]
       zain-editor-mcp check PROFILE [--editor HOST:PORT] [--project DIR] [--json]
       zain-editor-mcp addon FILE.zip

Profiles:
${commands.map(({ about, name }) => `  ${name.padEnd(12)}${about}`).join("\n")}

  stdio       one client, on standard input and output (default)
  http        any number of clients, over Streamable HTTP at /mcp
  sse         the same over HTTP with server-sent events, at /sse and /message
  ws          the same over WebSocket, at /mcp
              (all three of blender also: GraphQL at /graphql, and GET /status; while
              Python may run, clients need a token: of --token-file, or one that is made)
  list        the editors that answer on this machine
  check       each step to an editor, with its time, and what to do if one fails; changes nothing in it
  addon       writes the add-on for a Blender with a window, as a zip file that Blender installs

Options:
${OptionTable.help(EditorOptions.options)}
${OptionTable.standardHelp}

Options of ${commands
  .filter(({ ownOptions }) => ownOptions !== undefined)
  .map(({ name }) => name)
  .join(", ")}:
${OptionTable.help(EditorOptions.ownOptions)}

Options of http, sse and ws:
${OptionTable.help(EditorOptions.listening)}

Environment, overridden by options:
${commands.map(({ variables }) => variables).join("\n")}
  MCP_CLIENT_NAME, MCP_DEBUG, DISABLE_AUTO_RECONNECT, NODE_ENV=development

Exit codes: 0 ended, 1 failed, 2 wrong usage.

Examples:
${commands.map(({ name }) => `  zain-editor-mcp ${name} --fake`).join("\n")}
  zain-editor-mcp ${commands[0]?.name} --editor game=127.0.0.1:6400 --editor tools=127.0.0.1:6401
  zain-editor-mcp check ${commands[0]?.name}
  zain-editor-mcp blender --launch --file chair.blend --files scenes
  zain-editor-mcp addon zain_bridge.zip
`
