import { openApi } from '@countersign/contract/document/openapi'
import { describe, expect, inject, test } from 'vitest'
import { listDocsNames } from '../../../src/edge/pages/docs-folder.ts'
import { GUIDE_GROUPS } from '../../../src/edge/pages/guide-groups.ts'
import { world } from '../../worlds/world.testing.ts'

const { origin } = new URL(inject('baseUrl'))

async function fetchPage(path: string, accept = 'text/html') {
  const response = await fetch(origin + path, { headers: { Accept: accept } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The console is served only after it is built. */
const isServedHere = (path: string) => path !== '/console/'

test('the OpenAPI document is served without credentials', async () => {
  const response = await fetch(`${inject('baseUrl')}/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const document = (await response.json()) as { openapi: string; paths: Record<string, unknown> }
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(Object.keys(document.paths)).toContain('/quotes/{quoteId}/execute')
})

describe('the page at /', () => {
  test('introduces the server with links, and loads only from this server', async () => {
    const { status, headers, text } = await fetchPage('/', 'text/html,application/xhtml+xml,*/*;q=0.8')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(headers.get('vary')).toBe('Accept')
    expect(text).toContain(inject('baseUrl'))
    expect(text).toContain('This is a sandbox')
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path!)
    expect(links).toEqual(
      expect.arrayContaining(['/console/', '/docs', '/docs/guides', '/healthz', '/readyz']),
    )
    for (const path of links.filter(isServedHere)) expect((await fetchPage(path)).status, path).toBe(200)
  })

  test.each(['application/json', '*/*'])('is JSON for a client that accepts %s', async (accept) => {
    const { status, headers, text } = await fetchPage('/', accept)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const index = JSON.parse(text)
    expect(index).toMatchObject({ name: 'Countersign', mode: 'sandbox', baseUrl: inject('baseUrl') })
    for (const path of [
      index.openapi,
      index.reference,
      index.guides,
      index.collection,
      index.llms,
      index.health,
      index.ready,
    ])
      expect((await fetchPage(path)).status, path).toBe(200)
  })

  test('says in production that it is production, and shows its public address', async () => {
    const { server } = await world('production')
    const page = await server.inject({ url: '/', headers: { accept: 'text/html' } })
    expect(page.body).toContain('This server runs in production')
    expect(page.body).toContain('https://pay.example/2025-10-13')
    expect(page.body).not.toContain('credentials.json')
    const reference = await server.inject({ url: '/docs' })
    expect(reference.body).not.toContain('id="fill"')
  })
})

describe('a guide', () => {
  test('is listed, is shown with its tables and code, and loads only files from this server', async () => {
    const { text: list } = await fetchPage('/docs/guides')
    const guides = [...list.matchAll(/href="(\/docs\/guides\/[^"]+)"/g)].map(([, path]) => path!)
    expect(guides.length).toBeGreaterThan(20)
    expect(guides[0]).toBe('/docs/guides/first-payment')
    const { text, headers } = await fetchPage('/docs/guides/webhooks')
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
    expect(text).toContain('<h1 id="webhooks-and-events">Webhooks and events</h1>')
    expect(text).toMatch(/<div class="code"><pre tabindex="0"><code>.*<span class="hljs-string">/)
    expect(text).toMatch(/<div class="table" tabindex="0"><table>/)
    expect(text).not.toMatch(/<!-- printed|<script(?! type="module" src="\/docs\/files\/)/)
  })

  test('is in exactly one group, and links to the list of guides and to the previous and next guide', async () => {
    const names = GUIDE_GROUPS.flatMap(({ names }) => names)
    const fileNames = (await listDocsNames()).filter((name) =>
      /^(?!README|specification-index)[^/]+\.md$|^connectors\/[^/]+\.md$/.test(name),
    )
    expect(names.toSorted()).toEqual(fileNames.toSorted())
    const { text: list } = await fetchPage('/docs/guides')
    for (const { title } of GUIDE_GROUPS) expect(list).toContain(`<h2>${title}</h2>`)
    const { text } = await fetchPage('/docs/guides/api')
    expect(text).toContain('<a href="/docs/guides/api" aria-current="page">')
    expect(text).toMatch(
      /<a rel="prev" href="\/docs\/guides\/first-payment">.*<a rel="next" href="\/docs\/guides\/sdk">/,
    )
    const first = (await fetchPage('/docs/guides/first-payment')).text
    expect(first).not.toContain('rel="prev"')
  })

  test('has only working links to other guides, fragments included', { tags: 'smoke' }, async () => {
    const pages = new Map<string, string>()
    const readPage = async (path: string) => {
      if (!pages.has(path)) {
        const { status, text } = await fetchPage(path)
        expect(status, path).toBe(200)
        pages.set(path, text)
      }
      return pages.get(path)!
    }
    const queue = ['/docs/guides']
    const seen = new Set(queue)
    for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
      const text = await readPage(path)
      for (const [, href] of text.matchAll(/href="([^"]+)"/g)) {
        if (/^(?:https?:|data:)/.test(href!)) continue
        const { pathname, hash } = new URL(href!, origin + path)
        if (!isServedHere(pathname)) continue
        const target = await readPage(pathname)
        if (hash) expect(target, `${path} → ${href}`).toContain(`id="${decodeURIComponent(hash.slice(1))}"`)
        if (seen.has(pathname) || !pathname.startsWith('/docs/guides')) continue
        seen.add(pathname)
        if (!pathname.endsWith('.json')) queue.push(pathname)
      }
    }
    expect(seen.size).toBeGreaterThan(30)
  })

  test('exists at every link from the reference page', async () => {
    const { tags } = openApi({ serverUrl: '/' }) as {
      tags: { name: string; externalDocs: { url: string } }[]
    }
    for (const { name, externalDocs } of tags)
      expect((await fetchPage(externalDocs.url)).status, name).toBe(200)
  })

  test.each(['nothing', '..%2fREADME', '%2e%2e/package', '', 'reference/examples.jsonl', 'nothing.md'])(
    'that is not in the folder returns 404: %s',
    async (name) => {
      const { status, text } = await fetchPage(`/docs/guides/${name}`)
      expect([status, JSON.parse(text).code]).toEqual([404, 'NOT_FOUND'])
    },
  )
})

describe('a path without the version', () => {
  test.each([
    ['/customers', '/2025-10-13/customers'],
    ['/customers?limit=1', '/2025-10-13/customers'],
    ['/quotes/Quote:1/execute', '/2025-10-13/quotes/{quoteId}/execute'],
    ['/v1/customers', '/2025-10-13/customers'],
    ['/2024-01-01/customers/Customer:1', '/2025-10-13/customers/{customerId}'],
  ])('%s returns 404 and suggests %s', async (path, suggestedPath) => {
    const { status, text } = await fetchPage(path)
    expect([status, JSON.parse(text)]).toMatchObject([
      404,
      { code: 'NOT_FOUND', details: { path: suggestedPath } },
    ])
    expect(JSON.parse(text).message).toContain(suggestedPath)
  })

  test('that matches no endpoint gets no suggestion', async () => {
    const { text } = await fetchPage('/customer')
    expect(JSON.parse(text)).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      message: expect.not.stringContaining('2025'),
      docUrl: expect.stringMatching(/\/docs\/errors#NOT_FOUND$/),
    })
  })
})
