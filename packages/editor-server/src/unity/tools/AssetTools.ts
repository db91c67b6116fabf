/** Tools on assets, packages and settings. */
import type { Row } from "../ToolNotation.ts"

export const assetTools: ReadonlyArray<Row> = [
  {
    name: "addressables_analyze",
    category: "addressables",
    description: "Reports duplicated, unused or dependent assets of Addressables groups.",
    ja: "Addressables グループの重複、未使用、または依存するアセットを報告します。",
    parameters:
      '{action!:"analyze_duplicates"|"analyze_dependencies"|"analyze_unused", assetPath:string, pageSize:integer, offset:integer}',
  },
  {
    name: "addressables_build",
    category: "addressables",
    description: "Builds Addressables content, or cleans its cache, and waits until it is done.",
    ja: "Addressables コンテンツをビルドするか、そのキャッシュを消去し、終わるまで待ちます。",
    parameters:
      '{action!:"build"|"clean_build", buildTarget:"StandaloneWindows64"|"StandaloneWindows"|"StandaloneLinux64"|"StandaloneOSX"|"iOS"|"Android"|"WebGL", wait:boolean}',
  },
  {
    name: "addressables_manage",
    category: "addressables",
    description: "Lists, creates and changes Addressables groups, entries, addresses and labels.",
    ja: "Addressables のグループ、エントリ、アドレス、ラベルを一覧、作成、変更します。",
    parameters:
      '{action!:"add_entry"|"remove_entry"|"set_address"|"add_label"|"remove_label"|"list_entries"|"list_groups"|"create_group"|"remove_group"|"move_entry", assetPath:string, address:string, groupName:string, targetGroupName:string, label:string, labels:[string], newAddress:string, pageSize:integer, offset:integer}',
  },
  {
    name: "get_animator_runtime_info",
    category: "analysis",
    description: "Reads an Animator's runtime values in Play Mode: IK, root motion and state behaviours.",
    ja: "プレイモード中の Animator の実行時の値（IK、ルートモーション、ステートの動作）を読みます。",
    parameters: "{gameObjectName!:string, includeIK:boolean, includeRootMotion:boolean, includeBehaviours:boolean}",
  },
  {
    name: "get_animator_state",
    category: "analysis",
    description: "Reads an Animator's current state, parameters, transitions and clips.",
    ja: "Animator の現在のステート、パラメータ、遷移、クリップを読みます。",
    parameters:
      "{gameObjectName!:string, includeParameters:boolean, includeStates:boolean, includeTransitions:boolean, includeClips:boolean, layerIndex:number}",
  },
  {
    name: "find_by_component",
    category: "analysis",
    description: "Finds GameObjects that have a component type, in the scene, in prefabs or both.",
    ja: "あるコンポーネント型を持つ GameObject を、シーン、プレハブ、または両方から探します。",
    parameters:
      '{componentType!:string, includeInactive:boolean, searchScope:"scene"|"prefabs"|"all", matchExactType:boolean}',
  },
  {
    name: "get_component_values",
    category: "analysis",
    description: "Reads the fields and properties of one component of a GameObject.",
    ja: "GameObject の 1 つのコンポーネントのフィールドとプロパティを読みます。",
    parameters:
      "{gameObjectName!:string, componentType!:string, componentIndex:number, includePrivateFields:boolean, includeInherited:boolean}",
  },
  {
    name: "get_gameobject_details",
    category: "analysis",
    description: "Reads a GameObject's transform, components, materials and children.",
    ja: "GameObject のトランスフォーム、コンポーネント、マテリアル、子を読みます。",
    parameters:
      "{gameObjectName!:string, path:string, includeChildren:boolean, includeComponents:boolean, includeMaterials:boolean, maxDepth:number}",
  },
  {
    name: "get_object_references",
    category: "analysis",
    description: "Lists what a GameObject refers to, and what refers to it.",
    ja: "GameObject が参照するものと、それを参照するものを一覧します。",
    parameters:
      "{gameObjectName!:string, includeAssetReferences:boolean, includeHierarchyReferences:boolean, searchInPrefabs:boolean}",
  },
  {
    name: "analyze_scene_contents",
    category: "analysis",
    description: "Counts and groups the objects of the open scene, with prefabs and memory on request.",
    ja: "開いているシーンのオブジェクトを数えて分類します。指定すればプレハブとメモリも含めます。",
    parameters: "{includeInactive:boolean, groupByType:boolean, includePrefabInfo:boolean, includeMemoryInfo:boolean}",
  },
  {
    name: "manage_asset_database",
    category: "asset",
    description: "Finds, creates, moves, copies, deletes and refreshes assets and folders.",
    ja: "アセットとフォルダを検索、作成、移動、コピー、削除、更新します。",
    parameters:
      '{action!:"find_assets"|"get_asset_info"|"create_folder"|"delete_asset"|"move_asset"|"copy_asset"|"refresh"|"save", filter:string, searchInFolders:[string], assetPath:string, folderPath:string, fromPath:string, toPath:string}',
  },
  {
    name: "analyze_asset_dependencies",
    category: "asset",
    description: "Reports what an asset depends on, what depends on it, cycles and unused assets.",
    ja: "アセットの依存先、依存元、循環、未使用のアセットを報告します。",
    parameters:
      '{action!:"get_dependencies"|"get_dependents"|"analyze_circular"|"find_unused"|"analyze_size_impact"|"validate_references", assetPath:string, recursive:boolean, includeBuiltIn:boolean}',
  },
  {
    name: "manage_asset_import_settings",
    category: "asset",
    description: "Reads or changes an asset's import settings, applies a preset, or reimports it.",
    ja: "アセットのインポート設定を読むか変更し、プリセットの適用または再インポートをします。",
    parameters: '{action!:"get"|"modify"|"apply_preset"|"reimport", assetPath!:string, settings:object, preset:string}',
  },
  {
    name: "create_material",
    category: "asset",
    description: "Creates a material asset with a shader and property values.",
    ja: "シェーダーとプロパティの値を指定して、マテリアルのアセットを作成します。",
    parameters: "{materialPath!:string, shader:string, properties:object, copyFrom:string, overwrite:boolean}",
  },
  {
    name: "modify_material",
    category: "asset",
    description: "Changes the shader or the property values of a material asset.",
    ja: "マテリアルのアセットのシェーダーまたはプロパティの値を変更します。",
    parameters: "{materialPath!:string, properties!:object, shader:string}",
  },
  {
    name: "create_prefab",
    category: "asset",
    description: "Saves a GameObject of the scene as a prefab asset.",
    ja: "シーンの GameObject をプレハブのアセットとして保存します。",
    parameters: "{gameObjectPath:string, prefabPath!:string, createFromTemplate:boolean, overwrite:boolean}",
  },
  {
    name: "exit_prefab_mode",
    category: "asset",
    description: "Closes the prefab that is open for editing, with or without saving it.",
    ja: "編集中のプレハブを、保存して、または保存せずに閉じます。",
    parameters: "{saveChanges:boolean}",
  },
  {
    name: "instantiate_prefab",
    category: "asset",
    description: "Places an instance of a prefab in the open scene.",
    ja: "開いているシーンにプレハブのインスタンスを配置します。",
    parameters:
      "{prefabPath!:string, position:{x:number, y:number, z:number}, rotation:{x:number, y:number, z:number}, parent:string, name:string}",
  },
  {
    name: "modify_prefab",
    category: "asset",
    description: "Changes values of a prefab asset, and of its instances on request.",
    ja: "プレハブのアセットの値を変更します。指定すればそのインスタンスも変更します。",
    parameters: "{prefabPath!:string, modifications!:object, applyToInstances:boolean}",
  },
  {
    name: "open_prefab",
    category: "asset",
    description: "Opens a prefab asset for editing in isolation.",
    ja: "プレハブのアセットを単独の編集用に開きます。",
    parameters: "{prefabPath!:string, focusObject:string, isolateObject:boolean}",
  },
  {
    name: "save_prefab",
    category: "asset",
    description: "Saves the open prefab, or the overrides of an instance to its prefab.",
    ja: "開いているプレハブ、またはインスタンスのオーバーライドをプレハブに保存します。",
    parameters: "{gameObjectPath:string, includeChildren:boolean}",
  },
  {
    name: "package_manager",
    category: "package",
    description: "Searches, lists, installs and removes packages of the Unity Package Manager.",
    ja: "Unity Package Manager のパッケージを検索、一覧、インストール、削除します。",
    parameters:
      '{action!:"search"|"list"|"install"|"remove"|"info"|"recommend", keyword:string, packageId:string, packageName:string, version:string, category:"essential"|"rendering"|"tools"|"networking"|"mobile", includeBuiltIn:boolean, limit:number}',
  },
  {
    name: "registry_config",
    category: "package",
    description: "Reads and changes scoped registries, such as OpenUPM.",
    ja: "OpenUPM などのスコープ付きレジストリを読むか変更します。",
    parameters:
      '{action!:"list"|"add_openupm"|"add_nuget"|"remove"|"add_scope"|"recommend", registryName:string, scope:string, scopes:[string], autoAddPopular:boolean, registry:"openupm"|"nuget"}',
  },
  {
    name: "get_project_settings",
    category: "settings",
    description: "Reads the project's settings, by section.",
    ja: "プロジェクトの設定を区分ごとに読みます。",
    parameters:
      "{includePlayer:boolean, includeGraphics:boolean, includeQuality:boolean, includePhysics:boolean, includePhysics2D:boolean, includeAudio:boolean, includeTime:boolean, includeInputManager:boolean, includeEditor:boolean, includeBuild:boolean, includeTags:boolean}",
  },
  {
    name: "update_project_settings",
    category: "settings",
    description: "Changes settings of the project; `confirmChanges` must be true.",
    ja: "プロジェクトの設定を変更します。`confirmChanges` は true でなければなりません。",
    parameters:
      '{confirmChanges!:boolean, player:{companyName:string, productName:string, version:string, defaultScreenWidth:number, defaultScreenHeight:number, runInBackground:boolean}, graphics:{colorSpace:"Gamma"|"Linear"}, physics:{gravity:{x:number, y:number, z:number}, defaultSolverIterations:number, defaultSolverVelocityIterations:number, bounceThreshold:number, sleepThreshold:number, defaultContactOffset:number}, physics2D:{gravity:{x:number, y:number}, velocityIterations:number, positionIterations:number, velocityThreshold:number}, audio:{globalVolume:number}, time:{fixedDeltaTime:number, timeScale:number, maximumDeltaTime:number}, quality:{currentLevel:string, vSyncCount:number, antiAliasing:0|2|4|8, shadowDistance:number}}',
  },
]
