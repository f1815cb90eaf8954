import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../test/ports.testing.ts'
import { callConnector } from './signed-call.ts'

test('a connector response with characters that a database cannot store is cleaned', async () => {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end('{"entries": [{"text": "a\\u0000b\\ud800c", "amount": 9007199254740993}], "none": null}')
  })
  const port = await listen(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${port}`
  const connector = { url, secrets: [Buffer.alloc(32)], timeoutMs: 5000 }
  const { body } = await callConnector(connector, 'GET', '/statements/2026-03-01', new Date(0))
  expect(body).toEqual({ entries: [{ text: 'a\ufffdb\ufffdc', amount: 9007199254740993n }], none: null })
})
