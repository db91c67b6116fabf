/**
 * Questions of agents and of their MCP servers, within the bounds of `McpQuestion`.
 */

import { clip } from "@zain/command/Clip"
import type { McpApprovalReply, McpApprovalRequest, McpQuestion } from "@zain/core/McpApproval"
import { isRecord } from "@zain/process/JsonRpc"
import * as Context from "effect/Context"
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "./JsonMember.ts"

/** Whether the caller's client answers questions, so that an agent may offer them to its model. */
export const Answers = Context.Reference<boolean>("Questions/Answers", { defaultValue: () => false })

/** A question as its asker wrote it. */
export interface Draft extends Omit<McpQuestion, "header" | "id" | "options"> {
  readonly id?: string | undefined
  readonly header?: string | undefined
  readonly options: ReadonlyArray<{ readonly label: string; readonly description?: string | undefined }>
}

/** A request with questions. */
export type Asked = McpApprovalRequest & Required<Pick<McpApprovalRequest, "questions">>

const [maxQuestions, maxOptions, maxLabelLength] = [16, 64, 256]

/** How much of the first question the request's message has, in characters. */
const maxMessageLength = 500

/**
 * The request for the client; `undefined` without a question, and with more of them or of their options than it can have.
 *
 * @param who the asker, for people
 */
export const make = (who: string, drafts: ReadonlyArray<Draft>, message = drafts[0]?.text ?? ""): Asked | undefined => {
  const isTooLong = ({ options }: Draft) =>
    options.length > maxOptions || options.some(({ label }) => label === "" || label.length > maxLabelLength)
  if (drafts.length === 0 || drafts.length > maxQuestions || drafts.some(isTooLong)) return undefined
  const ids = new Set<string>()
  const questions = drafts.map(
    ({ header, id = "", isClosed, isMultiple, isSecret, options, text }, at): McpQuestion => {
      const own = /^[a-z][\w-]{0,63}$/i.test(id) && !ids.has(id) ? id : `${at + 1}`
      ids.add(own)
      return {
        id: own,
        ...(header === undefined ? {} : { header: clip(header, 256) }),
        text: clip(text, 4_096),
        options: options.map(({ description, label }) => ({
          label,
          ...(description === undefined ? {} : { description: clip(description, 1_024) }),
        })),
        ...(isMultiple === true ? { isMultiple } : {}),
        ...(isClosed === true ? { isClosed } : {}),
        ...(isSecret === true ? { isSecret } : {}),
      }
    },
  )
  return {
    kind: "question",
    message: `${clip(who, maxLabelLength)} asks: ${clip(message, maxMessageLength)}`,
    questions,
  }
}

/** The options that an agent lists with a question. */
export const optionsOf = (question: JsonObject): Draft["options"] =>
  recordsOf(question, "options").map((option) => ({
    label: textOf(option, "label") ?? "",
    description: textOf(option, "description"),
  }))

/** The answers in the order of the questions, none for one without; `undefined` if the questions are not answered. */
export const answersTo = (
  { questions }: Asked,
  decision: McpApprovalReply,
): ReadonlyArray<ReadonlyArray<string>> | undefined => {
  if (decision._tag !== "Answer") return undefined
  const { answers } = decision
  return questions.map(({ id }) => (Object.hasOwn(answers, id) ? (answers[id] ?? []) : []))
}

/** The form of an MCP server. */
export interface Form {
  readonly request: Asked
  /** The response to the server. */
  readonly answer: (decision: McpApprovalReply) => {
    readonly action: "accept" | "decline"
    readonly content?: JsonObject
  }
}

/** A field of a form. `read`: its value, `undefined` if the answers are not valid. */
interface Field {
  readonly draft: Omit<Draft, "text"> & { readonly text?: string | undefined }
  readonly read: (answers: ReadonlyArray<string>) => unknown
}

/**
 * Reads an elicitation of mode `form`; `undefined` for one that cannot be asked.
 *
 * @param server the name of the MCP server
 * @see Model Context Protocol 2025-11-25, elicitation
 */
export const form = (server: string, message: string, schema: JsonObject): Form | undefined => {
  const properties = Object.entries(recordOf(schema, "properties"))
  const required = textsOf(schema, "required")
  const fields = properties.map(([name, property]) => fieldOf(name, isRecord(property) ? property : {}))
  const known = fields.filter((field) => field !== undefined)
  if (known.length < fields.length) return undefined
  const asked = known.length === 0 ? [consent] : known
  const drafts = asked.map(({ draft }) => ({
    ...draft,
    text: draft.text ?? (asked.length === 1 ? message : (draft.header ?? "")),
  }))
  const request = make(`The MCP server ${JSON.stringify(server)}`, drafts, message)
  if (request === undefined) return undefined
  return {
    request,
    answer: (decision) => {
      const answers = answersTo(request, decision)
      if (answers === undefined) return declined
      const values = asked.map(({ read }, at) => (answers[at]?.length ? read(answers[at]) : absent))
      const isMissing = values.some((value, at) => value === absent && isRequired(properties[at]?.[0], required))
      if (isMissing || values.includes(undefined)) return declined
      const content = properties.flatMap(([name], at) => (values[at] === absent ? [] : [[name, values[at]] as const]))
      return { action: "accept", content: Object.fromEntries(content) }
    },
  }
}

const declined = { action: "decline" } as const
const absent = Symbol("absent")

/** The question of a form without fields is required. */
const isRequired = (name: string | undefined, required: ReadonlyArray<string>): boolean =>
  name === undefined || required.includes(name)

interface Choice {
  readonly label: string
  readonly value: unknown
}

const yesOrNo: ReadonlyArray<Choice> = [
  { label: "Yes", value: true },
  { label: "No", value: false },
]

/** A form without fields asks for consent alone. */
const consent: Field = {
  draft: { options: [{ label: "Accept" }, { label: "Decline" }], isClosed: true },
  read: ([answer]) => (answer === "Accept" ? true : undefined),
}

const fieldOf = (name: string, property: JsonObject): Field | undefined => {
  const text = textOf(property, "description")
  const about = { id: name, header: textOf(property, "title") ?? name, ...(text === undefined ? {} : { text }) }
  const closed = (choices: ReadonlyArray<Choice>, isMultiple = false): Field | undefined =>
    choices.length === 0
      ? undefined
      : {
          draft: { ...about, options: choices.map(({ label }) => ({ label })), isClosed: true, isMultiple },
          read: (answers) => {
            const chosen = answers.map((answer) => choices.find(({ label, value }) => [label, value].includes(answer)))
            const values = chosen.map((choice) => choice?.value)
            return values.includes(undefined) || (!isMultiple && values.length > 1)
              ? undefined
              : isMultiple
                ? values
                : values[0]
          },
        }
  const open = (value: (answer: string) => unknown): Field => ({
    draft: { ...about, options: [], isSecret: textOf(property, "format") === "password" },
    read: ([answer = "", ...others]) => (others.length > 0 ? undefined : value(answer)),
  })
  switch (property["type"]) {
    case "string":
      return closed(choicesOf(property)) ?? open((answer) => answer)
    case "boolean":
      return closed(yesOrNo)
    case "number":
    case "integer":
      return open((answer) => {
        const value = answer.trim() === "" ? Number.NaN : Number(answer)
        return (property["type"] === "integer" ? Number.isSafeInteger : Number.isFinite)(value) ? value : undefined
      })
    case "array":
      return closed(choicesOf(recordOf(property, "items")), true)
    default:
      return undefined
  }
}

/** The values of a field: with titles, or with names in the older `enumNames`. */
const choicesOf = (property: JsonObject): ReadonlyArray<Choice> => {
  const titled = [...recordsOf(property, "oneOf"), ...recordsOf(property, "anyOf")]
  if (titled.length > 0) {
    return titled.map((one) => {
      const value = textOf(one, "const") ?? ""
      return { label: textOf(one, "title") ?? value, value }
    })
  }
  const names = textsOf(property, "enumNames")
  return textsOf(property, "enum").map((value, at) => ({ label: names[at] ?? value, value }))
}
