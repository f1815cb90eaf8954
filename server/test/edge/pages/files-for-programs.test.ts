import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { describe, expect, inject, test } from 'vitest'
import { newPlatform } from '../../worlds/client.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const { origin } = new URL(inject('baseUrl'))

interface Item {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly description: string
    readonly header: readonly { readonly key: string; readonly value: string }[]
    readonly body?: { readonly raw?: string }
    readonly url: {
      readonly raw: string
      readonly variable: readonly { readonly key: string; readonly value: string }[]
      readonly query: readonly { readonly key: string; readonly value: string; readonly disabled: boolean }[]
    }
  }
}
interface Collection {
  readonly info: { readonly schema: string }
  readonly variable: readonly { readonly key: string; readonly value: string }[]
  readonly item: readonly { readonly name: string; readonly item: readonly Item[] }[]
}

async function readText(path: string): Promise<string> {
  const response = await fetch(origin + path)
  expect(response.status, path).toBe(200)
  return response.text()
}

function readEndpointName({ request }: Item): string {
  return /^`(\w+)`/.exec(request.description)![1]!
}

describe('the Postman collection', () => {
  test('has every endpoint of the API once, except endpoints that other systems sign', async () => {
    const collection: Collection = JSON.parse(await readText('/docs/postman.json'))
    expect(collection.info.schema).toMatch(/\/v2\.1\.0\/collection\.json$/)
    const externalAuths = ['cardProcessor', 'rail', 'verificationProvider']
    const expected = Object.entries<Endpoint>(API).filter(([, { auth }]) => !externalAuths.includes(auth))
    const items = collection.item.flatMap(({ item }) => item)
    expect(items.map(readEndpointName).toSorted()).toEqual(expected.map(([name]) => name).toSorted())
  })

  test('uses only declared variables', async () => {
    const text = await readText('/docs/postman.json')
    const collection: Collection = JSON.parse(text)
    const usedVariables = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name!)
    const declaredVariables = collection.variable.map(({ key }) => key)
    expect(declaredVariables).toContain('baseUrl')
    expect([...new Set(usedVariables)].filter((name) => !declaredVariables.includes(name))).toEqual([])
  })

  test('creates a customer, finds its accounts and its wallet, and pays to a bank account', async () => {
    const client = await newPlatform()
    const collection: Collection = JSON.parse(await readText('/docs/postman.json'))
    const items = new Map(
      collection.item.flatMap(({ item }) => item).map((item) => [readEndpointName(item), item]),
    )
    const values = new Map(collection.variable.map(({ key, value }) => [key, value]))
    const fillVariables = (text: string) =>
      text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values.get(name) ?? '')
    /** Sends a request as Postman does, and stores the record's id as the collection's script does. */
    const sendItem = async (name: string) => {
      const { request } = items.get(name)!
      const path = request.url.variable.reduce(
        (path, { key, value }) => path.replace(`:${key}`, encodeURIComponent(fillVariables(value))),
        request.url.raw.replace('{{baseUrl}}', ''),
      )
      const enabledParameters = request.url.query.filter(({ disabled }) => !disabled)
      const query = new URLSearchParams(
        enabledParameters.map(({ key, value }) => [key, fillVariables(value)]),
      )
      const body = request.body?.raw
      const response = await client.send(
        request.method,
        `${path}?${query}`,
        body && JSON.parse(fillVariables(body)),
      )
      expect(response.status, `${name}: ${JSON.stringify(response.body)}`).toBeLessThan(300)
      const records = Array.isArray(response.body.data) ? response.body.data.slice(0, 1) : [response.body]
      for (const { id } of records) values.set(String(id).split(':')[0]!, id)
      return response
    }
    await sendItem('customer_create')
    await sendItem('customer_internal_account_list')
    await sendItem('customer_get')
    await sendItem('customer_external_account_create')
    const { body } = await sendItem('quote_create')
    expect(body.id).toMatch(/^Quote:/)
    expect((await sendItem('quote_get')).body.id).toBe(body.id)
  })

  test('has no sandbox requests in production', async () => {
    const { server } = await world('production')
    const { body } = await server.inject('/docs/postman.json')
    expect(body).toContain('https://pay.example/2025-10-13')
    expect(body).not.toContain('{{baseUrl}}/sandbox/')
  })
})

describe('the machine-readable guides', () => {
  test('are listed in llms.txt with the OpenAPI document, and each link returns Markdown or JSON', async () => {
    const index = await readText('/llms.txt')
    expect(index).toMatch(/^# Countersign\n\n> /)
    const links = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThan(30)
    for (const link of links) {
      const response = await fetch(link)
      expect([link, response.status]).toEqual([link, 200])
      expect(response.headers.get('content-type')).toMatch(/^(?:text\/markdown|application\/json)/)
      await response.body?.cancel()
    }
  })

  test('are all in one file, with working links on this server', async () => {
    const guides = await readText('/docs/guides.md')
    const titles = [...(await readText('/llms.txt')).matchAll(/^- \[([^\]]+)\]\([^)]+\/docs\/guides\//gm)]
    expect(titles.length).toBeGreaterThan(30)
    for (const [, title] of titles) expect(guides.replaceAll('`', '')).toContain(`# ${title}\n`)
    expect(guides).not.toContain('<!-- printed')
    const outsideOfCode = guides.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '')
    const relative = [...outsideOfCode.matchAll(/\]\(([^)\s]+)\)/g)].filter(
      ([, link]) => !/^(?:https?:|\/docs\/(?:guides\/|errors(?:#|$)))/.test(link!),
    )
    expect(relative).toEqual([])
  })
})
