/**
 * What tools take of a picture, and what they can show.
 *
 * @see PROTOCOL.md, steps
 */
import * as Schema from "effect/Schema"
import { pictures } from "./OperationOptions.ts"

const { Literals, optionalKey: optional, Struct } = Schema

const whole = ([minimum, maximum]: readonly [number, number]) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

export const views = ["camera", "front", "back", "left", "right", "top", "bottom", "perspective"] as const

/** What a picture is to show, and how large. */
export const Picture = Struct({
  width: optional(whole(pictures.width)),
  height: optional(whole(pictures.height)),
  view: optional(Literals(views)),
  samples: optional(whole(pictures.samples)),
})
