import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import { world } from '../../worlds/world.testing.ts'

const { origin } = new URL(inject('baseUrl'))
async function fetchPage(path: string) {
  const response = await fetch(origin + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Reads the raw response, which `fetch` would decompress. */
async function fetchRaw(path: string, headers: Record<string, string>) {
  const [response]: IncomingMessage[] = await once(get(origin + path, { headers }), 'response')
  if (!response) throw new Error(`No response for ${path}`)
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) }
}

describe('the API reference', () => {
  test('has a page for each section, operation and webhook, and returns 404 for any other', {
    tags: 'smoke',
  }, async () => {
    for (const name of ['quotes', 'customers-tokens', 'quote_create', 'outgoing_payment_webhook'])
      expect((await fetchPage(`/docs/api/${name}`)).status, name).toBe(200)
    for (const name of ['quote', 'constructor', '%3Cscript%3E']) {
      const { status, text } = await fetchPage(`/docs/api/${name}`)
      expect([status, JSON.parse(text).code], name).toEqual([404, 'NOT_FOUND'])
    }
  })

  test('shows the recorded example of a request and of its response', async () => {
    const { text } = await fetchPage('/docs/api/quote_create')
    expect(text).toContain('Quote:0198c0de-')
    expect(text).toContain('&quot;lockedCurrencySide&quot;: &quot;SENDING&quot;')
    expect(text).toContain('curl -X POST')
  })

  test('loads only files from this server, whose names change with their content', async () => {
    const { text, headers } = await fetchPage('/docs/api/quote_create')
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    expect(text).not.toMatch(/<script(?! type="module" src="\/docs\/files\/)|<style|style="|onclick=/)
    const files = [...text.matchAll(/(?:src|stylesheet" href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(files).toHaveLength(3)
    for (const file of files) {
      expect(file).toMatch(/^\/docs\/files\/\w+\.[\w-]{16}\.(?:css|js)$/)
      const reply = await fetchPage(file)
      expect([reply.status, reply.headers.get('cache-control')]).toEqual([
        200,
        expect.stringContaining('immutable'),
      ])
      expect(reply.headers.get('content-type')).toMatch(/^text\/(?:css|javascript)/)
    }
    expect((await fetchPage('/docs/files/page.0000000000000000.css')).status).toBe(404)
  })

  test('has no form that creates records in production', async () => {
    const { server } = await world('production')
    const { body } = await server.inject('/docs/api/quote_create')
    expect(body).toContain('id="try"')
    expect(body).not.toContain('id="fill"')
    expect((await server.inject('/docs/api/sandbox_account_fund')).statusCode).toBe(404)
  })
})

describe('a documentation page', () => {
  test.each([
    '/docs',
    '/docs/api/quote_create',
    '/docs/guides/webhooks',
    '/docs/errors',
    '/2025-10-13/openapi.json',
  ])('is sent compressed, and not again while it is unchanged: %s', async (path) => {
    const plain = await fetchRaw(path, { 'Accept-Encoding': 'identity' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const headers = { 'Accept-Encoding': encoding }
      const compressed = await fetchRaw(path, headers)
      expect(compressed.headers['content-encoding']).toBe(encoding)
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 2)
      expect(decode(compressed.bytes).equals(plain.bytes)).toBe(true)
      const tag = compressed.headers.etag ?? ''
      const revalidation = await fetchRaw(path, { ...headers, 'If-None-Match': tag })
      expect([revalidation.status, revalidation.bytes.length]).toEqual([304, 0])
    }
  })
})

describe('the documentation search', () => {
  test('finds operations and guide sections, and escapes the query', async () => {
    const { text } = await fetchPage('/docs/search?q=refund')
    expect(text).toMatch(/<a href="\/docs\/guides\/payments#/)
    expect((await fetchPage('/docs/search?q=quote%20create')).text).toContain('href="/docs/api/quote_create"')
    const scriptPage = await fetchPage(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(scriptPage.status).toBe(200)
    expect(scriptPage.text).not.toContain('<script>alert')
    for (const query of ['', '?q=', '?q=a&q=b', `?q=${'x'.repeat(5000)}`])
      expect((await fetchPage(`/docs/search${query}`)).status, query.slice(0, 20)).toBe(200)
  })
})
