/** Cases about `attachments`: images and text files. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { McpAttachment } from "@zain/core/McpAttachment"
import * as Effect from "effect/Effect"
import { casesOf } from "../ContractCase.ts"
import * as Expect from "../Expect.ts"

/** Pictures of one pixel, in base64. */
const red = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
const blue = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC"

const urlOf = (base64: string) => `data:image/png;base64,${base64}`

/** A directory that is removed after the case. */
const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "zain-attached-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true })),
)

/** Attachments that are none, with what is wrong. */
const wrong = (place: string): ReadonlyArray<readonly [what: string, attachment: unknown]> => {
  const png = Buffer.from(red, "base64")
  const at = (name: string) => join(place, name)
  writeFileSync(at("empty.png"), "")
  writeFileSync(at("text.png"), "This is no picture.")
  writeFileSync(at("cut.png"), png.subarray(0, 40))
  writeFileSync(at("huge.png"), png)
  truncateSync(at("huge.png"), 200 * 1024 * 1024)
  mkdirSync(at("directory.png"))
  return [
    ["no object", "picture.png"],
    ["an image without a place", { _tag: "Image" }],
    ["an unknown kind", { _tag: "Video", path: at("text.png") }],
    ["an image of 0 bytes", { _tag: "Image", path: at("empty.png") }],
    ["a text as an image", { _tag: "Image", path: at("text.png") }],
    ["an image without its end", { _tag: "Image", path: at("cut.png") }],
    ["an image of 200 MiB", { _tag: "Image", path: at("huge.png") }],
    ["a directory", { _tag: "Image", path: at("directory.png") }],
    ["a missing file", { _tag: "TextFile", path: at("missing.txt") }],
    ["a device", { _tag: "TextFile", path: "/dev/zero" }],
    ["another media type", { _tag: "Image", bytes: png, mediaType: "image/jpeg" }],
    ["a data URL of another type", { _tag: "Image", url: `data:image/gif;base64,${red}` }],
    ["a data URL that is none", { _tag: "Image", url: "https://agents.example/picture.png" }],
    ["a file that is no text", { _tag: "TextFile", path: at("cut.png") }],
  ]
}

export const attaching = casesOf({
  "attachments.images": {
    title:
      "images MUST reach the agent with the prompt, for that turn alone, or be `not-supported` before anything is sent",
    crossesWire: true,
    verifies: ["turn.attachments"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const place = yield* directory
      writeFileSync(join(place, "blue"), Buffer.from(blue, "base64"))
      const attachments: ReadonlyArray<McpAttachment> = [
        { _tag: "Image", bytes: Buffer.from(red, "base64"), mediaType: "image/png" },
        { _tag: "Image", path: join(place, "blue") },
        { _tag: "Image", url: urlOf(red) },
      ]
      const { content, key } = prompt({ _tag: "Say", text: "seen" })
      const turn = client.execute(session, { content, attachments })
      if (!client.supports.images) {
        yield* Expect.fails(turn, "InvalidRequest", { reason: "not-supported", delivery: "not-sent" })
        yield* Expect.equal(yield* peer.count(key), 0, "The prompts with an image")
        return
      }
      const before = [yield* peer.count(red), yield* peer.count(blue)]
      yield* Expect.equal((yield* turn).content, "seen", "content")
      yield* client.execute(session, { content: prompt({ _tag: "Say", text: "plain" }).content })
      const after = [yield* peer.count(red), yield* peer.count(blue)]
      yield* Expect.equal(
        after.map((count, at) => count - (before[at] ?? 0)),
        [1, 1],
        "The prompts with each image",
      )
    },
  },
  "attachments.files": {
    title: "text files MUST reach the agent before the prompt, with their names, and change nothing else of it",
    verifies: ["turn.attachments"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      const place = yield* directory
      const [{ key: written }, { key: given }] = [prompt({ _tag: "Recall" }), prompt({ _tag: "Recall" })]
      const path = join(place, "notes.md")
      writeFileSync(path, `${written}\n\`\`\`\nあ\n`)
      const { content, key } = prompt({ _tag: "Say", text: "read" })
      const attachments: ReadonlyArray<McpAttachment> = [
        { _tag: "TextFile", path, name: "notes.md" },
        { _tag: "TextFile", name: "given.txt", text: given },
      ]
      const answer = yield* client.execute(session, { content, attachments })
      yield* Expect.equal(answer.content, "read", "content")
      const whole = `File "notes.md":\n\`\`\`\`\n${written}\n\`\`\`\nあ\n\`\`\`\`\n\nFile "given.txt":\n\`\`\`\n${given}\n\`\`\`\n\n${content}`
      yield* Expect.equal([yield* peer.count(key), yield* peer.count(whole)], [1, 1], "The prompts with the files")
    },
  },
  "attachments.invalid": {
    title: "an attachment that the agent could not read MUST be `invalid-config`, before anything is sent",
    verifies: ["turn.attachments"],
    needs: ["observe"],
    *run({ client, open, peer, prompt }) {
      const session = yield* open
      for (const [what, attachment] of wrong(yield* directory)) {
        const { content, key } = prompt({ _tag: "Say", text: what })
        const attempt = client.execute(session, { content, attachments: [attachment as McpAttachment] })
        const isRefusedBefore = !client.supports.images && (attachment as { readonly _tag?: string })._tag === "Image"
        const reason = isRefusedBefore && what !== "an image without a place" ? "not-supported" : "invalid-config"
        yield* Expect.fails(attempt, "InvalidRequest", { reason, delivery: "not-sent" })
        yield* Expect.equal(yield* peer.count(key), 0, `The prompts with ${what}`)
      }
    },
  },
})
