import { isObject, type JsonSchema as Schema } from '@countersign/contract/core/decode'
import {
  alternatives,
  getSensitivity,
  type Sensitivity,
  typesOf,
} from '@countersign/contract/core/sensitivity'

/**
 * Masks values according to their schemas. Unknown properties are masked too, because a rejected body may
 * contain anything under any name.
 */

export const MASKED = '***'

/**
 * Logs mask everything not marked as plain. The audit trail masks only secrets, because it is erased together
 * with the person's data.
 */
export type Mask = 'logs' | 'trail'

/** Returns a value with its masked parts replaced by `***`. `onMasked` is called with each replaced value. */
export function maskValue(
  schema: Schema | undefined,
  value: unknown,
  mask: Mask,
  onMasked: (value: unknown) => void = () => {},
): unknown {
  return maskBySchemas(schema ? [schema] : [], value, { mask, onMasked })
}

interface Masking {
  readonly mask: Mask
  readonly onMasked: (value: unknown) => void
}

/**
 * `schemas` are the alternatives that the value may have, several in a union. It is masked if any of them
 * masks it.
 */
function maskBySchemas(schemas: readonly Schema[], value: unknown, masking: Masking): unknown {
  if (value === null || value === undefined) return value
  const concreteSchemas = withoutUnions(schemas, value)
  const { isHiddenIn, isPlain, items, members } = findRule(concreteSchemas)
  if (isHiddenIn[masking.mask]) return hide(value, masking)
  if (isPlain)
    return masking.mask === 'trail' || concreteSchemas.some((schema) => matchesSchema(schema, value))
      ? value
      : hide(value, masking)
  if (Array.isArray(value)) return value.map((item) => maskBySchemas(items, item, masking))
  if (!isObject(value)) return hide(value, masking)
  const masked: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const member = members.get(name) ?? NO_SCHEMAS
    masked[member.length > 0 ? name : maskName(name)] = maskBySchemas(member, value[name], masking)
  }
  return masked
}

function hide(value: unknown, { onMasked }: Masking): string {
  onMasked(value)
  return MASKED
}

const NO_SCHEMAS: readonly Schema[] = []

function withoutUnions(schemas: readonly Schema[], value: unknown): readonly Schema[] {
  const isSimple = schemas.every(({ oneOf, anyOf }) => !oneOf && !anyOf)
  return isSimple ? schemas : schemas.flatMap((schema) => alternatives(schema, value))
}

/** The masking rule for values with certain schemas. */
interface Rule {
  readonly isHiddenIn: Readonly<Record<Mask, boolean>>
  readonly isPlain: boolean
  readonly items: readonly Schema[]
  /** The schemas of each property. */
  readonly members: ReadonlyMap<string, readonly Schema[]>
}

/** Rules of single schemas, cached because every logged body needs the rules of all its values. */
const RULES = new WeakMap<Schema, Rule>()

function findRule(schemas: readonly Schema[]): Rule {
  const [only] = schemas
  if (!only || schemas.length > 1) return makeRule(schemas)
  const rule = RULES.get(only) ?? makeRule(schemas)
  RULES.set(only, rule)
  return rule
}

function makeRule(schemas: readonly Schema[]): Rule {
  const sensitivities = schemas.map(getSensitivity)
  const isHiddenIn = (mask: Mask) =>
    schemas.length === 0 || sensitivities.some((sensitivity) => isHidden(sensitivity, mask))
  const members = new Map<string, Schema[]>()
  for (const { properties = {} } of schemas)
    for (const [name, member] of Object.entries(properties))
      members.set(name, [...(members.get(name) ?? []), member])
  return {
    isHiddenIn: { logs: isHiddenIn('logs'), trail: isHiddenIn('trail') },
    isPlain: sensitivities.some((sensitivity) => sensitivity !== undefined),
    items: schemas.flatMap(({ items }) => items ?? []),
    members,
  }
}

function isHidden(sensitivity: Sensitivity | undefined, mask: Mask): boolean {
  return sensitivity === 'secret' || (sensitivity === 'personal' && mask === 'logs')
}

/**
 * True if a plain value matches its schema. A number in place of a fixed word, for example, could be personal
 * data.
 */
function matchesSchema(schema: Schema, value: unknown): boolean {
  const types = typesOf(schema)
  if (isObject(value) || Array.isArray(value)) return types.includes('object') || types.includes('array')
  if (typeof value === 'boolean') return types.includes('boolean')
  if (typeof value === 'number' || typeof value === 'bigint')
    return types.includes('integer') || types.includes('number')
  if (typeof value !== 'string' || !types.includes('string')) return false
  if (schema.enum) return schema.enum.includes(value)
  if (schema.format === 'date-time') return TIME.test(value)
  if (schema.format === 'date') return DATE.test(value)
  return schema.pattern === undefined || getRegex(schema.pattern).test(value)
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i
const DATE = /^\d{4}-\d{2}-\d{2}$/

const REGEXES = new Map<string, RegExp>()

function getRegex(pattern: string): RegExp {
  const regex = REGEXES.get(pattern) ?? new RegExp(pattern, 'u')
  REGEXES.set(pattern, regex)
  return regex
}

const LIKE_A_NAME = /^[A-Za-z][A-Za-z_]{0,63}$/

/** Masks the name of an unknown property, which could also contain anything. */
function maskName(name: string): string {
  return LIKE_A_NAME.test(name) ? name : MASKED
}

/** A query as sent, with the values that logs mask replaced by `***`. */
export function maskQuery(
  schema: Schema | undefined,
  query: string,
  onMasked: (value: unknown) => void = () => {},
): string {
  const masking: Masking = { mask: 'logs', onMasked }
  const pairs = query.split('&').map((pair) => {
    const [sentName = '', ...sent] = pair.split('=')
    const name = decodeQueryText(sentName)
    const value = decodeQueryText(sent.join('='))
    const member =
      schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    const masked = member
      ? maskBySchemas([toTextSchema(member)], value, masking)
      : maskBySchemas([], value, masking)
    if (sent.length === 0) return member ? sentName : maskName(name)
    return `${member ? sentName : maskName(name)}=${masked === value ? sent.join('=') : MASKED}`
  })
  return pairs.join('&')
}

/** A schema of a query whose numbers and words are sent as strings, and whose lists as their items. */
function toTextSchema(schema: Schema): Schema {
  if (schema.items) return toTextSchema(schema.items)
  const types = typesOf(schema)
  if (types.includes('boolean')) return { type: 'string', enum: ['true', 'false'] }
  if (!types.includes('integer') && !types.includes('number')) return schema
  return { type: 'string', pattern: '^-?[0-9]{1,19}$', sensitivity: 'plain' }
}

function decodeQueryText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** The path of a call, or its pattern if the path contains values that logs mask. */
export function maskPath(
  schema: Schema | undefined,
  { path, pattern, params }: { path: string; pattern: string; params: Readonly<Record<string, string>> },
): string {
  const isShown = Object.entries(params).every(([name, value]) => {
    const member =
      schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    return member !== undefined && !isHidden(getSensitivity(member), 'logs') && LIKE_AN_ID.test(value)
  })
  return isShown ? path : pattern
}

const LIKE_AN_ID = /^[A-Za-z][\w.:-]{0,127}$|^[0-9a-f]{8}-[0-9a-f-]{27}$/

const MAY_HOLD = new WeakMap<Schema, RegExp>()

/**
 * True if JSON with this schema may contain values that logs mask. A name with an escape sequence could be
 * any name.
 */
export function canContainMasked(schema: Schema, json: string): boolean {
  let regex = MAY_HOLD.get(schema)
  if (!regex) {
    const names = new Set<string>()
    collectHidden(schema, names)
    regex = names.has('') ? /^/ : new RegExp(`\\\\u${[...names].map((name) => `|"${name}"\\s*:`).join('')}`)
    MAY_HOLD.set(schema, regex)
  }
  return regex.test(json)
}

/** Collects the names of masked properties. An empty name stands for the value itself. */
function collectHidden(schema: Schema, names: Set<string>, name = ''): void {
  const { properties = {}, items, oneOf = [], anyOf = [] } = schema
  if (isHidden(getSensitivity(schema), 'logs')) {
    names.add(name)
    return
  }
  if (items) collectHidden(items, names, name)
  for (const alternative of [...oneOf, ...anyOf]) collectHidden(alternative, names, name)
  for (const [member, inner] of Object.entries(properties)) collectHidden(inner, names, member)
}
