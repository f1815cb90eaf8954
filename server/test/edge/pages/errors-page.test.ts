import { DETAIL_CODES, ERROR_CODES } from '@countersign/contract/core/errors'
import { expect, test } from 'vitest'
import { newPlatform } from '../../worlds/client.testing.ts'
import { buildUnknownId } from '../../worlds/records/payments.testing.ts'

test('the docUrl of an error links to its entry, on a page that loads only files from this server', async () => {
  const client = await newPlatform()
  const refusal = await client.get(`/quotes/${buildUnknownId('Quote')}`)
  const docUrl = new URL(refusal.body.docUrl)
  expect(docUrl.hash).toBe('#QUOTE_NOT_FOUND')
  const reply = await fetch(docUrl)
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = await reply.text()
  expect(page).not.toMatch(/<(?:img|iframe)|(?:src|stylesheet" href)="(?!\/docs\/files\/)/)
  const entries = page.split('<a id="').slice(1)
  for (const code of [...ERROR_CODES, ...Object.keys(DETAIL_CODES)])
    expect(
      entries.filter((entry) => entry.startsWith(`${code}"`)),
      code,
    ).toHaveLength(1)
  const headings = ['When', 'What to do', 'Safe to retry']
  for (const code of ERROR_CODES) {
    const entry = entries.find((candidate) => candidate.startsWith(`${code}"`))
    for (const heading of headings) expect(entry, code).toContain(`<strong>${heading}</strong>`)
  }
})

test('the error guide is one page at two addresses, and other guides link to the shorter address', async () => {
  const { body } = await newPlatform().then((client) => client.get(`/quotes/${buildUnknownId('Quote')}`))
  const { origin } = new URL(body.docUrl)
  const readPage = async (path: string) => (await fetch(origin + path)).text()
  expect(await readPage('/docs/guides/errors')).toBe(await readPage('/docs/errors'))
  expect(await readPage('/docs/guides/api')).toContain('href="/docs/errors"')
})
