import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDeviceCode, startHttp } from '../cli/test/mcp.testing.ts'
import { type Browser, startBrowser } from './browser.testing.ts'

let server: Awaited<ReturnType<typeof startHttp>>
let browser: Browser

beforeAll(async () => {
  server = await startHttp()
  browser = await startBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.end()
})

test("a person signs an assistant in, and the page's security policy allows the redirect", async () => {
  const { code } = await makeDeviceCode()
  const { origin } = new URL(server.url)
  const assistant = createServer((_, response) => response.end('Connected')).listen(0, 'localhost')
  await once(assistant, 'listening')
  const address = assistant.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const redirectUri = `http://localhost:${port}/callback`
  const registration = { client_name: 'Assistant', redirect_uris: [redirectUri] }
  const registered = await fetch(`${origin}/register`, { method: 'POST', body: JSON.stringify(registration) })
  const verifier = randomBytes(32).toString('base64url')
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: (await registered.json()).client_id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })

  const { page } = browser
  const blocked: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) blocked.push(message.text())
  })
  await page.goto(`${origin}/authorize?${parameters}`)
  const field = page.getByLabel('Device code of the agent')
  await field.fill('AAA-AAA-AAA')
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByRole('alert').getByText('This code is unknown, already used or expired.').waitFor()
  await field.fill(code.toLowerCase())
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('Connected').waitFor()
  const sentTo = new URL(page.url())
  expect(`${sentTo.origin}${sentTo.pathname}`).toBe(redirectUri)
  expect(sentTo.searchParams.get('code')).toBeTruthy()
  expect(blocked).toEqual([])
  assistant.close()
})
