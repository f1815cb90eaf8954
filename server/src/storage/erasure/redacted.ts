import { isObject, type JsonSchema } from '@countersign/contract/core/decode'
import { alternatives, getSensitivity } from '@countersign/contract/core/sensitivity'
import { parseJson, parseJsonObject, toJson } from '../../base/json/json.ts'
import { ERASED_UMA_ADDRESS } from './table-columns.ts'

/**
 * Removes personal data from the JSON of records, such as those in events. The contract marks personal
 * properties, as for logs and the audit trail. Properties without a schema are removed too, and so are new
 * ones.
 */

/** The first characters of an erased record. */
export const ERASED_MARK = '{"isErased":true'

const UMA = /^\$[^@\s]+@\S+$/

/**
 * Removes personal data from a record with this schema, and marks the record as erased. Throws if the string
 * is not a JSON object.
 */
export function redactRecord(text: string, schema: JsonSchema | undefined): string {
  if (text.startsWith(ERASED_MARK)) return text
  const rest = toJson(redactValue(schema ? [schema] : [], parseJson(text)).value).slice('{'.length)
  return ERASED_MARK + (rest === '}' ? rest : `,${rest}`)
}

/** A value without personal data. `isLost` is true if a required part of it was removed or replaced. */
interface Redacted {
  readonly value: unknown
  readonly isLost: boolean
}

/**
 * `schemas` are the alternatives that the value may have, several in a union. It is redacted if any of them
 * marks it as personal.
 */
function redactValue(schemas: readonly JsonSchema[], value: unknown): Redacted {
  const unchanged = { value, isLost: false }
  if (value === null || value === undefined) return unchanged
  const concreteSchemas = schemas.flatMap((schema) => alternatives(schema, value))
  const marks = concreteSchemas.map(getSensitivity)
  const isHidden = marks.some((mark) => mark === 'personal' || mark === 'secret')
  if (isHidden || (concreteSchemas.length === 0 && !isObject(value)))
    return { value: getReplacement(value), isLost: true }
  const isPlain =
    isObject(value) || Array.isArray(value)
      ? marks.every((mark) => mark === 'plain')
      : marks.includes('plain')
  if (isPlain && concreteSchemas.length > 0) return unchanged
  if (Array.isArray(value)) {
    const items = concreteSchemas.flatMap((schema) => schema.items ?? [])
    const redactedItems = value.map((item) => redactValue(items, item))
    return redactedItems.some(({ isLost }) => isLost) ? { value: [], isLost: true } : unchanged
  }
  if (!isObject(value)) return { value: getReplacement(value), isLost: true }
  // The address is permanently visible on a public chain.
  return value.destinationType === 'CHAIN_ADDRESS' ? unchanged : withoutMembers(concreteSchemas, value)
}

/** Removes optional properties in which something was lost. A required list may become empty. */
function withoutMembers(schemas: readonly JsonSchema[], value: Readonly<Record<string, unknown>>): Redacted {
  const members = Object.entries(value).map(([name, inner]) => {
    const ownSchemas = schemas.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
    )
    const isNeeded = ownSchemas.length === 0 || schemas.some(({ required = [] }) => required.includes(name))
    return { name, isNeeded, ...redactValue(ownSchemas, inner) }
  })
  const remaining = members.filter(({ isNeeded, isLost }) => isNeeded || !isLost)
  return {
    value: Object.fromEntries(remaining.map(({ name, value }) => [name, value])),
    isLost: remaining.some(({ isLost, value }) => isLost && !Array.isArray(value)),
  }
}

function getReplacement(value: unknown): unknown {
  if (Array.isArray(value)) return []
  if (isObject(value)) return {}
  if (typeof value !== 'string') return null
  return UMA.test(value) ? ERASED_UMA_ADDRESS : 'erased'
}

/** The side of another customer's payment that names the erased customer. */
export type Side = 'source' | 'destination'

/** Texts by the payer, which the payee also sees. */
const WRITTEN_BY_PAYER: ReadonlySet<string> = new Set(['description', 'remittanceInformation'])

/** Removes personal data about one side of another customer's payment. */
export function redactPaymentSide(text: string, side: Side): string {
  const record = parseJsonObject(text)
  const members = Object.entries(record)
    .filter(([member]) => member !== 'counterpartyInformation')
    .filter(([member]) => side === 'destination' || !WRITTEN_BY_PAYER.has(member))
    .map(([member, value]) => [member, member === side ? withoutUmaAddress(value) : value])
  return toJson(Object.fromEntries(members))
}

function withoutUmaAddress(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('umaAddress' in value)) return value
  return { ...value, umaAddress: ERASED_UMA_ADDRESS }
}

/** Replaces the erased customer's address in another customer's record. */
export function withoutAddress(text: string, umaAddress: string): string {
  return text.replaceAll(toJson(umaAddress), toJson(ERASED_UMA_ADDRESS))
}
