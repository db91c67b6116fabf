/**
 * The texts of `--help`.
 */
import * as OptionTable from "@zain/command/OptionTable"
import * as ServeOptions from "@zain/tool-server/ServeOptions"
import type { Topic } from "./LoopCommandLine.ts"
import * as Options from "./Options.ts"

/** The help of `topic`, or of the whole command. */
export const text = (topic: Topic | undefined, agents: Options.Agents): string => {
  if (topic === "serve") return serve(agents)
  return topic === "improve" ? improve(agents) : all
}

const all = `One agent writes a document, another scores it, until the score reaches a target.

Usage: loopsmith serve [stdio | http | ws] [options]
       loopsmith improve FILE [options]

  serve     serves the tools evaluate_document and get_improvement_suggestions to MCP clients
  improve   runs judge and writer, and writes the better document and a report beside FILE

Options:
  -h, --help      prints this text, or the help of a command
  -v, --version   prints the version

Examples:
  loopsmith serve stdio
  loopsmith improve guide.md
  loopsmith improve --help
`

const serve = (agents: Options.Agents) => `Serves a judge of documents to MCP clients.

Usage: loopsmith serve [stdio | http | ws] [options]

Without a transport, any number of clients, over Streamable HTTP at http://127.0.0.1:23100/mcp and over WebSocket at
ws://127.0.0.1:23100/mcp.

  stdio   one client, on standard input and output
  http    Streamable HTTP only
  ws      WebSocket only

Options:
${OptionTable.help({ ...Options.serve(agents), ...ServeOptions.pipes })}
${OptionTable.standardHelp}

Options of a server that listens (default of --host and --port: MCP_HOST and MCP_PORT):
${OptionTable.help(Options.listening)}

Examples:
  loopsmith serve
  loopsmith serve stdio --judge ${Options.usualWriter(agents)?.name} --judge-model sonnet
  loopsmith serve --port 8931 --token-file ~/.loopsmith-tokens
  USE_MOCK_EVALUATOR=true loopsmith serve
`

const improve = (agents: Options.Agents) => `Evaluates and rewrites a document until its score reaches the target.

Usage: loopsmith improve FILE [options]

  FILE    the document, UTF-8 text of 1,000,000 characters at most; - is standard input

Options:
${OptionTable.help(Options.improve(agents))}
${OptionTable.standardHelp}

Exit codes:
  0 target reached, 1 failure, 2 wrong usage, 3 ended below the target, 129, 130 and 143 cancelled by a signal.
  In each case the best document so far is written, if it is better than FILE.

Examples:
  loopsmith improve guide.md
  loopsmith improve guide.md --target 9 --iterations 8 --in-place
  loopsmith improve api.md --judge ${Options.usualWriter(agents)?.name} --writer ${agents[0]?.name} --rubric accuracy=5,completeness=3
  loopsmith improve - --output - < guide.md > better.md
`
