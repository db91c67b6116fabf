/**
 * What tools take of a picture, and what they can show.
 *
 * @see PROTOCOL.md, steps
 */
import { Boolean as Bool, Int, isBetween, Literals, optionalKey as optional, Struct } from "effect/Schema"
import { pictures } from "./OperationOptions.ts"

const whole = ([minimum, maximum]: readonly [number, number]) => Int.check(isBetween({ minimum, maximum }))

export const views = ["camera", "front", "back", "left", "right", "top", "bottom", "perspective", "viewport"] as const

/** What a picture is to show, and how large. */
export const Picture = Struct({
  width: optional(whole(pictures.width)),
  height: optional(whole(pictures.height)),
  view: optional(Literals(views)),
  samples: optional(whole(pictures.samples)),
  denoise: optional(Bool),
})
