import { expect, it } from "vitest"
import * as ConversationPlaces from "../src/ConversationPlaces.ts"

it("open sessions of a client in one conversation share a place, and a session after they have closed has its own", () => {
  const places = ConversationPlaces.make()
  const first = places.of("one", undefined)
  first.named("thread")
  const second = places.of("two", "thread")
  expect([first.place, second.place, places.of("three", "other").place]).toEqual(["one", "one", "three"])
  first.leave()
  expect(places.of("four", "thread").place).toBe("one")
  second.leave()
  expect(places.of("five", "thread").place).toBe("one")
  for (const id of ["four", "five"]) places.of(id, undefined).leave()
  expect(places.of("six", "thread").place).toBe("six")
})
