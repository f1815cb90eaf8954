import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../src/base/settings/config.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

let host: TestServer
beforeAll(async () => {
  host = await openServer({ TRUSTED_PROXIES: '127.0.0.0/8, ::1', REQUESTS_PER_ADDRESS: '3' })
})
afterAll(() => host.close())

/** A request without credentials, as a proxy hands it on. */
const statusFrom = async (forwardedFor: string, remoteAddress = '127.0.0.1') => {
  const headers = { 'x-forwarded-for': forwardedFor }
  return (await host.server.inject({ url: '/2025-10-13/config', headers, remoteAddress })).statusCode
}

test('behind a trusted proxy each caller is counted by its own address, and a made-up one in front of it changes nothing', async () => {
  for (let count = 0; count < 3; count++) expect(await statusFrom('203.0.113.1')).toBe(401)
  expect(await statusFrom('203.0.113.1')).toBe(429)
  expect(await statusFrom('198.51.100.7, 203.0.113.1')).toBe(429)
  expect(await statusFrom('203.0.113.1, 127.0.0.3')).toBe(429)
  expect(await statusFrom('203.0.113.2')).toBe(401)
})

test('X-Forwarded-For from anyone else is ignored', async () => {
  for (let count = 0; count < 3; count++)
    expect(await statusFrom(`203.0.113.${count}`, '192.0.2.1')).toBe(401)
  expect(await statusFrom('203.0.113.9', '192.0.2.1')).toBe(429)
})

test('all addresses of an IPv6 /64 share a limit', async () => {
  for (let count = 0; count < 3; count++) expect(await statusFrom(`2001:db8:0:1::${count}`)).toBe(401)
  expect(await statusFrom('2001:db8:0:1:ffff::9')).toBe(429)
  expect(await statusFrom('2001:db8:0:2::1')).toBe(401)
})

test('the request log has the address of the caller', async () => {
  const client = await host.newPlatform()
  await client.send('GET', '/config', undefined, { 'X-Forwarded-For': '6.6.6.6, 203.0.113.77' })
  expect((await client.get('/requests?path=/config')).body.data[0].address).toBe('203.0.113.77')
})

test('an invalid network is refused at the start, by its name', () => {
  expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.0/8,proxy' })).toThrow('not "proxy"')
})
