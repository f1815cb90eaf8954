import { getSchemaName, resolveSchema } from './api.ts'
import type { ApiDocument, Schema } from './api-document.ts'

/** The documentation of a value: a field, a parameter, or a whole body. */
export interface Shape {
  /** A description such as `string`, `array of string` or `object or null`. */
  readonly type: string
  readonly description: string
  /** Limits and formats, one per entry. */
  readonly limits: readonly string[]
  readonly pattern: string | undefined
  /** The allowed values, or those known so far. */
  readonly values: readonly string[]
  readonly fields: readonly Field[]
  /** The variants that the value can have. */
  readonly variants: readonly Variant[]
}

export interface Field extends Shape {
  readonly name: string
  readonly isRequired: boolean
}

export interface Variant extends Shape {
  readonly title: string
}

const NOTHING = { description: '', limits: [], pattern: undefined, values: [], fields: [], variants: [] }

/**
 * Converts a schema, including nested schemas. `open` lists the names of the enclosing schemas, to stop
 * recursion.
 */
export function describeSchema(document: ApiDocument, schema: Schema, open: readonly string[] = []): Shape {
  const name = getSchemaName(schema)
  if (name !== undefined && open.includes(name))
    return { ...NOTHING, type: `object, as ${name} above`, description: schema.description ?? '' }
  const inside = name === undefined ? open : [...open, name]
  const resolved = resolveSchema(document, schema)
  const choices = (resolved.oneOf ?? resolved.anyOf ?? []).filter(({ type }) => type !== 'null')
  const isNullable = choices.length < (resolved.oneOf ?? resolved.anyOf ?? []).length
  const [only, ...others] = choices
  if (only && others.length === 0) {
    const shape = describeSchema(document, only, inside)
    return {
      ...shape,
      type: orNull(shape.type, isNullable),
      description: resolved.description ?? shape.description,
    }
  }
  return {
    ...NOTHING,
    description: resolved.description ?? '',
    limits: describeLimits(resolved),
    pattern: resolved.pattern,
    ...(only
      ? readChoice(document, resolved, choices, isNullable, inside)
      : readPlain(document, resolved, inside)),
  }
}

type Core = Pick<Shape, 'type'> & Partial<Shape>

/** Converts a schema with several choices. Simple choices become values, not variants. */
function readChoice(
  document: ApiDocument,
  schema: Schema,
  choices: readonly Schema[],
  isNullable: boolean,
  open: readonly string[],
): Core {
  const shapes = choices.map((choice) => describeSchema(document, choice, open))
  const types = [...new Set(shapes.map(({ type }) => type))]
  const isSimple = shapes.every(({ fields, variants }) => fields.length + variants.length === 0)
  if (isSimple) {
    const values = shapes.flatMap(({ values }) => values)
    const isOpen = schema.anyOf !== undefined && values.length > 0
    const type = orNull(types.join(' or '), isNullable)
    return { type, values, ...(isOpen ? { limits: ['other values are possible'] } : {}) }
  }
  const variants = choices.map((choice, index) => ({
    ...NOTHING,
    type: 'object',
    ...shapes[index],
    title: getTitle(choice, schema) ?? `Variant ${index + 1}`,
  }))
  return { type: orNull('object', isNullable), variants }
}

/** The discriminator values of a choice, or the name of its schema. */
function getTitle(choice: Schema, { discriminator }: Schema): string | undefined {
  const tags = Object.entries(discriminator?.mapping ?? {}).filter(([, ref]) => ref === choice.$ref)
  return tags.length > 0 ? tags.map(([tag]) => tag).join(', ') : getSchemaName(choice)
}

function readPlain(document: ApiDocument, schema: Schema, open: readonly string[]): Core {
  const types = [schema.type ?? []].flat()
  const isNullable = types.includes('null')
  const type = types.filter((typeName) => typeName !== 'null').join(' or ') || 'any value'
  const values = (schema.enum ?? []).filter((enumValue) => enumValue !== null).map(String)
  if (schema.items) {
    const {
      type: item,
      fields,
      variants,
      values,
      limits,
      pattern,
    } = describeSchema(document, schema.items, open)
    const each = [...limits, ...(pattern === undefined ? [] : [`matches ${pattern}`])]
    return {
      type: orNull(`array of ${item}`, isNullable),
      fields,
      variants,
      values,
      limits: [...describeLimits(schema), ...each.map((limit) => `each ${limit}`)],
    }
  }
  const { additionalProperties } = schema
  const [free] = Object.values(schema.patternProperties ?? {})
  const value = free ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  if (value && !schema.properties) {
    const shape = describeSchema(document, value, open)
    return {
      ...shape,
      description: schema.description ?? '',
      type: orNull(`map of ${shape.type}`, isNullable),
    }
  }
  return { type: orNull(type, isNullable), values, fields: readFields(document, schema, open) }
}

function readFields(document: ApiDocument, schema: Schema, open: readonly string[]): Field[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    ...describeSchema(document, property, open),
    name,
    isRequired: schema.required?.includes(name) ?? false,
  }))
}

const orNull = (type: string, isNullable: boolean) => (isNullable ? `${type} or null` : type)

function describeLimits(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, exclusiveMinimum } = schema
  const limits: (string | false | undefined)[] = [
    schema.format,
    describeRange(minLength, maxLength, 'characters'),
    describeRange(minItems, maxItems, 'items'),
    schema.uniqueItems && 'no duplicates',
    exclusiveMinimum !== undefined && `greater than ${exclusiveMinimum}`,
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    schema.minProperties !== undefined && `at least ${schema.minProperties} fields`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
    schema.readOnly && 'read only',
    schema.writeOnly && 'write only',
  ]
  return limits.filter((limit) => typeof limit === 'string')
}

function describeRange(
  minimum: number | undefined,
  maximum: number | undefined,
  unit: string,
): string | false {
  if (minimum === undefined) return maximum !== undefined && `at most ${maximum} ${unit}`
  if (maximum === undefined) return `at least ${minimum} ${unit}`
  return minimum === maximum ? `${minimum} ${unit}` : `${minimum}–${maximum} ${unit}`
}
