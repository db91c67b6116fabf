/**
 * The tools on a project's scripts, which Unity does not have: they work on its files.
 */
import * as CSharp from "./CSharp.ts"
import { createClass, editSnippet, editStructured } from "./EditScripts.ts"
import { findReferences } from "./FindReferences.ts"
import { indexBuild, indexStatus, indexUpdate, symbolFind, symbolsGet } from "./FindSymbols.ts"
import { listPackages, readScript, searchScripts } from "./ReadScripts.ts"
import { removeSymbol, renameSymbol } from "./RefactorSymbols.ts"
import { type Run, runs } from "./ScriptProject.ts"

/**
 * The tools by their names, with indexes of their own. Their arguments are valid by their schemas.
 *
 * @param open opens what parses and matches, for each call
 */
export const make = (open = CSharp.open): Readonly<Record<string, Run>> => {
  const { reading, writing } = runs(open)
  return {
    code_index_build: reading(indexBuild),
    code_index_status: reading(indexStatus),
    code_index_update: reading(indexUpdate),
    script_create_class: writing(createClass),
    script_edit_snippet: writing(editSnippet),
    script_edit_structured: writing(editStructured),
    script_packages_list: reading(listPackages),
    script_read: reading(readScript),
    script_refactor_rename: writing(renameSymbol),
    script_refs_find: reading(findReferences),
    script_remove_symbol: writing(removeSymbol),
    script_search: reading(searchScripts),
    script_symbol_find: reading(symbolFind),
    script_symbols_get: reading(symbolsGet),
  }
}

/** The tools of this process. */
export const ScriptTools: Readonly<Record<string, Run>> = make()
