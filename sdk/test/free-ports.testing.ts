import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Ports that nothing listens on. */
export async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))))
  const ports = servers.map((server) => String((server.address() as AddressInfo).port))
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return ports
}
