import { openApi } from '@countersign/contract/document/openapi'
import { describe, expect, test } from 'vitest'
import { readApi, resolveSchema } from './api.ts'
import type { ApiDocument } from './api-document.ts'
import { renderOperationPage } from './operation-page.ts'
import { renderReferencePage } from './section-page.ts'

const document: ApiDocument = JSON.parse(JSON.stringify(openApi({ serverUrl: '/base' })))
const api = readApi(document)
const operations = [document.paths, document.webhooks].flatMap((paths) =>
  Object.values(paths).flatMap((item) => Object.values(item)),
)

describe('the pages of the API reference', () => {
  const pages = new Map(
    [...api.pages].flatMap(([name, { section, entry }]) =>
      entry ? [[name, renderOperationPage(api, section, entry, 'http://base').text] as const] : [],
    ),
  )

  test('cover each operation and webhook, with every status and error code, and are linked from the start page', () => {
    const start = renderReferencePage(api, 'http://base', []).text
    expect(operations.length).toBeGreaterThan(200)
    expect([...pages.keys()].toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted())
    expect(api.pages.size).toBe(operations.length + api.sections.length)
    for (const { operationId: name, responses } of operations) {
      expect(start, name).toContain(`<li id="${name}"><a href="/docs/api/${name}">`)
      const page = pages.get(name)
      expect(page, name).toContain(`<h1 id="${name}">`)
      for (const [status, { description }] of Object.entries(responses)) {
        expect(page, name).toContain(`<h3>${status}</h3>`)
        const codes = Number(status) >= 400 ? description.matchAll(/^`([A-Z_\d]+)`/gm) : []
        for (const [, code] of codes) expect(page, name).toContain(`href="/docs/errors#${code}"`)
      }
    }
  })

  test('show every parameter and every field of a request body', () => {
    for (const { operationId: name, parameters = [], requestBody } of operations) {
      const lines = pages.get(name)?.matchAll(/<p class="line"><code>([^<]+)<\/code>/g) ?? []
      const shown = new Set([...lines].map(([, field]) => field))
      for (const parameter of parameters)
        if (parameter.$ref === undefined) expect(shown, name).toContain(parameter.name)
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        for (const field of Object.keys(resolveSchema(document, schema ?? {}).properties ?? {}))
          expect(shown, name).toContain(field)
    }
  })

  test('have no duplicate ids', () => {
    for (const [name, page] of pages) {
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect(new Set(ids).size, name).toBe(ids.length)
    }
  })
})
