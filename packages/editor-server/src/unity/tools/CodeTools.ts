/** Tools on C# files, which work without Unity. */
import type { Row } from "../ToolNotation.ts"

export const codeTools: ReadonlyArray<Row> = [
  {
    name: "code_index_build",
    category: "script",
    description: "Builds the index of the project's C# symbols, which symbol searches read.",
    ja: "プロジェクトの C# シンボルの索引を作ります。シンボルの検索がこれを読みます。",
    parameters: "{throttleMs:number, retry:number}",
  },
  {
    name: "code_index_status",
    category: "script",
    description: "Reports whether the index of C# symbols is built, and how much it holds.",
    ja: "C# シンボルの索引があるかどうかと、その内容の量を報告します。",
    parameters: "{}",
  },
  {
    name: "code_index_update",
    category: "script",
    description: "Reads some C# files again into the index of symbols after they changed.",
    ja: "変更された C# ファイルを、シンボルの索引に読み込み直します。",
    parameters: "{paths!:[string], retry:number, concurrency:number}",
  },
  {
    name: "script_create_class",
    category: "script",
    description: "Creates a C# class file below Assets or an embedded package.",
    ja: "Assets または埋め込みパッケージの下に C# クラスのファイルを作成します。",
    parameters:
      "{path!:string, className!:string, namespace:string, baseType:string, usings:string, partial:boolean, apply:boolean}",
  },
  {
    name: "script_edit_snippet",
    category: "script",
    description: "Replaces, inserts or deletes pieces of a C# file, found by exact text.",
    ja: "C# ファイルの一部を、正確な文字列で探して置換、挿入、削除します。",
    parameters:
      '{path!:string, preview:boolean, instructions!:[{operation!:"delete"|"replace"|"insert", anchor!:{type!:"text", target!:text, position:"before"|"after"}, newText:text}]}',
  },
  {
    name: "script_edit_structured",
    category: "script",
    description: "Inserts code before or after a C# symbol, or replaces its body.",
    ja: "C# シンボルの前後にコードを挿入するか、本体を置き換えます。",
    parameters:
      '{operation!:"insert_before"|"insert_after"|"replace_body", path!:string, symbolName!:string, kind:string, newText:text, preview:boolean}',
  },
  {
    name: "script_packages_list",
    category: "script",
    description: "Lists the project's packages, with versions and where they are.",
    ja: "プロジェクトのパッケージを、バージョンと場所とともに一覧します。",
    parameters: "{includeBuiltIn:boolean}",
  },
  {
    name: "script_read",
    category: "script",
    description: "Reads lines of a file of the project, as text with line numbers.",
    ja: "プロジェクトのファイルの行を、行番号付きの文字列で読みます。",
    parameters: "{path!:string, startLine:number, endLine:number, maxBytes:number}",
  },
  {
    name: "script_refactor_rename",
    category: "script",
    description: "Renames a C# symbol in all files of the project, by syntax; a preview first.",
    ja: "プロジェクトの全ファイルで C# シンボルの名前を構文によって変えます。先にプレビューします。",
    parameters: "{relative!:string, namePath!:string, newName!:string, preview:boolean}",
  },
  {
    name: "script_refs_find",
    category: "script",
    description: "Finds the uses of a C# symbol by name, by syntax.",
    ja: "C# シンボルの使用箇所を、名前と構文によって探します。",
    parameters:
      '{name!:string, scope:"assets"|"packages"|"embedded"|"all", snippetContext:number, maxMatchesPerFile:number, pageSize:number, maxBytes:number, container:string, namespace:string, path:string, kind:string}',
  },
  {
    name: "script_remove_symbol",
    category: "script",
    description: "Removes a C# symbol, unless something refers to it.",
    ja: "参照するものがなければ、C# シンボルを削除します。",
    parameters: "{path!:string, namePath!:string, apply:boolean, failOnReferences:boolean, removeEmptyFile:boolean}",
  },
  {
    name: "script_search",
    category: "script",
    description: "Searches the project's C# files for text, a regular expression or a glob.",
    ja: "プロジェクトの C# ファイルを、文字列、正規表現、グロブで検索します。",
    parameters:
      '{pattern:string, patternType:"substring"|"regex"|"glob", flags:[string], scope:"assets"|"packages"|"embedded"|"all", include:string, exclude:string, pageSize:number, maxMatchesPerFile:number, snippetContext:number, maxBytes:number, returnMode:"metadata"|"snippets"|"full", detail:"compact"|"metadata"|"snippets"|"full", startAfter:string, maxFileSizeKB:number, codeOnly:boolean, container:string, namespace:string, identifier:string}',
  },
  {
    name: "script_symbol_find",
    category: "script",
    description: "Finds C# types and members of the project by name.",
    ja: "プロジェクトの C# の型とメンバーを名前で探します。",
    parameters: '{name!:string, kind:string, scope:"assets"|"packages"|"embedded"|"all", exact:boolean}',
  },
  {
    name: "script_symbols_get",
    category: "script",
    description: "Lists the types and members of one C# file, with their lines.",
    ja: "1 つの C# ファイルの型とメンバーを、行とともに一覧します。",
    parameters: "{path!:string}",
  },
]
