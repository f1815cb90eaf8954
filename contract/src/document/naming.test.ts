import { describe, expect, test } from 'vitest'
import { API } from '../api.ts'
import { isObject } from '../core/decode.ts'
import { getNamedSchemas, pascalCase } from './naming.ts'
import { openApi } from './openapi.ts'
import { isComponent, isItemComponent, shapeOf } from './shape.ts'

const document = JSON.parse(JSON.stringify(openApi({ serverUrl: '/' })))
const schemas: Readonly<Record<string, object>> = document.components.schemas
const names = Object.keys(schemas)

/** Keywords whose values are not schemas. */
const DATA = new Set(['example', 'examples', 'default', 'discriminator', 'enum', 'required'])

/** Lists the places below a node at which a schema should be a component but is not. */
function listAnonymousBelow(node: unknown, place: string): string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => listAnonymous(item, `${place}/${index}`))
  if (!isObject(node)) return []
  return Object.entries(node)
    .filter(([keyword]) => !DATA.has(keyword))
    .flatMap(([keyword, value]) =>
      keyword === 'properties' && isObject(value)
        ? Object.entries(value).flatMap(([name, schema]) => listAnonymous(schema, `${place}.${name}`))
        : listAnonymous(value, `${place}/${keyword}`, keyword === 'items' ? isItemComponent : isComponent),
    )
}

function listAnonymous(node: unknown, place: string, isNamed = isComponent): string[] {
  const own = isObject(node) && isNamed(node) ? [place] : []
  return [...own, ...listAnonymousBelow(node, place)]
}

describe('the components of the OpenAPI document', () => {
  test('include every object, union and enum of the operations, webhooks and components', () => {
    expect(listAnonymous({ properties: { a: { enum: ['x', 'y'] } } }, 'sample')).toEqual([
      'sample',
      'sample.a',
    ])
    expect(listAnonymous({ items: { enum: ['x'] } }, 'sample')).toEqual(['sample/items'])
    const places = [document.paths, document.webhooks].flatMap((group) =>
      Object.entries(group).flatMap(([name, item]) => listAnonymousBelow(item, name)),
    )
    expect(places).toEqual([])
    expect(Object.entries(schemas).flatMap(([name, schema]) => listAnonymousBelow(schema, name))).toEqual([])
  })

  test('have a single name for each shape', () => {
    const byShape = new Map<string, string[]>()
    for (const [name, schema] of Object.entries(schemas))
      byShape.set(shapeOf(schema), [...(byShape.get(shapeOf(schema)) ?? []), name])
    expect([...byShape.values()].filter((same) => same.length > 1)).toEqual([])
  })

  test('have no duplicate value in an enum', () => {
    const choices = Object.entries<{ enum?: readonly string[] }>(document.components.schemas)
    const repeats = choices.filter(([, { enum: words = [] }]) => new Set(words).size < words.length)
    expect(repeats.map(([name]) => name)).toEqual([])
  })

  test('express constants as enums with one value, which every generator reads', () => {
    expect(JSON.stringify(schemas)).not.toContain('"const":')
  })

  test('have no name that generators derive from operations', () => {
    const derived = Object.keys(API).flatMap((name) => {
      const own = pascalCase(name)
      const suffixes = ['Response', 'Responses', 'Params', 'Body', 'Data', 'Error', 'Errors']
      return [`Api${own}Request`, `New${own}Request`, ...suffixes.map((suffix) => `${own}${suffix}`)]
    })
    expect(names.filter((name) => derived.includes(name) || name.endsWith('Response'))).toEqual([])
  })

  test('name each schema once, by a word that reads well', () => {
    expect(new Set(getNamedSchemas().map(([name]) => name)).size).toBe(getNamedSchemas().length)
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]{2,49}$/.test(name))).toEqual([])
    expect(names.filter((name) => /([A-Z][a-z]+)\1|Inner|Item|[0-9]{3}(?!Code$|$)/.test(name))).toEqual([])
    expect(schemas.TransferOutRequest).toMatchObject({
      properties: {
        source: { $ref: '#/components/schemas/InternalAccountReference' },
        destination: { $ref: '#/components/schemas/ExternalAccountDestinationReference' },
      },
    })
    expect(schemas.AgentAction).toMatchObject({
      properties: { status: { $ref: '#/components/schemas/AgentActionStatus' } },
    })
    expect(schemas.BrlAccountInfo).toMatchObject({
      properties: { beneficiary: { $ref: '#/components/schemas/Beneficiary' } },
    })
  })
})

test('every operation and every webhook has a unique id', () => {
  const items = [...Object.values(document.paths), ...Object.values(document.webhooks)]
  const ids = items.flatMap((item) => Object.values(item as object).map(({ operationId }) => operationId))
  expect(ids.filter((id, at) => !/^[a-z][a-z_]+$/.test(id) || ids.indexOf(id) !== at)).toEqual([])
})
