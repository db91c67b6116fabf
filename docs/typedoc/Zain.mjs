/**
 * A plugin for typedoc: it documents every public module of every published library. Modules have the name under which a
 * program imports them, and parameters the names that they were given.
 */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Application, Converter, ParameterReflection, ReflectionFlag, ReflectionKind } from "typedoc"
import { isLibrary, published, typesAt } from "../../scripts/Published.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What each library exports, by its own word. `index` says nothing that the modules do not. */
const libraries = published(root).filter(isLibrary)
const publicModules = libraries.flatMap(({ directory, manifest: { exports = {} } }) =>
  globSync("**/*.ts", { cwd: `${root}${directory}/src` })
    .filter((file) => file !== "index.ts" && typesAt(exports, `./${file.slice(0, -".ts".length)}`) !== undefined)
    .sort()
    .map((file) => `${root}${directory}/src/${file}`),
)

/** @param {import("typedoc").DeclarationReflection} module */
const renamed = (module) => {
  const [, directory, path] = /^(.*?)\/src\/(.*)$/.exec(module.name) ?? []
  if (directory === undefined) throw new Error(`No package holds the module ${module.name}`)
  const { name } = JSON.parse(readFileSync(`${root}${directory}/package.json`, "utf8"))
  module.name = `${name}/${path}`
}

/**
 * What `Effect.fn` makes takes `...args: [first: A, second: B]`, for everybody else `first: A, second: B`.
 *
 * @param {import("typedoc").SignatureReflection} signature
 */
const spread = (signature, project) => {
  const [rest, ...others] = signature.parameters ?? []
  if (others.length > 0 || rest?.type?.type !== "tuple" || !rest.flags.isRest) return
  const { elements } = rest.type
  project.removeReflection(rest)
  signature.parameters = elements.map((each) => {
    // What is taken apart at once has no name of its own.
    const { element, isOptional, name } =
      each.type === "namedTupleMember"
        ? each
        : { element: each.elementType ?? each, isOptional: each.type === "optional", name: "options" }
    const parameter = new ParameterReflection(name, ReflectionKind.Parameter, signature)
    parameter.type = element
    parameter.setFlag(ReflectionFlag.Optional, isOptional)
    project.registerReflection(parameter, undefined, undefined)
    return parameter
  })
}

/** @param {import("typedoc").Application} app */
export const load = (app) => {
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue("entryPoints", publicModules)
    app.options.setValue(
      "packagesRequiringDocumentation",
      libraries.map(({ manifest }) => manifest.name),
    )
  })
  app.converter.on(
    Converter.EVENT_RESOLVE_BEGIN,
    ({ project }) => {
      for (const module of project.children ?? []) renamed(module)
      for (const signature of project.getReflectionsByKind(ReflectionKind.CallSignature)) spread(signature, project)
    },
    // Before comments are given to the parameters that they are about.
    1_000,
  )
}
