import { getValueAt, setValueAt } from '../../../base/json/paths.ts'
import type { Field } from './fields.ts'
import type { Fault, Typed } from './form.ts'

/** A form's input as a request body, with a fault for each missing answer. */
export interface Answers {
  readonly body: Record<string, unknown>
  readonly faults: readonly Fault[]
}

/**
 * Converts the input of a form to a request body. A known secret may be left empty. Pure.
 */
export function readAnswers(
  fields: readonly Field[],
  typed: Typed,
  knownSecrets: ReadonlyMap<string, string>,
): Answers {
  const body: Record<string, unknown> = {}
  const faults: Fault[] = []
  for (const field of fields) {
    const value = readAnswer(field, typed.get(field.name) ?? [])
    if (value !== undefined) setValueAt(body, field.name.split('.'), value)
    else if (!field.isOptional && !(field.kind === 'secret' && knownSecrets.has(field.name)))
      faults.push({ field: field.name, message: formatEmptyMessage(field) })
  }
  return { body, faults }
}

function readAnswer({ kind }: Field, values: readonly string[]): unknown {
  const texts = values.map((text) => text.trim()).filter((text) => text !== '')
  const [first] = texts
  if (first === undefined) return undefined
  if (kind === 'choices' || kind === 'countries') return [...new Set(texts)]
  // Input that is not a number stays a string, so that the schema rejects it with its own message.
  if (kind === 'whole') return /^\d{1,9}$/.test(first) ? Number(first) : first
  return kind === 'prose' ? first.replaceAll('\r\n', '\n') : first
}

const CHOICE_KINDS: ReadonlySet<Field['kind']> = new Set(['country', 'countries', 'choice', 'choices'])

function formatEmptyMessage({ label, kind }: Field): string {
  return `Please ${CHOICE_KINDS.has(kind) ? 'choose' : 'fill in'}: ${label}`
}

/** Converts the values of a record to form input, without secrets. Pure. */
export function toTyped(fields: readonly Field[], record: unknown): Typed {
  return new Map(
    fields
      .filter(({ kind }) => kind !== 'secret')
      .map(({ name }) => [name, toStrings(getValueAt(record, name))] as const),
  )
}

function toStrings(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value.map(String) : [String(value)]
}

/** Replaces field names in messages with the labels that people see. Pure. */
export function replaceNamesWithLabels(faults: readonly Fault[], fields: readonly Field[]): readonly Fault[] {
  return faults.map(({ field, message }) => {
    const matchingField = fields.find(({ name }) => field === name || field.startsWith(`${name}.`))
    if (!matchingField || !message.startsWith(`${field} `)) return { field, message }
    return { field, message: matchingField.label + message.slice(field.length) }
  })
}
