import type { TSchema } from 'typebox'

type Json = Record<string, unknown>

/** The keywords of our own validation. Others do not know them. */
const OWN_KEYWORDS = new Set(['wellFormed', 'inWords', 'freeFormMax', 'judgedByHandler', 'knownWords'])

export interface References {
  /** A schema with every named schema in it, itself included, replaced by a reference. */
  readonly refer: (node: unknown) => unknown
  /** The named schemas, for the document's components. */
  readonly components: () => Json
}

/** Finds schemas by content and not by identity, because `Type.Optional` copies them. */
export function references(named: readonly (readonly [string, TSchema])[]): References {
  const nameByText = new Map<string, string>()
  for (const [name, schema] of named) {
    const text = JSON.stringify(schema)
    if (!nameByText.has(text)) nameByText.set(text, name)
  }

  function refer(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node
    const name = nameByText.get(JSON.stringify(node))
    return name ? { $ref: `#/components/schemas/${name}` } : referInside(node)
  }

  function referInside(node: object): unknown {
    if (Array.isArray(node)) return node.map(refer)
    const copy: Json = {}
    for (const [key, value] of Object.entries(node)) if (!OWN_KEYWORDS.has(key)) copy[key] = refer(value)
    if ('discriminator' in node && 'oneOf' in node)
      copy.discriminator = withMapping(node as Union, copy.oneOf as Json[])
    // Lists the known values for readers and generated clients; any other value is accepted.
    return 'knownWords' in node ? { anyOf: [{ type: 'string', enum: node.knownWords }, copy] } : copy
  }

  function components(): Json {
    const made: Json = {}
    for (const [text, name] of nameByText) made[name] = referInside(JSON.parse(text))
    return made
  }

  return { refer, components }
}

interface Union {
  discriminator: { propertyName: string }
  oneOf: { properties: Record<string, { enum: string[] }> }[]
}

/** Adds a mapping to the discriminator. Without one, the names of the members would have to be the values. */
function withMapping(union: Union, references: Json[]): Json {
  const { propertyName } = union.discriminator
  const mapping: Json = {}
  union.oneOf.forEach((member, at) => {
    const reference = references[at]?.$ref
    for (const value of member.properties[propertyName]?.enum ?? []) if (reference) mapping[value] = reference
  })
  return { propertyName, mapping }
}
