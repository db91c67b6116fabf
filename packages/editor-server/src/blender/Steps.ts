/**
 * The steps of `command.apply`: what each takes.
 *
 * @see PROTOCOL.md, steps
 */
import * as Schema from "effect/Schema"

const { Boolean: Bool, Finite, Literals, NullOr, optionalKey: optional, Struct, Union } = Schema

/** The longest name of an object, a material or a modifier, in characters. */
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255))
const Vector = Struct({ x: Finite, y: Finite, z: Finite })
const Color = Struct({ r: Finite, g: Finite, b: Finite, a: optional(Finite) })
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

const Transform = Struct({
  location: optional(Vector),
  rotationEuler: optional(Vector),
  scale: optional(Vector),
})
const Geometry = Struct({
  size: optional(Finite),
  radius: optional(Finite),
  depth: optional(Finite),
  segments: optional(Schema.Int),
  rings: optional(Schema.Int),
  minorRadius: optional(Finite),
  text: optional(Schema.String),
})
const material = {
  name: optional(Name),
  color: optional(Color),
  metallic: optional(Finite),
  roughness: optional(Finite),
  emission: optional(Color),
  emissionStrength: optional(Finite),
}
const Objects = Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(10_000))

const kinds = {
  create: Struct({
    primitive: Literals(primitives),
    name: optional(Name),
    transform: optional(Transform),
    geometry: optional(Geometry),
    material: optional(Struct(material)),
  }),
  transform: Struct({
    object: Name,
    relative: optional(Bool),
    location: optional(Vector),
    rotationEuler: optional(Vector),
    scale: optional(Vector),
  }),
  material: Struct({ object: Name, ...material }),
  delete: Struct({ objects: Objects }),
  duplicate: Struct({ object: Name, count: optional(Schema.Int), name: optional(Name), offset: optional(Vector) }),
  select: Struct({ objects: Schema.Array(Name), mode: optional(Literals(["set", "add", "remove"])) }),
  parent: Struct({ object: Name, parent: NullOr(Name), keepTransform: optional(Bool) }),
  modifier: Struct({
    object: Name,
    type: optional(Name),
    name: optional(Name),
    settings: optional(Schema.Record(Schema.String, Schema.Unknown)),
    remove: optional(Bool),
  }),
  light: Struct({
    name: optional(Name),
    type: optional(Literals(["point", "sun", "spot", "area"])),
    transform: optional(Transform),
    energy: optional(Finite),
    color: optional(Color),
    size: optional(Finite),
  }),
  camera: Struct({
    name: optional(Name),
    transform: optional(Transform),
    lookAt: optional(Union([Vector, Name])),
    lens: optional(Finite),
    active: optional(Bool),
  }),
  world: Struct({ color: optional(Color), strength: optional(Finite) }),
  render: Struct({
    engine: optional(Literals(["cycles", "eevee", "workbench"])),
    width: optional(Schema.Int),
    height: optional(Schema.Int),
    samples: optional(Schema.Int),
  }),
}

/** One step: exactly one of its members is there. */
const Step = Struct({
  create: optional(kinds.create),
  transform: optional(kinds.transform),
  material: optional(kinds.material),
  delete: optional(kinds.delete),
  duplicate: optional(kinds.duplicate),
  select: optional(kinds.select),
  parent: optional(kinds.parent),
  modifier: optional(kinds.modifier),
  light: optional(kinds.light),
  camera: optional(kinds.camera),
  world: optional(kinds.world),
  render: optional(kinds.render),
}).check(Schema.isBetweenProperties(1, 1))

export const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(1_000))
