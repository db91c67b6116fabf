/**
 * Claude Code builds a scene in Blender. Codex reviews a picture of it, until the scene is good.
 *
 *   node --conditions=zain-source examples/build-and-judge/main.ts "a snowman with a hat" --launch
 */
import { ClaudeCodeMcpClientAdapter, ClaudeCodeTransportFactory } from "@zain/claude-code-client"
import { CodexMcpClientAdapter, CodexTransportFactory } from "@zain/codex-client"
import { McpResponse } from "@zain/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Editor from "./Editor.ts"

const [task = "a snowman with a hat", ...blender] = process.argv.slice(2)
const maxRounds = 4
const Verdict = Schema.Struct({ isGood: Schema.Boolean, changes: Schema.String })

const program = Effect.gen(function* () {
  const editor = yield* Editor.make(blender.length === 0 ? ["--launch"] : blender)
  const claude = yield* ClaudeCodeMcpClientAdapter.make()
  const builder = yield* claude.openSession(ClaudeCodeTransportFactory.local({ options: editor.claudeCode }))
  const codex = yield* CodexMcpClientAdapter.make()
  const judge = yield* codex.openSession(CodexTransportFactory.local({ options: editor.codex }))

  let content = `Build this in Blender by the tools of the MCP server "scene", with light and colours: ${task}`
  for (let round = 1; round <= maxRounds; round++) {
    const built = yield* Effect.flatMap(claude.execute(builder, { content }), McpResponse.orFail)
    console.log(`${round}. Claude Code: ${built.content}`)
    const question = `Call scene.capturePreview of the MCP server "scene" and look at the picture. Does it show this: ${task}?`
    const request = { content: question, output: Verdict }
    const { changes, isGood } = (yield* Effect.flatMap(codex.execute(judge, request), McpResponse.orFail)).structured
    console.log(`   Codex: ${isGood ? "Good." : changes}`)
    if (isGood) return
    content = `A judge has seen a picture of the scene. Change what it says, and nothing else: ${changes}`
  }
  return yield* Effect.fail(new Error(`The scene was not good after ${maxRounds} rounds.`))
})

const reported = Effect.catch(Effect.scoped(program), (error) =>
  Effect.sync(() => {
    console.error(error.message)
    process.exitCode = 1
  }),
)
/** Succeeds at Ctrl-C, so that finalizers remove the file with the token. */
const interrupted = Effect.callback<void>((resume) => {
  process.once("SIGINT", () => {
    process.exitCode = 130
    resume(Effect.void)
  })
})
await Effect.runPromise(Effect.raceFirst(reported, interrupted))
