/**
 * A picture of a scene from the front: each object that can be seen is a box.
 */
import type { FakeScene } from "./FakeScene.ts"
import { type Colour, encode } from "./PngImage.ts"

/** How many metres the picture shows from side to side, and how many boxes. */
const [shown, maxBoxes] = [20, 100]

const sky: Colour = [96, 128, 168]

const colours: ReadonlyArray<Colour> = [
  [220, 80, 60],
  [80, 180, 90],
  [240, 200, 70],
  [150, 90, 200],
]

/** A box by its middle, in metres from the middle of the picture, upwards. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly colour: Colour
}

/** The colours of the pixels: of boxes that overlap, the last. */
export const painter = (
  boxes: ReadonlyArray<Box>,
  width: number,
  height: number,
): ((x: number, y: number) => Colour) => {
  const perMetre = width / shown
  const squares = boxes.slice(0, maxBoxes).map((box) => ({
    x: width / 2 + box.x * perMetre,
    y: height / 2 - box.y * perMetre,
    halfWidth: Math.max(1, (Math.abs(box.width) * perMetre) / 2),
    halfHeight: Math.max(1, (Math.abs(box.height) * perMetre) / 2),
    colour: box.colour,
  }))
  return (x, y) => {
    const hit = squares.findLast(
      (square) => Math.abs(x - square.x) <= square.halfWidth && Math.abs(y - square.y) <= square.halfHeight,
    )
    return hit?.colour ?? sky
  }
}

/** @returns a PNG */
export const render = (scene: FakeScene, width: number, height: number): Buffer => {
  const boxes = scene.all
    .filter(({ components, isActive }) => isActive && components.some(({ type }) => type === "MeshRenderer"))
    .map(({ position, scale, id }) => ({
      x: position.x,
      y: position.y,
      width: scale.x,
      height: scale.y,
      colour: colours[id % colours.length] ?? sky,
    }))
  return encode(width, height, painter(boxes, width, height))
}
