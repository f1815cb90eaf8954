import type { TSchema } from 'typebox'
import { isObject } from '../core/decode.ts'
import { OWN_KEYWORDS } from '../core/schema.ts'
import { asDocumented, isComponent, isItemComponent, NOTES, shapeOf } from './shape.ts'

type Json = Record<string, unknown>

export interface References {
  /** A schema with every named schema in it, itself included, replaced by a reference. */
  readonly refer: (schema: object) => Json
  /** The named schemas, for the document's components. */
  readonly components: () => Json
}

export function references(named: readonly (readonly [string, TSchema])[]): References {
  const byShape = new Map<string, readonly [string, TSchema]>()
  for (const one of named) if (!byShape.has(shapeOf(one[1]))) byShape.set(shapeOf(one[1]), one)

  function referAny(node: unknown, isNamed = isComponent): unknown {
    if (typeof node !== 'object' || node === null) return node
    return Array.isArray(node) ? node.map((one) => referAny(one)) : refer(node, isNamed)
  }

  function refer(node: object, isNamed = isComponent): Json {
    const found = isNamed(node) ? byShape.get(shapeOf(node)) : undefined
    if (!found) return referInside(node)
    const [name, schema] = found
    return { $ref: `#/components/schemas/${name}`, ...notesBeside(node, schema) }
  }

  function referInside(node: object): Json {
    const copy: Json = {}
    for (const [key, value] of Object.entries(asDocumented(node)))
      if (!OWN_KEYWORDS.has(key))
        copy[key] =
          key === 'properties' && isObject(value)
            ? ofProperties(value)
            : referAny(value, key === 'items' ? isItemComponent : isComponent)
    if ('discriminator' in node && 'oneOf' in node)
      copy.discriminator = withMapping(node as Union, copy.oneOf as Json[])
    // Without it, some generators read 32 bits.
    if (copy.type === 'number') copy.format = 'double'
    // Lists the known values for readers and generated clients; any other value is accepted.
    return 'knownWords' in node ? { anyOf: [refer({ type: 'string', enum: node.knownWords }), copy] } : copy
  }

  /** Names of properties are not keywords: a property may be called `properties`. */
  function ofProperties(properties: Json): Json {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, referAny(schema)]))
  }

  function components(): Json {
    const made: Json = {}
    for (const [name, schema] of byShape.values()) made[name] = referInside(schema)
    return made
  }

  return { refer, components }
}

/** The notes at the place of a reference that the component does not have. */
function notesBeside(node: object, component: object): Json {
  const own = Object.entries(node).filter(([keyword]) => NOTES.has(keyword))
  const general = new Map(Object.entries(component))
  return Object.fromEntries(own.filter(([keyword, value]) => general.get(keyword) !== value))
}

interface Union {
  discriminator: { propertyName: string }
  oneOf: { properties: Record<string, { enum: string[] }> }[]
}

/**
 * Adds a mapping to the discriminator. Without one, the names of the union's members would have to be the
 * values.
 */
function withMapping(union: Union, references: Json[]): Json {
  const { propertyName } = union.discriminator
  const mapping: Json = {}
  union.oneOf.forEach((member, at) => {
    const reference = references[at]?.$ref
    for (const value of member.properties[propertyName]?.enum ?? []) if (reference) mapping[value] = reference
  })
  return { propertyName, mapping }
}
