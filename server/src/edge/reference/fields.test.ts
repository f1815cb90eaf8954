import { describe, expect, test } from 'vitest'
import type { ApiDocument, Schema } from './api-document.ts'
import { describeSchema } from './fields.ts'
import { shapeHtml } from './fields-html.ts'

function documentWith(schemas: Readonly<Record<string, Schema>>): ApiDocument {
  return {
    info: { 'x-description-version': '2026-06-25', description: '' },
    servers: [{ url: '/base' }],
    tags: [],
    paths: {},
    webhooks: {},
    components: { schemas, parameters: {}, securitySchemes: {} },
  }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('the documented shape of a schema', () => {
  test('describes type, limits and values', () => {
    const document = documentWith({})
    expect(describeSchema(document, { type: ['string', 'null'], minLength: 1, maxLength: 9 })).toMatchObject({
      type: 'string or null',
      limits: ['1–9 characters'],
    })
    expect(
      describeSchema(document, { type: 'integer', format: 'int64', minimum: 0, default: 5 }).limits,
    ).toEqual(['int64', 'at least 0', 'default 5'])
    expect(describeSchema(document, { type: 'string', enum: ['A', 'B'] }).values).toEqual(['A', 'B'])
    const list = { type: 'array', items: { type: 'string', maxLength: 3 }, minItems: 2, maxItems: 2 }
    expect(describeSchema(document, list)).toMatchObject({
      type: 'array of string',
      limits: ['2 items', 'each at most 3 characters'],
    })
    const map = { type: 'object', patternProperties: { '^.*$': { type: 'integer' } } }
    expect(describeSchema(document, map).type).toBe('map of integer')
  })

  test('has the fields of the referenced schema and the description given with the reference', () => {
    const document = documentWith({
      Amount: { type: 'object', description: 'In general', required: ['value'], properties: { value: {} } },
    })
    expect(describeSchema(document, { ...ref('Amount'), description: 'Here' })).toMatchObject({
      description: 'Here',
      fields: [{ name: 'value', type: 'any value', isRequired: true }],
    })
  })

  test('names the variants of a union after the values of its discriminator', () => {
    const document = documentWith({ Dog: { properties: { bark: {} } }, Cat: { properties: { purr: {} } } })
    const pet = {
      oneOf: [ref('Dog'), ref('Cat')],
      discriminator: { mapping: { DOG: ref('Dog').$ref, PUPPY: ref('Dog').$ref } },
    }
    expect(describeSchema(document, pet).variants.map(({ title }) => title)).toEqual(['DOG, PUPPY', 'Cat'])
  })

  test('lists known values, and notes that other values are possible', () => {
    const schema = { anyOf: [{ type: 'string', enum: ['A', 'B'] }, { type: 'string' }] }
    expect(describeSchema(documentWith({}), schema)).toMatchObject({
      type: 'string',
      values: ['A', 'B'],
      limits: ['other values are possible'],
      variants: [],
    })
  })

  test('ends if the schema contains itself', () => {
    const document = documentWith({ Node: { type: 'object', properties: { next: ref('Node') } } })
    expect(describeSchema(document, ref('Node')).fields[0]).toMatchObject({ name: 'next', fields: [] })
  })

  test('is rendered with all text escaped', () => {
    const evil = '<script>alert(1)</script>'
    const document = documentWith({ [evil]: { properties: { [evil]: { description: evil } } } })
    const schema = {
      properties: { [evil]: { description: evil, pattern: evil, default: evil, enum: [evil] }, b: ref(evil) },
      oneOf: [ref(evil), { properties: {} }],
    }
    const { text } = shapeHtml(describeSchema(document, { properties: { a: schema, ...schema.properties } }))
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toContain('<script')
  })
})
