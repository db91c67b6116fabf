/**
 * What tools take of a picture, and what they can show.
 *
 * @see PROTOCOL.md, steps
 */
import * as Schema from "effect/Schema"

const { Literals, optionalKey: optional, Struct } = Schema

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Side = whole(16, 2_048)

export const views = ["camera", "front", "back", "left", "right", "top", "bottom", "perspective"] as const
const solids = ["cube", "sphere", "icosphere", "cylinder", "cone", "torus"] as const
export const primitives = [...solids, "plane", "circle", "grid", "monkey", "empty", "text"] as const

/** What a picture is to show, and how large. */
export const Picture = Struct({
  width: optional(Side),
  height: optional(Side),
  view: optional(Literals(views)),
  samples: optional(whole(1, 256)),
})
