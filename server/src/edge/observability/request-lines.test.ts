import { createColors } from 'picocolors'
import { expect, test } from 'vitest'
import { type RequestLine, requestLine, requestLines } from './request-lines.ts'

const PLAIN = createColors(false)
const COLORED = createColors(true)
const LINE: RequestLine = {
  method: 'GET',
  path: '/customers',
  status: 200,
  code: undefined,
  durationMs: 1.234,
  httpRequestId: 'r-1',
}

test('a request is shown as one line with status, method, path, time and request id', () => {
  expect(requestLine(LINE, PLAIN)).toMatch(/^200 GET {4}\/customers +1\.2 ms {2}r-1$/)
})

test('the request line of an error shows its code, and a disconnected client has no status', () => {
  const refused = { ...LINE, status: 404, code: 'USER_NOT_FOUND', durationMs: 12.7 }
  expect(requestLine(refused, PLAIN)).toMatch(/^404 GET {4}\/customers +USER_NOT_FOUND +13 ms {2}r-1$/)
  expect(requestLine({ ...LINE, status: undefined }, PLAIN)).toMatch(/^--- GET/)
})

test('the status in a request line is green, yellow or red if colors are enabled', () => {
  const getColor = (status: number) => requestLine({ ...LINE, status }, COLORED).slice(0, 5)
  expect([200, 404, 500].map(getColor)).toEqual(['\u001b[32m', '\u001b[33m', '\u001b[31m'])
})

test('a request path cannot inject commands into the terminal', () => {
  const text = requestLine({ ...LINE, path: `/\u001b[2J\u009b31m\r\n${'x'.repeat(500)}` }, PLAIN)
  expect(text).toMatch(/^[\x20-\x7e…]{1,250}$/)
})

test('request lines of one turn of the event loop are written together', async () => {
  const written: string[] = []
  const write = requestLines({ write: (text) => void written.push(text) }, PLAIN)
  write(LINE)
  write({ ...LINE, httpRequestId: 'r-2' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(written.map((text) => text.split('\n').map((line) => line.slice(-3)))).toEqual([['r-1', 'r-2', '']])
})
