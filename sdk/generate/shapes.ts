import { isDeepStrictEqual } from 'node:util'
import { membersOf, type Schema } from './schema.ts'

/**
 * The places of amounts in a response: 1 is an amount, 2 another number, a list of one is the shape of every
 * item, an object has the shapes of its fields. Everything else is left out.
 */
export type Shape = 1 | 2 | readonly [Shape] | { readonly [name: string]: Shape }

/**
 * The shape of a schema; undefined if it contains no number to decode. Throws if the members of a union
 * differ.
 */
export function shapeOf(schema: Schema): Shape | undefined {
  if (schema.format === 'int64') return 1
  if (schema.type === 'number') return 2
  const members = membersOf(schema)
  if (members) return members.map(shapeOf).reduce(merged, undefined)
  if (schema.items) {
    const item = shapeOf(schema.items)
    return item && [item]
  }
  const shapes = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const shape = shapeOf(property)
    return shape === undefined ? [] : [[name, shape] as const]
  })
  return shapes.length === 0 ? undefined : Object.fromEntries(shapes)
}

/** The shape that reads either; a field missing from one is read by the other. */
function merged(one: Shape | undefined, other: Shape | undefined): Shape | undefined {
  if (one === undefined || other === undefined || isDeepStrictEqual(one, other)) return one ?? other
  if (isOfObject(one) && isOfObject(other)) {
    const whole: Record<string, Shape> = { ...one }
    for (const [name, shape] of Object.entries(other)) {
      const both = merged(whole[name], shape)
      if (both !== undefined) whole[name] = both
    }
    return whole
  }
  throw new Error(`Two members of a union differ in where their amounts are: ${JSON.stringify([one, other])}`)
}

function isOfObject(shape: Shape): shape is { readonly [name: string]: Shape } {
  return typeof shape === 'object' && !Array.isArray(shape)
}

/** Gives each shape its number in a list of different ones. */
export class Shapes {
  readonly #texts: string[] = []

  indexOf(shape: Shape): number {
    const text = JSON.stringify(shape)
    const known = this.#texts.indexOf(text)
    return known >= 0 ? known : this.#texts.push(text) - 1
  }

  get text(): string {
    return `[${this.#texts.join(',\n')}]`
  }
}
