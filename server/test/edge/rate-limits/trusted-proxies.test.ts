import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../src/base/settings/config.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let testServer: TestServer
beforeAll(async () => {
  testServer = await openServer({ TRUSTED_PROXIES: '127.0.0.0/8, ::1', REQUESTS_PER_ADDRESS: '3' })
})
afterAll(() => testServer.close())

/** Sends a request without credentials, as a proxy forwards it. */
const fetchStatus = async (forwardedFor: string, remoteAddress = '127.0.0.1') => {
  const headers = { 'x-forwarded-for': forwardedFor }
  return (await testServer.server.inject({ url: '/2025-10-13/config', headers, remoteAddress })).statusCode
}

test('behind a trusted proxy each caller is counted by its own address, even if it forges an earlier one', async () => {
  for (let count = 0; count < 3; count++) expect(await fetchStatus('203.0.113.1')).toBe(401)
  expect(await fetchStatus('203.0.113.1')).toBe(429)
  expect(await fetchStatus('198.51.100.7, 203.0.113.1')).toBe(429)
  expect(await fetchStatus('203.0.113.1, 127.0.0.3')).toBe(429)
  expect(await fetchStatus('203.0.113.2')).toBe(401)
})

test('X-Forwarded-For from an untrusted address is ignored', async () => {
  for (let count = 0; count < 3; count++)
    expect(await fetchStatus(`203.0.113.${count}`, '192.0.2.1')).toBe(401)
  expect(await fetchStatus('203.0.113.9', '192.0.2.1')).toBe(429)
})

test('all addresses of an IPv6 /64 share a limit', async () => {
  for (let count = 0; count < 3; count++) expect(await fetchStatus(`2001:db8:0:1::${count}`)).toBe(401)
  expect(await fetchStatus('2001:db8:0:1:ffff::9')).toBe(429)
  expect(await fetchStatus('2001:db8:0:2::1')).toBe(401)
})

test('the request log shows the address of the caller', async () => {
  const client = await testServer.newPlatform()
  await client.send('GET', '/config', undefined, { 'X-Forwarded-For': '6.6.6.6, 203.0.113.77' })
  expect((await client.get('/requests?path=/config')).body.data[0].address).toBe('203.0.113.77')
})

test('an invalid proxy network is named by the error that stops the start', () => {
  expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.0/8,proxy' })).toThrow('not "proxy"')
})
