/**
 * What `--help` says.
 */
import * as FrontOptions from "@zain/tool-server/FrontOptions"
import type { Topic } from "./CommandLine.ts"

/** Of the whole command, or of one of its two. */
export const text = (topic: Topic | undefined): string => {
  if (topic === "serve") return serve
  return topic === "improve" ? improve : all
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
  claude mcp add loopsmith -- loopsmith serve stdio
  loopsmith improve guide.md
  loopsmith improve --help
`

const judge = (iterations: string) => `\
  --judge NAME             who judges: codex, claude-code or mock (default: codex; mock with USE_MOCK_EVALUATOR=true)
  --judge-command PATH     the judge's program (default: codex or claude, looked up on PATH)
  --judge-model NAME       the judge's model (default: its own configuration's)
  --timeout TIME           how long one attempt at an evaluation may take (default: CODEX_TIMEOUT, or "2 minutes")
  --attempts COUNT         how many attempts there are (default: 3)
  --prompt FILE            the template of the judge's prompt (default: EVALUATION_PROMPT_PATH, or its own)
  --env NAME               passes one more variable on to the agents; repeatable
  --target SCORE           the score with which a document passes (default: TARGET_SCORE, or 8)
  --iterations COUNT       ${iterations} (default: MAX_ITERATIONS, or 5)`

const rest = (level: string) => `\
  --log-level LEVEL        debug, info, warn or error (default: LOG_LEVEL, or ${level})
  -h, --help               this text
  -v, --version            the version`

const serve = `The judge, for MCP clients that write.

Usage: loopsmith serve [ws | stdio | http] [options]

  ws      any number of clients, over WebSocket at ws://127.0.0.1:23100/mcp (default)
  stdio   one client, on standard input and output
  http    any number of clients, over Streamable HTTP at http://127.0.0.1:23100/mcp

Options:
${judge("after how many evaluations a session counts from 1 again,\n                           and models are told to stop")}
${rest("info")}

Options of ws and http (MCP_HOST and MCP_PORT stand in for --host and --port):
${FrontOptions.help("23100")}

Examples:
  loopsmith serve
  loopsmith serve stdio --judge claude-code --judge-model sonnet
  loopsmith serve http --port 8931 --token-file ~/.loopsmith-tokens
  USE_MOCK_EVALUATOR=true loopsmith serve
`

const improve = `A document, judged and written anew until it is good.

Usage: loopsmith improve FILE [options]

  FILE    the document, UTF-8 text of 1,000,000 characters at most; - is standard input

Options:
${judge("how many evaluations there are at most")}
  --rubric WEIGHTS         how much each criterion counts, for example completeness=3,accuracy=3,clarity=2,usability=2
  --writer NAME            who writes: claude-code or codex (default: claude-code)
  --writer-command PATH    the writer's program (default: claude or codex, looked up on PATH)
  --writer-model NAME      the writer's model (default: its own configuration's)
  --writer-timeout TIME    how long one attempt at a document may take (default: "10 minutes")
  -o, --output FILE        where the better document goes (default: guide.improved.md for guide.md; - is standard output)
  --in-place               replaces FILE by the better document
  --report FILE            where the report goes (default: guide.report.html beside the document)
  --no-report              writes no report
  -f, --force              replaces outputs that exist
  --json                   prints each event as a line of JSON on standard output, and what came of it as the last
  -q, --quiet              prints nothing but problems
${rest("warn")}

Exit codes:
  0 the target is reached, 1 it failed, 2 it was used wrongly, 3 it ended below the target, 129, 130 and 143 it was cancelled.
  Whatever ended it, the best document until then is kept, if it is better than FILE.

Examples:
  loopsmith improve guide.md
  loopsmith improve guide.md --target 9 --iterations 8 --in-place
  loopsmith improve api.md --judge claude-code --writer codex --rubric accuracy=5,completeness=3
  loopsmith improve - --output - < guide.md > better.md
`
