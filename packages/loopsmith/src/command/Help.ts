/**
 * What `--help` says.
 */
import * as OptionTable from "@zain/tool-server/OptionTable"
import type { Topic } from "./CommandLine.ts"
import * as Options from "./Options.ts"

/** Of the whole command, or of one of its two. */
export const text = (topic: Topic | undefined, agents: Options.Agents): string => {
  if (topic === "serve") return serve(agents)
  return topic === "improve" ? improve(agents) : all
}

const all = `One agent writes, another judges, until the document is good.

Usage: loopsmith serve [ws | stdio | http] [options]
       loopsmith improve FILE [options]

  serve     offers the judge to MCP clients: the tool evaluate_document, and get_improvement_suggestions
  improve   drives both agents itself, and writes the better document beside FILE, with a report

Options:
  -h, --help      this text, or the one of a command
  -v, --version   the version

Examples:
  loopsmith serve stdio
  loopsmith improve guide.md
  loopsmith improve --help
`

const serve = (agents: Options.Agents) => `The judge, for MCP clients that write.

Usage: loopsmith serve [ws | stdio | http] [options]

  ws      any number of clients, over WebSocket at ws://127.0.0.1:23100/mcp (default)
  stdio   one client, on standard input and output
  http    any number of clients, over Streamable HTTP at http://127.0.0.1:23100/mcp

Options:
${OptionTable.help(Options.serve(agents))}
${OptionTable.standardHelp}

Options of ws and http (MCP_HOST and MCP_PORT stand in for --host and --port):
${OptionTable.help(Options.listening)}

Examples:
  loopsmith serve
  loopsmith serve stdio --judge ${Options.usualWriter(agents)?.name} --judge-model sonnet
  loopsmith serve http --port 8931 --token-file ~/.loopsmith-tokens
  USE_MOCK_EVALUATOR=true loopsmith serve
`

const improve = (agents: Options.Agents) => `A document, judged and written anew until it is good.

Usage: loopsmith improve FILE [options]

  FILE    the document, UTF-8 text of 1,000,000 characters at most; - is standard input

Options:
${OptionTable.help(Options.improve(agents))}
${OptionTable.standardHelp}

Exit codes:
  0 the target is reached, 1 it failed, 2 it was used wrongly, 3 it ended below the target, 129, 130 and 143 it was cancelled.
  Whatever ended it, the best document until then is kept, if it is better than FILE.

Examples:
  loopsmith improve guide.md
  loopsmith improve guide.md --target 9 --iterations 8 --in-place
  loopsmith improve api.md --judge ${Options.usualWriter(agents)?.name} --writer ${agents[0]?.name} --rubric accuracy=5,completeness=3
  loopsmith improve - --output - < guide.md > better.md
`
