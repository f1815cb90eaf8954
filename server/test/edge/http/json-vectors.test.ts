import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { API } from '@countersign/contract/api'
import { getBodyBytesMax } from '@countersign/contract/core/endpoint'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/base/json/json.ts'
import { readJson } from '../../../src/base/json/json-reader.ts'
import { newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError, forEach } from '../../worlds/contract/calls.testing.ts'

/** JSONTestSuite: `y_` must parse, `n_` must not, `i_` may do either. */
const folder = resolve(
  import.meta.dirname,
  '../../../..',
  process.env.VECTORS_DIR ?? '../shared/vectors',
  'json/test_parsing',
)
const isAbsent = !existsSync(folder)
if (isAbsent) console.warn(`no test vectors at ${folder} (VECTORS_DIR): their tests are skipped`)

const documents = isAbsent
  ? []
  : readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ name, bytes: readFileSync(resolve(folder, name)) }))
const listDocuments = (kind: 'y' | 'n' | 'i') => documents.filter(({ name }) => name.startsWith(`${kind}_`))

const CUSTOMER_BYTES_MAX = getBodyBytesMax(API.customer_create)
const NOT_JSON = /^The body (is not valid (JSON|UTF-8)|nests deeper)/

describe.skipIf(isAbsent)('the documents of JSONTestSuite', () => {
  test('are complete', () => {
    expect([listDocuments('y').length, listDocuments('n').length, listDocuments('i').length]).toEqual([
      95, 188, 35,
    ])
  })

  const decodeUtf8 = (bytes: Uint8Array) =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

  test('that are valid parse as JSON.parse does', () => {
    for (const { name, bytes } of listDocuments('y')) {
      const text = decodeUtf8(bytes)
      for (const parse of [readJson, parseJson]) {
        const asNumbers = JSON.stringify(parse(text), (_, value) =>
          typeof value === 'bigint' ? Number(value) : value,
        )
        expect(asNumbers, name).toBe(JSON.stringify(JSON.parse(text)))
      }
    }
  })

  test('that are not JSON are refused by both parsers', () => {
    for (const { name, bytes } of listDocuments('n'))
      for (const parse of [readJson, parseJson]) expect(() => parse(decodeUtf8(bytes)), name).toThrow()
  })

  test('that a parser may accept or refuse cause only syntax or type errors', () => {
    for (const { bytes } of listDocuments('i')) {
      try {
        readJson(decodeUtf8(bytes))
      } catch (error) {
        expect(error instanceof SyntaxError || error instanceof TypeError).toBe(true)
      }
    }
  })

  test('return a client error as request bodies, never a server error', async () => {
    const client = await newPlatform()
    const headers = { Authorization: client.authorization, 'Content-Type': 'application/json' }
    await forEach(documents, async ({ name, bytes }) => {
      const response = await fetch(`${client.baseUrl}/customers`, { method: 'POST', headers, body: bytes })
      const reply: Reply = { status: response.status, body: await response.json(), headers: response.headers }
      if (bytes.length > CUSTOMER_BYTES_MAX) return expectError(reply, { code: 'PAYLOAD_TOO_LARGE' })
      expectError(reply, { code: 'INVALID_INPUT', what: name })
      const { message, details } = reply.body
      if (name.startsWith('y_')) expect(message, name).not.toMatch(NOT_JSON)
      // An empty body counts as a missing one.
      if (name.startsWith('n_') && bytes.length > 0) expect(message, name).toMatch(NOT_JSON)
      if (name.startsWith('n_')) expect(details.field, name).toBe('body')
    })
    expect((await client.get('/customers')).body.totalCount).toBe(0)
  })
})
