import type { TSchema } from 'typebox'
import { isObject } from '../core/decode.ts'
import { OWN_KEYWORDS } from '../core/schema.ts'
import { asDocumented, isComponent, isItemComponent, NOTES, shapeOf } from './shape.ts'

type Json = Record<string, unknown>

export interface References {
  /** Replaces every named schema, including the given one itself, with a reference. */
  readonly refer: (schema: object) => Json
  /** Returns the named schemas for the document's components. */
  readonly components: () => Json
}

export function references(named: readonly (readonly [string, TSchema])[]): References {
  const byShape = new Map<string, readonly [string, TSchema]>()
  for (const entry of named) if (!byShape.has(shapeOf(entry[1]))) byShape.set(shapeOf(entry[1]), entry)

  function referValue(node: unknown, isNamed = isComponent): unknown {
    if (typeof node !== 'object' || node === null) return node
    return Array.isArray(node) ? node.map((item) => referValue(item)) : refer(node, isNamed)
  }

  function refer(node: object, isNamed = isComponent): Json {
    const named = isNamed(node) ? byShape.get(shapeOf(node)) : undefined
    if (!named) return referInside(node)
    const [name, schema] = named
    return { $ref: `#/components/schemas/${name}`, ...getExtraNotes(node, schema) }
  }

  function referInside(node: object): Json {
    const copy: Json = {}
    for (const [key, value] of Object.entries(asDocumented(node)))
      if (!OWN_KEYWORDS.has(key))
        copy[key] =
          key === 'properties' && isObject(value)
            ? referProperties(value)
            : referValue(value, key === 'items' ? isItemComponent : isComponent)
    if ('discriminator' in node && 'oneOf' in node)
      copy.discriminator = withMapping(node as Union, copy.oneOf as Json[])
    // Without this, some generators use a 32-bit type.
    if (copy.type === 'number') copy.format = 'double'
    // Lists the known values for readers and generated clients. Other values are accepted too.
    return 'knownWords' in node ? { anyOf: [refer({ type: 'string', enum: node.knownWords }), copy] } : copy
  }

  /** Property names are not keywords: there may be a property called `properties`. */
  function referProperties(properties: Json): Json {
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, referValue(schema)]))
  }

  function components(): Json {
    const schemas: Json = {}
    for (const [name, schema] of byShape.values()) schemas[name] = referInside(schema)
    return schemas
  }

  return { refer, components }
}

/** Returns the notes that a reference needs because the component itself does not have them. */
function getExtraNotes(node: object, component: object): Json {
  const notes = Object.entries(node).filter(([keyword]) => NOTES.has(keyword))
  const componentValues = new Map(Object.entries(component))
  return Object.fromEntries(notes.filter(([keyword, value]) => componentValues.get(keyword) !== value))
}

interface Union {
  discriminator: { propertyName: string }
  oneOf: { properties: Record<string, { enum: string[] }> }[]
}

/**
 * Adds a mapping to the discriminator. Without one, tag values would have to equal the names of the member
 * schemas.
 */
function withMapping(union: Union, references: Json[]): Json {
  const { propertyName } = union.discriminator
  const mapping: Json = {}
  union.oneOf.forEach((member, index) => {
    const reference = references[index]?.$ref
    for (const value of member.properties[propertyName]?.enum ?? []) if (reference) mapping[value] = reference
  })
  return { propertyName, mapping }
}
