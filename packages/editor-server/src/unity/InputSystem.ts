/**
 * `input_system_control`: one tool for commands that Unity has one by one.
 */

import { isRecord } from "@zain/process/JsonRpc"
import type { Arguments, ToolContext } from "../domain/Catalogue.ts"
import * as UnityCalls from "./UnityCalls.ts"

const commands: Readonly<Record<string, string>> = {
  keyboard: "input_keyboard",
  mouse: "input_mouse",
  gamepad: "input_gamepad",
  touch: "input_touch",
  sequence: "create_input_sequence",
  get_state: "get_current_input_state",
}

export const control = (args: Arguments, context: ToolContext) => {
  const { operation, parameters } = args
  return UnityCalls.call(commands[String(operation)] ?? "", isRecord(parameters) ? parameters : {}, context)
}
