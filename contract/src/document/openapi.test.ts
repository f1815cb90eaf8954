import { describe, expect, test } from 'vitest'
import { API } from '../api.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { ERRORS } from '../core/errors.ts'
import { openApi } from './openapi.ts'

const document = JSON.parse(
  JSON.stringify(openApi({ serverUrl: 'http://127.0.0.1:8787/2025-10-13', version: '0.1.0' })),
)
const text = JSON.stringify(document)

interface Operation {
  operationId: string
  tags: string[]
  parameters: { $ref?: string; name?: string; in?: string }[]
  responses: Record<string, { headers?: object }>
  'x-codeSamples': { source: string }[]
}

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce((node: unknown, key) => (node as Record<string, unknown> | undefined)?.[key], document)
}

describe('the OpenAPI document', () => {
  test('contains every endpoint once, under its name', () => {
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(API).sort())
    for (const { path, method, operation } of operations) {
      const endpoint = API[operation.operationId as keyof typeof API]
      expect([endpoint.path, endpoint.method]).toEqual([path, method.toUpperCase()])
    }
  })

  test('contains the platform events as webhooks with their schemas', () => {
    const bodies = Object.entries<{
      post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } }
    }>(document.webhooks)
    expect(bodies.map(([name]) => name)).toContain('outgoing-payment')
    for (const [name, { post }] of bodies) {
      const schema = resolve(post.requestBody.content['application/json']!.schema.$ref)
      expect(schema, name).toMatchObject({
        required: expect.arrayContaining(['id', 'type', 'timestamp', 'sequence']),
      })
    }
  })

  test('calls nothing requestId but the id of a signed request, which begins with Request:', () => {
    const found: { pattern?: string }[] = []
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      for (const [name, value] of Object.entries(node)) {
        if (name === 'requestId' && typeof value === 'object') found.push(value as { pattern?: string })
        walk(value)
      }
    }
    walk(document.components.schemas)
    walk(document.paths)
    expect(found.length).toBeGreaterThan(1)
    for (const schema of found) expect(schema.pattern).toMatch(/^\^Request:/)
    expect(
      operations.flatMap(({ operation }) => operation.parameters?.map(({ name }) => name)),
    ).not.toContain('requestId')
  })

  test('describes each operation in its own words', () => {
    const texts = Object.entries<Endpoint>(API).map(([name, { summary, description = '' }]) => {
      expect(description, name).toMatch(/^[A-Z].{30,}[.)]$/s)
      const words = (text: string) => text.toLowerCase().replace(/[^a-z ]/g, '')
      expect(words(description), name).not.toBe(words(summary))
      expect(words(description).startsWith(`${words(summary)} `), name).toBe(false)
      return description
    })
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
  })

  test('shows a distinct sdk call for each operation', () => {
    const sources = operations.map(({ operation }) => operation['x-codeSamples'].map(({ source }) => source))
    expect(new Set(sources.flat()).size).toBe(operations.length)
    for (const source of sources.flat())
      expect(source).toMatch(
        /^(await |for await \(const event of )countersign(\.\w+)+\((\w+(, \w+)*)?\)(\) \{ … \})?$/,
      )
    const executed = operations.find(({ operation }) => operation.operationId === 'quote_execute')
    expect(executed?.operation['x-codeSamples']).toEqual([
      {
        lang: 'TypeScript',
        label: '@countersign/sdk',
        source: 'await countersign.quotes.execute(quoteId)',
      },
    ])
  })

  test('introduces each section and links its guide', () => {
    for (const { name, description, externalDocs } of document.tags) {
      expect(description, name).toMatch(/^[A-Z].{20,}\.\n\n\[Read the guide\]\(\/docs\/guides\/[a-z-]+\)$/)
      expect(externalDocs.url, name).toMatch(/^\/docs\/guides\//)
    }
    const used = new Set(operations.flatMap(({ operation }) => operation.tags))
    expect(document.tags.map(({ name }: { name: string }) => name)).toEqual([...used, 'Webhooks'])
  })

  test('has a version and marks agent management as experimental', () => {
    const { info, tags } = openApi({ serverUrl: '/' }) as { info: object; tags: { name: string }[] }
    expect(info).toMatchObject({ version: '2026.6.25', 'x-description-version': '2026-06-25' })
    const isMarked = (node: object) => 'x-stability' in node
    expect(tags.filter(isMarked).map(({ name }) => name)).toEqual(['Agents', 'Agent access'])
    const marked = operations.filter(({ operation }) => isMarked(operation)).map(({ path }) => path)
    expect(marked).toEqual(operations.map(({ path }) => path).filter((path) => /^\/agents\b/.test(path)))
  })

  test('names the credentials of a backend as the token that the API returns does', () => {
    const { description } = document.tags.find(({ name }: { name: string }) => name === 'API tokens')
    const { properties } = document.components.schemas.ApiToken
    const names = [...description.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(names).toEqual(['clientId', 'clientSecret'])
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(names))
    expect(document.components.securitySchemes.BasicAuth.description).toMatch(
      /^User name: a token's `clientId`\. Password: its `clientSecret`\./,
    )
  })

  test('declares each parameter of a path', () => {
    for (const { path, operation } of operations) {
      const names = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1])
      const declared = operation.parameters.filter((p) => p.in === 'path').map((p) => p.name)
      expect(declared, path).toEqual(names)
    }
  })

  test('gives transfers out a separate response with the fields of outgoing money', () => {
    const { 201: response } = document.paths['/transfer-out'].post.responses
    expect(response.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/TransferOut' })
    const { TransferOut, OutgoingTransaction } = document.components.schemas
    expect(Object.keys(TransferOut.properties)).toEqual(Object.keys(OutgoingTransaction.properties))
    expect(TransferOut.required).toEqual(
      expect.arrayContaining([...OutgoingTransaction.required, 'receivedAmount']),
    )
  })

  test('has no dangling reference', () => {
    const references = [...text.matchAll(/"(#\/[^"]+)"/g)].map((match) => match[1] ?? '')
    expect(references.length).toBeGreaterThan(100)
    for (const reference of new Set(references)) expect(resolve(reference), reference).toBeTypeOf('object')
  })

  test('uses every name', () => {
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    )
    expect(unused).toEqual([])
  })

  test('shows only error codes that exist, with their status', () => {
    for (const endpoint of Object.values(API))
      for (const code of endpoint.errors) expect(Object.keys(ERRORS)).toContain(code)
    for (const { operation } of operations)
      for (const [status, response] of Object.entries(operation.responses))
        for (const match of JSON.stringify(response).matchAll(/`([A-Z_]+)`: /g)) {
          const code = match[1] as keyof typeof ERRORS
          expect(ERRORS[code].status, code).toBe(Number(status))
        }
  })

  test('shows the headers and the challenge of every signed operation', () => {
    for (const { operation } of operations) {
      const endpoint = API[operation.operationId as keyof typeof API]
      const signed = 'signed' in endpoint
      // An agent gets no challenge: its action waits for approval. The listed endpoints return 202 because
      // their work continues.
      const hasChallenge = signed && endpoint.auth !== 'agent'
      const isAccepted = ['customer_import_create', 'event_replay', 'member_code_create'].includes(
        operation.operationId,
      )
      expect('202' in operation.responses, operation.operationId).toBe(hasChallenge || isAccepted)
      const references = operation.parameters.map((parameter) => parameter.$ref)
      expect(references.includes('#/components/parameters/WalletSignature')).toBe(signed)
      expect(references.includes('#/components/parameters/RequestId')).toBe(signed)
      const key = 'idempotent' in endpoint && endpoint.idempotent
      expect(references.includes('#/components/parameters/IdempotencyKey')).toBe(key === true)
      expect(references.includes('#/components/parameters/RequiredIdempotencyKey')).toBe(key === 'required')
    }
  })

  test('describes the headers that a response may have', () => {
    const headersAt = (name: string, status: number) => {
      const found = operations.find(({ operation }) => operation.operationId === name)
      return Object.keys(found?.operation.responses[status]?.headers ?? {})
    }
    const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']
    expect(headersAt('quote_execute', 200)).toEqual(['X-Request-Id', ...limits, 'Idempotency-Replayed'])
    expect(headersAt('quote_execute', 401)).toEqual(['X-Request-Id', ...limits, 'WWW-Authenticate'])
    expect(headersAt('quote_execute', 503)).toEqual(['X-Request-Id', ...limits, 'Retry-After'])
    expect(headersAt('transaction_csv', 200)).toContain('Content-Disposition')
    const origin = operations.filter(({ operation }) =>
      operation.parameters.some(({ $ref }) => $ref === '#/components/parameters/Origin'),
    )
    expect(origin.length).toBeGreaterThan(50)
    expect(origin.filter(({ method }) => method === 'get')).toEqual([])
  })

  test('shows the format of strings that a handler validates', () => {
    const { UsdAccountCreateInfo, QuoteDestination, UmaAddressDestination } = document.components.schemas
    const { accountNumber, routingNumber } = UsdAccountCreateInfo.properties
    expect(accountNumber).toMatchObject({ pattern: '^[0-9]{1,17}$', minLength: 1, maxLength: 34 })
    expect(routingNumber).toMatchObject({ pattern: '^[0-9]{9}$', maxLength: 9 })
    expect(QuoteDestination.oneOf).toContainEqual({ $ref: '#/components/schemas/UmaAddressDestination' })
    const { umaAddress } = UmaAddressDestination.properties
    expect('$Ada@Example.com').toMatch(new RegExp(umaAddress.pattern, 'u'))
    expect('ada@example.com').not.toMatch(new RegExp(umaAddress.pattern, 'u'))
    expect(text).not.toContain('documentedForm')
  })

  test('gives every union a mapping of all its values', () => {
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      if ('discriminator' in node && 'oneOf' in node) {
        const { mapping } = node.discriminator as { mapping: Record<string, string> }
        expect(new Set(Object.values(mapping)).size).toBe((node.oneOf as unknown[]).length)
      }
      for (const value of Object.values(node)) walk(value)
    }
    walk(document)
  })

  test('has no sandbox endpoints in production', () => {
    const { paths } = openApi({ serverUrl: '/', version: '0.1.0', mode: 'production' })
    const left = Object.keys(paths as object)
    expect(left).toContain('/quotes')
    expect(left.filter((path) => path.startsWith('/sandbox'))).toEqual([])
  })

  test('omits our own keywords and stays readable', () => {
    expect(text).not.toContain('wellFormed')
    expect(text.length).toBeLessThan(2_250_000)
  })
})
