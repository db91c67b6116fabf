/** Tools on scenes, their objects, and pictures of them. */
import type { Row } from "../ToolNotation.ts"

export const sceneTools: ReadonlyArray<Row> = [
  {
    name: "add_component",
    category: "component",
    description: "Adds a component to a GameObject, with initial property values.",
    ja: "GameObject にコンポーネントを、プロパティの初期値とともに追加します。",
    parameters: "{gameObjectPath!:string, componentType!:string, properties:object}",
  },
  {
    name: "set_component_field",
    category: "component",
    description: "Sets one field of a component, in the scene, the open prefab or a prefab asset.",
    ja: "シーン、開いているプレハブ、またはプレハブのアセットで、コンポーネントの 1 つのフィールドを設定します。",
    parameters:
      '{scope:"auto"|"scene"|"prefabStage"|"prefabAsset", gameObjectPath:string, prefabAssetPath:string, prefabObjectPath:string, componentType!:string, componentIndex:integer, fieldPath!:string, value:any, valueType:"auto"|"bool"|"int"|"long"|"float"|"double"|"string"|"color"|"vector2"|"vector3"|"vector4"|"vector2Int"|"vector3Int"|"quaternion"|"rect"|"rectInt"|"bounds"|"boundsInt"|"enum"|"objectReference"|"array"|"json"|"null", enumValue:string, objectReference:{assetPath:string, guid:string}, runtime:boolean, dryRun:boolean, applyPrefabChanges:boolean, createUndo:boolean, markSceneDirty:boolean}',
  },
  {
    name: "get_component_types",
    category: "component",
    description: "Lists the component types that can be added, by category or search text.",
    ja: "追加できるコンポーネント型を、カテゴリまたは検索語で一覧します。",
    parameters: "{category:string, search:string, onlyAddable:boolean}",
  },
  {
    name: "list_components",
    category: "component",
    description: "Lists the components of a GameObject of the open scene.",
    ja: "開いているシーンの GameObject のコンポーネントを一覧します。",
    parameters: "{gameObjectPath!:string, includeInherited:boolean}",
  },
  {
    name: "modify_component",
    category: "component",
    description: "Changes property values of a component of a GameObject.",
    ja: "GameObject のコンポーネントのプロパティの値を変更します。",
    parameters: "{gameObjectPath!:string, componentType!:string, componentIndex:number, properties!:object}",
  },
  {
    name: "remove_component",
    category: "component",
    description: "Removes a component from a GameObject of the scene.",
    ja: "シーンの GameObject からコンポーネントを削除します。",
    parameters: "{gameObjectPath!:string, componentType!:string, componentIndex:number}",
  },
  {
    name: "create_gameobject",
    category: "gameobject",
    description: "Creates a GameObject, empty or a primitive, with a transform, parent, tag and layer.",
    ja: "空またはプリミティブの GameObject を、トランスフォーム、親、タグ、レイヤーを指定して作成します。",
    parameters:
      '{name:string, primitiveType:"cube"|"sphere"|"cylinder"|"capsule"|"plane"|"quad", position:{x:number, y:number, z:number}, rotation:{x:number, y:number, z:number}, scale:{x:number, y:number, z:number}, parentPath:string, tag:string, layer:number}',
  },
  {
    name: "delete_gameobject",
    category: "gameobject",
    description: "Deletes one or several GameObjects by their paths in the hierarchy.",
    ja: "1 つまたは複数の GameObject を、ヒエラルキーのパスで削除します。",
    parameters: "{path:string, paths:[string], includeChildren:boolean}",
  },
  {
    name: "find_gameobject",
    category: "gameobject",
    description: "Finds GameObjects of the open scene by name, tag or layer.",
    ja: "開いているシーンの GameObject を、名前、タグ、レイヤーで探します。",
    parameters: "{name:string, tag:string, layer:number, exactMatch:boolean}",
  },
  {
    name: "get_hierarchy",
    category: "gameobject",
    description: "Reads the hierarchy of the open scene, as deep and as detailed as asked.",
    ja: "開いているシーンのヒエラルキーを、指定した深さと詳しさで読みます。",
    parameters:
      "{rootPath:string, includeInactive:boolean, maxDepth:number, includeComponents:boolean, includeTransform:boolean, includeTags:boolean, includeLayers:boolean, nameOnly:boolean, maxObjects:number}",
  },
  {
    name: "modify_gameobject",
    category: "gameobject",
    description: "Changes a GameObject's name, transform, parent, tag, layer or active state.",
    ja: "GameObject の名前、トランスフォーム、親、タグ、レイヤー、アクティブ状態を変更します。",
    parameters:
      "{path!:string, name:string, position:{x:number, y:number, z:number}, rotation:{x:number, y:number, z:number}, scale:{x:number, y:number, z:number}, active:boolean, parentPath:string,null, tag:string, layer:number}",
  },
  {
    name: "create_scene",
    category: "scene",
    description: "Creates a scene asset, and opens it or adds it to the build on request.",
    ja: "シーンのアセットを作成します。指定すれば開くか、ビルドに追加します。",
    parameters: "{sceneName!:string, path:string, loadScene:boolean, addToBuildSettings:boolean}",
  },
  {
    name: "get_scene_info",
    category: "scene",
    description: "Reads facts of a scene: path, load state, root objects.",
    ja: "シーンのパス、ロード状態、ルートオブジェクトを読みます。",
    parameters: "{scenePath:string, sceneName:string, includeGameObjects:boolean}",
  },
  {
    name: "list_scenes",
    category: "scene",
    description: "Lists the project's scenes, the loaded ones or those of the build.",
    ja: "プロジェクトのシーン、ロード済みのシーン、またはビルドのシーンを一覧します。",
    parameters: "{includeLoadedOnly:boolean, includeBuildScenesOnly:boolean, includePath:string}",
  },
  {
    name: "load_scene",
    category: "scene",
    description: "Opens a scene, alone or beside those that are open.",
    ja: "シーンを単独で、または開いているシーンに加えて開きます。",
    parameters: '{scenePath:string, sceneName:string, loadMode:"Single"|"Additive"}',
  },
  {
    name: "save_scene",
    category: "scene",
    description: "Saves the open scene, also under another path.",
    ja: "開いているシーンを保存します。別のパスにも保存できます。",
    parameters: "{scenePath:string, saveAs:boolean}",
  },
  {
    name: "analyze_screenshot",
    category: "screenshot",
    description: "Describes a screenshot: size and colours, or the user interface in it.",
    ja: "スクリーンショットの大きさと色、またはその中のユーザーインターフェースを説明します。",
    parameters: '{imagePath:string, base64Data:text, analysisType:"basic"|"ui"|"content"|"full", prompt:text}',
  },
  {
    name: "capture_screenshot",
    category: "screenshot",
    description: "Takes a screenshot of the game, the scene view, a window or chosen objects.",
    ja: "ゲーム、シーンビュー、ウィンドウ、または選んだオブジェクトのスクリーンショットを撮ります。",
    parameters:
      '{captureMode:"game"|"scene"|"window"|"explorer", width:number, height:number, includeUI:boolean, windowName:string, encodeAsBase64:boolean, explorerSettings:{target:{type:"gameObject"|"tag"|"area"|"position", name:string, tag:string, center:{x:number, y:number, z:number}, radius:number, includeChildren:boolean}, camera:{position:{x:number, y:number, z:number}, lookAt:{x:number, y:number, z:number}, rotation:{x:number, y:number, z:number}, fieldOfView:number, nearClip:number, farClip:number, autoFrame:boolean, padding:number, offset:{x:number, y:number, z:number}, width:number, height:number}, display:{backgroundColor:{r:number, g:number, b:number, a:number}, layers:[string], showGizmos:boolean, showColliders:boolean, showBounds:boolean, highlightTarget:boolean}}}',
  },
  {
    name: "video_capture_for",
    category: "video",
    description: "Records a video of the game for some seconds, and waits for the file.",
    ja: "ゲームの動画を指定した秒数だけ録画し、ファイルができるまで待ちます。",
    parameters:
      '{captureMode:"game", width:number, height:number, fps:number, durationSec!:number, play:boolean, wait:boolean}',
  },
  {
    name: "capture_video_start",
    category: "video",
    description: "Starts a video recording of the game view.",
    ja: "ゲームビューの動画の録画を開始します。",
    parameters: '{captureMode:"game", width:number, height:number, fps:number, maxDurationSec:number}',
  },
  {
    name: "capture_video_status",
    category: "video",
    description: "Reports whether a video is being recorded, and its length so far.",
    ja: "動画を録画中かどうかと、これまでの長さを報告します。",
    parameters: "{}",
  },
  {
    name: "capture_video_stop",
    category: "video",
    description: "Stops the video recording, and returns where the file is.",
    ja: "動画の録画を停止し、ファイルの場所を返します。",
    parameters: "{recordingId:string}",
  },
]
