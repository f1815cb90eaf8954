import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openServer } from '../../server/test/worlds/server.testing.ts'
import type { Connection } from './clients/calls.ts'
import { type ClientName, GENERATORS, pay, Workshop } from './generate.testing.ts'

const baseUrl = inject('baseUrl')
const names = Object.keys(GENERATORS) as ClientName[]

let workshop: Workshop
beforeAll(async () => {
  workshop = await Workshop.open(await (await fetch(`${baseUrl}/openapi.json`)).text())
})
afterAll(() => workshop?.remove())

async function createConnection(): Promise<Connection> {
  const response = await fetch(inject('platformMaker'), { method: 'POST' })
  return { ...((await response.json()) as Omit<Connection, 'baseUrl'>), baseUrl }
}

async function fetchQuorumKey(address: string): Promise<string> {
  const response = await fetch(new URL('/.well-known/countersign.json', address))
  return ((await response.json()) as { enclaveQuorumPublic: string }).enclaveQuorumPublic
}

describe('a client that is generated from the OpenAPI document', () => {
  test.each(names)(
    '%s compiles under strict rules, and signs in, quotes, pays and transfers',
    async (name) => {
      await workshop.make(name)
      const connect = await workshop.load(name)
      expect(await pay(connect(await createConnection()), await fetchQuorumKey(baseUrl))).toEqual({
        session: 'EMAIL_OTP',
        execution: 'PROCESSING',
        payment: 'COMPLETED',
        transfer: 'COMPLETED',
        fixedFee: expect.any(Number),
      })
    },
  )
})

test('a client generated for a different wire word works with a server that uses that word', async () => {
  const own = await openServer({ COUNTERSIGN_WIRE_WORD: 'acme' })
  const { baseUrl, credentials } = await own.newPlatform()
  const branded = await Workshop.open(await (await fetch(`${baseUrl}/openapi.json`)).text(), 'acme')
  try {
    await branded.make('openapi-fetch')
    const connect = await branded.load('openapi-fetch')
    const { payment, fixedFee } = await pay(
      connect({ ...credentials, baseUrl }),
      await fetchQuorumKey(baseUrl),
    )
    expect({ payment, fixedFee }).toEqual({ payment: 'COMPLETED', fixedFee: expect.any(Number) })
  } finally {
    await branded.remove()
    await own.close()
  }
})

describe('the OpenAPI document', () => {
  test("passes Redocly's recommended rules without a warning", async () => {
    const output = await workshop.lintWithRedocly()
    expect(output).toContain('Your API description is valid')
    expect(output).not.toMatch(/You have \d+ warning/)
  })

  test("passes Spectral's OpenAPI rules without a warning", async () => {
    expect(await workshop.lintWithSpectral()).toContain(
      "No results with a severity of 'warn' or higher found!",
    )
  })
})
