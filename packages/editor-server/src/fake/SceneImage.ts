/**
 * A picture of a scene from the front: each object with a renderer is a square.
 */
import type { FakeScene } from "./FakeScene.ts"
import { type Colour, encode } from "./PngImage.ts"

/** How many metres the picture shows from side to side. */
const shown = 20

const sky: Colour = [96, 128, 168]

const colours: ReadonlyArray<Colour> = [
  [220, 80, 60],
  [80, 180, 90],
  [240, 200, 70],
  [150, 90, 200],
]

/** @returns a PNG */
export const render = (scene: FakeScene, width: number, height: number): Buffer => {
  const perMetre = width / shown
  const squares = scene.all
    .filter(({ components, isActive }) => isActive && components.some(({ type }) => type === "MeshRenderer"))
    .slice(0, 100)
    .map(({ position, scale, id }) => ({
      x: width / 2 + position.x * perMetre,
      y: height / 2 - position.y * perMetre,
      halfWidth: Math.max(1, (Math.abs(scale.x) * perMetre) / 2),
      halfHeight: Math.max(1, (Math.abs(scale.y) * perMetre) / 2),
      colour: colours[id % colours.length] ?? sky,
    }))
  return encode(width, height, (x, y) => {
    const hit = squares.findLast(
      (square) => Math.abs(x - square.x) <= square.halfWidth && Math.abs(y - square.y) <= square.halfHeight,
    )
    return hit?.colour ?? sky
  })
}
