/** Tools that simulate input, and read or change its configuration. */
import type { Row } from "../ToolNotation.ts"

export const inputTools: ReadonlyArray<Row> = [
  {
    name: "add_input_action",
    category: "input",
    description: "Adds an action to a map of an Input Actions asset.",
    ja: "Input Actions アセットのマップにアクションを追加します。",
    parameters: '{assetPath!:string, mapName!:string, actionName!:string, actionType:"Button"|"Value"|"PassThrough"}',
  },
  {
    name: "create_action_map",
    category: "input",
    description: "Creates an action map, with actions, in an Input Actions asset.",
    ja: "Input Actions アセットに、アクション付きのアクションマップを作成します。",
    parameters: '{assetPath!:string, mapName!:string, actions:[{name:string, type:"Button"|"Value"|"PassThrough"}]}',
  },
  {
    name: "remove_action_map",
    category: "input",
    description: "Removes an action map from an Input Actions asset.",
    ja: "Input Actions アセットからアクションマップを削除します。",
    parameters: "{assetPath!:string, mapName!:string}",
  },
  {
    name: "remove_input_action",
    category: "input",
    description: "Removes an action from a map of an Input Actions asset.",
    ja: "Input Actions アセットのマップからアクションを削除します。",
    parameters: "{assetPath!:string, mapName!:string, actionName!:string}",
  },
  {
    name: "analyze_input_actions_asset",
    category: "input",
    description: "Reports the maps, actions, bindings and statistics of an Input Actions asset.",
    ja: "Input Actions アセットのマップ、アクション、バインディング、統計を報告します。",
    parameters: "{assetPath!:string, includeJsonStructure:boolean, includeStatistics:boolean}",
  },
  {
    name: "get_input_actions_state",
    category: "input",
    description: "Reads an Input Actions asset: its maps, bindings and control schemes.",
    ja: "Input Actions アセットのマップ、バインディング、コントロールスキームを読みます。",
    parameters:
      "{assetName:string, assetPath:string, includeBindings:boolean, includeControlSchemes:boolean, includeJsonStructure:boolean}",
  },
  {
    name: "add_input_binding",
    category: "input",
    description: "Adds a binding to an action of an Input Actions asset.",
    ja: "Input Actions アセットのアクションにバインディングを追加します。",
    parameters:
      "{assetPath!:string, mapName!:string, actionName!:string, path!:string, groups:string, interactions:string, processors:string}",
  },
  {
    name: "create_composite_binding",
    category: "input",
    description: "Adds a composite binding, such as WASD, to an action.",
    ja: "アクションに WASD などの複合バインディングを追加します。",
    parameters:
      '{assetPath!:string, mapName!:string, actionName!:string, compositeType:"2DVector"|"1DAxis", name:string, bindings!:{up:string, down:string, left:string, right:string, negative:string, positive:string}, groups:string}',
  },
  {
    name: "remove_input_binding",
    category: "input",
    description: "Removes one binding of an action, by its index or its path.",
    ja: "アクションの 1 つのバインディングを、番号またはパスで削除します。",
    parameters: "{assetPath!:string, mapName!:string, actionName!:string, bindingIndex:number, bindingPath:string}",
  },
  {
    name: "remove_all_bindings",
    category: "input",
    description: "Removes all bindings of an action of an Input Actions asset.",
    ja: "Input Actions アセットのアクションのバインディングをすべて削除します。",
    parameters: "{assetPath!:string, mapName!:string, actionName!:string}",
  },
  {
    name: "manage_control_schemes",
    category: "input",
    description: "Adds or removes control schemes of an Input Actions asset.",
    ja: "Input Actions アセットのコントロールスキームを追加または削除します。",
    parameters: '{assetPath!:string, operation!:"add"|"remove"|"modify", schemeName:string, devices:[string]}',
  },
  {
    name: "input_gamepad",
    category: "input",
    description: "Simulates a gamepad: buttons, sticks, triggers and the d-pad, also in sequence.",
    ja: "ゲームパッドのボタン、スティック、トリガー、十字キーを、連続した入力も含めて再現します。",
    parameters:
      '{action:"button"|"stick"|"trigger"|"dpad", button:string, buttonAction:"press"|"release", stick:"left"|"right", x:number, y:number, trigger:"left"|"right", value:number, direction:"up"|"down"|"left"|"right"|"none", holdSeconds:number, actions:[{action!:"button"|"stick"|"trigger"|"dpad", button:string, buttonAction:"press"|"release", stick:"left"|"right", x:number, y:number, trigger:"left"|"right", value:number, direction:"up"|"down"|"left"|"right"|"none", holdSeconds:number}]}',
  },
  {
    name: "input_keyboard",
    category: "input",
    description: "Simulates the keyboard: keys, text and combinations, also in sequence.",
    ja: "キーボードのキー、文字列、組み合わせを、連続した入力も含めて再現します。",
    parameters:
      '{action:"press"|"release"|"type"|"combo", key:string, keys:[string], text:text, typingSpeed:number, holdSeconds:number, actions:[{action!:"press"|"release"|"type"|"combo", key:string, keys:[string], text:text, typingSpeed:number, holdSeconds:number}]}',
  },
  {
    name: "input_mouse",
    category: "input",
    description: "Simulates the mouse: moves, clicks, drags and scrolls, also in sequence.",
    ja: "マウスの移動、クリック、ドラッグ、スクロールを、連続した入力も含めて再現します。",
    parameters:
      '{action:"move"|"click"|"drag"|"scroll"|"button", x:number, y:number, absolute:boolean, button:"left"|"right"|"middle", buttonAction:"press"|"release", clickCount:number, startX:number, startY:number, endX:number, endY:number, deltaX:number, deltaY:number, holdSeconds:number, actions:[{action!:"move"|"click"|"drag"|"scroll"|"button", x:number, y:number, absolute:boolean, button:"left"|"right"|"middle", buttonAction:"press"|"release", clickCount:number, startX:number, startY:number, endX:number, endY:number, deltaX:number, deltaY:number, holdSeconds:number}]}',
  },
  {
    name: "input_system_control",
    category: "input",
    description: "Simulates any input device, runs a sequence of inputs, or reads the input state.",
    ja: "任意の入力デバイスの再現、連続した入力の実行、または入力状態の読み取りをします。",
    parameters: '{operation!:"keyboard"|"mouse"|"gamepad"|"touch"|"sequence"|"get_state", parameters:object}',
  },
  {
    name: "input_touch",
    category: "input",
    description: "Simulates touches: taps, swipes, pinches and several fingers.",
    ja: "タップ、スワイプ、ピンチ、複数の指のタッチを再現します。",
    parameters:
      '{action:"tap"|"swipe"|"pinch"|"multi", x:number, y:number, touchId:number, startX:number, startY:number, endX:number, endY:number, duration:number, centerX:number, centerY:number, startDistance:number, endDistance:number, touches:[{x!:number, y!:number, phase:"began"|"moved"|"stationary"|"ended"}], actions:[{action!:"tap"|"swipe"|"pinch"|"multi", x:number, y:number, touchId:number, startX:number, startY:number, endX:number, endY:number, duration:number, centerX:number, centerY:number, startDistance:number, endDistance:number, touches:[{x!:number, y!:number, phase:"began"|"moved"|"stationary"|"ended"}]}]}',
  },
  {
    name: "click_ui_element",
    category: "ui",
    description: "Clicks an element of the user interface of the running game.",
    ja: "実行中のゲームのユーザーインターフェースの要素をクリックします。",
    parameters:
      '{elementPath!:string, clickType:"left"|"right"|"middle", holdDuration:number, position:{x:number, y:number}}',
  },
  {
    name: "find_ui_elements",
    category: "ui",
    description: "Finds elements of the user interface by type, tag or name.",
    ja: "ユーザーインターフェースの要素を、型、タグ、名前で探します。",
    parameters:
      "{elementType:string, tagFilter:string, namePattern:string, includeInactive:boolean, canvasFilter:string}",
  },
  {
    name: "get_ui_element_state",
    category: "ui",
    description: "Reads the state of an element of the user interface.",
    ja: "ユーザーインターフェースの要素の状態を読みます。",
    parameters: "{elementPath!:string, includeChildren:boolean, includeInteractableInfo:boolean}",
  },
  {
    name: "set_ui_element_value",
    category: "ui",
    description: "Sets the value of an element of the user interface.",
    ja: "ユーザーインターフェースの要素の値を設定します。",
    parameters: "{elementPath!:string, value!:text|number|boolean|object|[any]|null, triggerEvents:boolean}",
  },
  {
    name: "simulate_ui_input",
    category: "ui",
    description: "Simulates input on an element of the user interface, also in sequence.",
    ja: "ユーザーインターフェースの要素への入力を、連続した入力も含めて再現します。",
    parameters:
      '{elementPath:string, inputType:"click"|"doubleclick"|"rightclick"|"hover"|"focus"|"type", inputData:text, inputSequence:[{type!:string, params!:object}], waitBetween:number, validateState:boolean}',
  },
]
