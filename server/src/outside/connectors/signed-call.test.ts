import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callConnector } from './signed-call.ts'

test('a connector response with characters that a database cannot store is cleaned', async () => {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end('{"entries": [{"text": "a\\u0000b\\ud800c", "amount": 9007199254740993}], "none": null}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connector = { url, secrets: [Buffer.alloc(32)], timeoutMs: 5000 }
  const { body } = await callConnector(connector, 'GET', '/statements/2026-03-01', new Date(0))
  expect(body).toEqual({ entries: [{ text: 'a\ufffdb\ufffdc', amount: 9007199254740993n }], none: null })
})
