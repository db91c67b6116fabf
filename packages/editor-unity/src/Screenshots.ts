/**
 * `analyze_screenshot`: Unity analyses files alone; an image that the client sends is described here.
 */

import type { Arguments, ToolContext } from "@zain/editor-link/domain/Catalogue"
import { ValidationError } from "@zain/editor-link/domain/DomainError"
import { type OperationResult, text } from "@zain/editor-link/domain/OperationResult"
import * as Effect from "effect/Effect"
import * as UnityCalls from "./UnityCalls.ts"

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const asked = (prompt: unknown) =>
  typeof prompt === "string" ? [text(`To be answered from the image: ${prompt}`)] : []

export const analyze = (args: Arguments, context: ToolContext) =>
  Effect.suspend(() => {
    const { base64Data, prompt } = args
    if (typeof base64Data !== "string") {
      return Effect.map(UnityCalls.call("analyze_screenshot", args, context), (result) => ({
        ...result,
        content: [...result.content, ...asked(prompt)],
      }))
    }
    const head = Buffer.from(base64Data.slice(0, 64), "base64")
    if (!head.subarray(0, 8).equals(pngSignature) || head.length < 24) {
      const message =
        "analyze_screenshot: `base64Data` is not a whole PNG image. Send a PNG, or name a file with `imagePath`."
      return Effect.fail(new ValidationError({ message, delivery: "not-sent", reason: "arguments" }))
    }
    const size = { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
    const result: OperationResult = {
      content: [text(size), { type: "image", data: base64Data, mimeType: "image/png" }, ...asked(prompt)],
    }
    return Effect.succeed(result)
  })
