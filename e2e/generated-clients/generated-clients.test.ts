import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Connection } from './clients/calls.ts'
import { pay } from './flow.testing.ts'
import { type ClientName, GENERATORS, Workshop } from './generate.testing.ts'

const baseUrl = inject('baseUrl')
const names = Object.keys(GENERATORS) as ClientName[]

let workshop: Workshop
beforeAll(async () => {
  workshop = await Workshop.open(await (await fetch(`${baseUrl}/openapi.json`)).text())
})
afterAll(() => workshop?.remove())

async function newConnection(): Promise<Connection> {
  const response = await fetch(inject('platformMaker'), { method: 'POST' })
  return { ...((await response.json()) as Omit<Connection, 'baseUrl'>), baseUrl }
}

describe('a client that is generated from the OpenAPI document', () => {
  test.each(names)(
    '%s compiles under strict rules, and signs in, quotes, pays and transfers',
    async (name) => {
      await workshop.make(name)
      const connect = await workshop.load(name)
      const wellKnown = await fetch(new URL('/.well-known/countersign.json', baseUrl))
      const { enclaveQuorumPublic } = (await wellKnown.json()) as { enclaveQuorumPublic: string }
      expect(await pay(connect(await newConnection()), enclaveQuorumPublic)).toEqual({
        session: 'EMAIL_OTP',
        execution: 'PROCESSING',
        payment: 'COMPLETED',
        transfer: 'COMPLETED',
        fixedFee: expect.any(Number),
      })
    },
  )
})

test('the OpenAPI document passes the linter of Redocly without an error', async () => {
  expect(await workshop.lint()).toContain('Your API description is valid')
})
