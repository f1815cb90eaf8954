import { putAt, valueAt } from '../../../base/json/paths.ts'
import type { Field } from './fields.ts'
import type { Fault, Typed } from './form.ts'

/** A form's input as a request body, and the faults for missing answers. */
export interface Answers {
  readonly body: Record<string, unknown>
  readonly faults: readonly Fault[]
}

/**
 * Converts the input of a form to a request body. A secret that is already `known` may be left empty. Pure.
 */
export function readAnswers(
  fields: readonly Field[],
  typed: Typed,
  known: ReadonlyMap<string, string>,
): Answers {
  const body: Record<string, unknown> = {}
  const faults: Fault[] = []
  for (const field of fields) {
    const value = readAnswer(field, typed.get(field.name) ?? [])
    if (value !== undefined) putAt(body, field.name.split('.'), value)
    else if (!field.isOptional && !(field.kind === 'secret' && known.has(field.name)))
      faults.push({ field: field.name, message: emptyMessage(field) })
  }
  return { body, faults }
}

function readAnswer({ kind }: Field, given: readonly string[]): unknown {
  const texts = given.map((text) => text.trim()).filter((text) => text !== '')
  const [first] = texts
  if (first === undefined) return undefined
  if (kind === 'choices' || kind === 'countries') return [...new Set(texts)]
  // Input that is not a number stays a string, so that the schema rejects it with its own message.
  if (kind === 'whole') return /^\d{1,9}$/.test(first) ? Number(first) : first
  return kind === 'prose' ? first.replaceAll('\r\n', '\n') : first
}

const CHOSEN: ReadonlySet<Field['kind']> = new Set(['country', 'countries', 'choice', 'choices'])

function emptyMessage({ label, kind }: Field): string {
  return `Please ${CHOSEN.has(kind) ? 'choose' : 'fill in'}: ${label}`
}

/** The values of a record as form input, without secrets. Pure. */
export function toTyped(fields: readonly Field[], record: unknown): Typed {
  return new Map(
    fields
      .filter(({ kind }) => kind !== 'secret')
      .map(({ name }) => [name, toStrings(valueAt(record, name))] as const),
  )
}

function toStrings(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

/** Replaces field names in messages with the labels that people see. Pure. */
export function withLabels(faults: readonly Fault[], fields: readonly Field[]): readonly Fault[] {
  return faults.map(({ field, message }) => {
    const found = fields.find(({ name }) => field === name || field.startsWith(`${name}.`))
    if (!found || !message.startsWith(`${field} `)) return { field, message }
    return { field, message: found.label + message.slice(field.length) }
  })
}
