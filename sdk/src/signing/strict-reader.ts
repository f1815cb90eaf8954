import { isObject } from '../json/json.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'

const numberOf = (digits: string) => Number.parseInt(digits, 36)

/**
 * The nodes of `generated/signing.ts`, one per line, with words separated by commas. A field without a number
 * has the first node, and one with a single allowed value has that value. Patterns match the whole string,
 * numbers are in base 36.
 */
export function nodesOf(text: string): readonly unknown[] {
  const lines = text.split('\n')
  const words: unknown[] = []
  const memberOf = (member: string): [string, number] => {
    const [name = '', word] = member.split('=')
    if (word !== undefined) return [name, lines.length - 1 + words.push(['=', word])]
    const [plainName = '', at = '0'] = name.split(':')
    return [plainName, numberOf(at)]
  }
  const nodes = lines.map((line) => {
    const [kind, rest] = [line.charAt(0), line.slice(1)]
    const [first = '', ...others] = rest.split(',')
    if (kind === '=') return [kind, first, ...others]
    if (kind === '/') return [kind, `^${rest}$`]
    if (kind === '[') return [kind, numberOf(rest)]
    if (kind === '|') return [kind, first, ...others.map(numberOf)]
    return kind === '{' ? Object.fromEntries([first, ...others].map(memberOf)) : line
  })
  return [...nodes, ...words]
}

/**
 * The value that a node of `generated/signing.ts` describes, with integers of 64 bits as `bigint`. Stricter
 * than the decoding of responses: an unknown field throws PayloadMismatchError, because nobody would see it.
 *
 * A node is a type, a list or an object:
 * - `['=', …]`: one of these words; `['/', pattern]`: a string of this form; `['[', node]`: a list.
 * - `['|', tag, …]`: one of these nodes, chosen by its tag or else by its type.
 * - An object has the node of each field, whose name ends in `?` if it is optional.
 */
export function readStrictly(nodes: readonly unknown[], at: number, value: unknown, member: string): unknown {
  const node = nodes[at]
  if (isObject(node)) return object(nodes, node, value, member)
  if (!Array.isArray(node)) return readPlain(String(node), value, member)
  const [kind, first, ...rest] = node
  if (kind === '=') {
    if (![first, ...rest].includes(value))
      throw new PayloadMismatchError(member, `is not one of ${[first, ...rest]}`)
    return value
  }
  if (kind === '/') {
    if (!new RegExp(first, 'u').test(String(readPlain('string', value, member))))
      throw new PayloadMismatchError(member, 'does not have the right form')
    return value
  }
  if (kind === '[') {
    if (!Array.isArray(value)) throw new PayloadMismatchError(member, 'is not of type array')
    return value.map((item, i) => readStrictly(nodes, first, item, `${member}.${i}`))
  }
  const found = rest.find((one: number) =>
    first === '' ? isOf(nodes[one], value) : isTagged(nodes, one, first, value),
  )
  if (found === undefined) throw new PayloadMismatchError(member, 'is of an unknown kind')
  return readStrictly(nodes, found, value, member)
}

function object(
  nodes: readonly unknown[],
  members: Readonly<Record<string, unknown>>,
  value: unknown,
  member: string,
): Record<string, unknown> {
  if (!isObject(value)) throw new PayloadMismatchError(member, 'is not of type object')
  const joinPath = (name: string) => (member === '' ? name : `${member}.${name}`)
  for (const name of Object.keys(members))
    if (!name.endsWith('?') && !Object.hasOwn(value, name))
      throw new PayloadMismatchError(joinPath(name), 'is missing')
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const known = nodeOf(members, name)
      if (known === undefined) throw new PayloadMismatchError(joinPath(name), 'is unknown')
      return [name, readStrictly(nodes, known, item, joinPath(name))]
    }),
  )
}

/** The node of a field. The payload itself never has a name that ends in `?`. */
function nodeOf(members: unknown, name: string): number | undefined {
  if (name.endsWith('?') || !isObject(members)) return undefined
  const key = [name, `${name}?`].find((one) => Object.hasOwn(members, one))
  return key === undefined ? undefined : Number(members[key])
}

function readPlain(type: string, value: unknown, member: string): unknown {
  if (type === 'int64') return int64(value, member)
  if (!isOf(type, value)) throw new PayloadMismatchError(member, `is not of type ${type}`)
  return value
}

function int64(value: unknown, member: string): bigint {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    const integer = BigInt(value)
    if (integer === BigInt.asIntN(64, integer)) return integer
  }
  throw new PayloadMismatchError(member, 'is not an integer of 64 bits')
}

/** True if a value has the tag of this union member. */
function isTagged(nodes: readonly unknown[], at: number, tag: string, value: unknown): boolean {
  if (!isObject(value) || !Object.hasOwn(value, tag)) return false
  const words = nodes[nodeOf(nodes[at], tag) ?? -1]
  return Array.isArray(words) && words[0] === '=' && words.slice(1).includes(value[tag])
}

function isOf(node: unknown, value: unknown): boolean {
  if (isObject(node)) return isObject(value)
  if (Array.isArray(node)) return node[0] === '[' ? Array.isArray(value) : typeof value === 'string'
  if (node === 'int64' || node === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  return node === typeof value
}
