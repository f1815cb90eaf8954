import { isObject } from '../json/json.ts'
import { PayloadMismatchError } from './payload-mismatch.ts'

const parseBase36 = (digits: string) => Number.parseInt(digits, 36)

/**
 * Parses the nodes of `generated/signing.ts`: one per line, with items separated by commas. A field without a
 * number refers to the first node; a field with `=` has a single allowed value. Patterns match the whole
 * string; numbers are in base 36.
 */
export function parseNodes(text: string): readonly unknown[] {
  const lines = text.split('\n')
  const singleValues: unknown[] = []
  const parseField = (member: string): [string, number] => {
    const [name = '', word] = member.split('=')
    if (word !== undefined) return [name, lines.length - 1 + singleValues.push(['=', word])]
    const [plainName = '', at = '0'] = name.split(':')
    return [plainName, parseBase36(at)]
  }
  const nodes = lines.map((line) => {
    const [kind, rest] = [line.charAt(0), line.slice(1)]
    const [first = '', ...others] = rest.split(',')
    if (kind === '=') return [kind, first, ...others]
    if (kind === '/') return [kind, `^${rest}$`]
    if (kind === '[') return [kind, parseBase36(rest)]
    if (kind === '|') return [kind, first, ...others.map(parseBase36)]
    return kind === '{' ? Object.fromEntries([first, ...others].map(parseField)) : line
  })
  return [...nodes, ...singleValues]
}

/**
 * Reads a value as a node of `generated/signing.ts` describes it, with 64-bit integers as `bigint`. Stricter
 * than the decoding of responses: an unknown field throws PayloadMismatchError, because it would be signed
 * without being shown.
 *
 * A node is a type name, an array or an object:
 * - `['=', …]`: one of these strings; `['/', pattern]`: a string that matches; `['[', node]`: a list.
 * - `['|', tag, …]`: one of these nodes, selected by the tag, or by the type if the tag is empty.
 * - An object maps each field, whose name ends in `?` if it is optional, to its node.
 */
export function readStrictly(nodes: readonly unknown[], at: number, value: unknown, member: string): unknown {
  const node = nodes[at]
  if (isObject(node)) return readObject(nodes, node, value, member)
  if (!Array.isArray(node)) return readPlain(String(node), value, member)
  const [kind, first, ...rest] = node
  if (kind === '=') {
    if (![first, ...rest].includes(value))
      throw new PayloadMismatchError(member, `is not one of ${[first, ...rest]}`)
    return value
  }
  if (kind === '/') {
    if (!new RegExp(first, 'u').test(String(readPlain('string', value, member))))
      throw new PayloadMismatchError(member, 'does not have the expected format')
    return value
  }
  if (kind === '[') {
    if (!Array.isArray(value)) throw new PayloadMismatchError(member, 'is not of type array')
    return value.map((item, i) => readStrictly(nodes, first, item, `${member}.${i}`))
  }
  const matching = rest.find((index: number) =>
    first === '' ? hasType(nodes[index], value) : isTagged(nodes, index, first, value),
  )
  if (matching === undefined) throw new PayloadMismatchError(member, 'is of an unknown kind')
  return readStrictly(nodes, matching, value, member)
}

function readObject(
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
      const fieldNode = findNode(members, name)
      if (fieldNode === undefined) throw new PayloadMismatchError(joinPath(name), 'is unknown')
      return [name, readStrictly(nodes, fieldNode, item, joinPath(name))]
    }),
  )
}

/**
 * Finds the node of a field. Names in a payload that end in `?` are rejected, because the `?` is part of our
 * notation.
 */
function findNode(members: unknown, name: string): number | undefined {
  if (name.endsWith('?') || !isObject(members)) return undefined
  const key = [name, `${name}?`].find((key) => Object.hasOwn(members, key))
  return key === undefined ? undefined : Number(members[key])
}

function readPlain(type: string, value: unknown, member: string): unknown {
  if (type === 'int64') return readInt64(value, member)
  if (!hasType(type, value)) throw new PayloadMismatchError(member, `is not of type ${type}`)
  return value
}

function readInt64(value: unknown, member: string): bigint {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    const integer = BigInt(value)
    if (integer === BigInt.asIntN(64, integer)) return integer
  }
  throw new PayloadMismatchError(member, 'is not a 64-bit integer')
}

/** True if the value has this union member's tag. */
function isTagged(nodes: readonly unknown[], at: number, tag: string, value: unknown): boolean {
  if (!isObject(value) || !Object.hasOwn(value, tag)) return false
  const tagValues = nodes[findNode(nodes[at], tag) ?? -1]
  return Array.isArray(tagValues) && tagValues[0] === '=' && tagValues.slice(1).includes(value[tag])
}

function hasType(node: unknown, value: unknown): boolean {
  if (isObject(node)) return isObject(value)
  if (Array.isArray(node)) return node[0] === '[' ? Array.isArray(value) : typeof value === 'string'
  if (node === 'int64' || node === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  return node === typeof value
}
