import type { EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { expect, test } from 'vitest'
import { toJson } from '../src/json/json.ts'
import type { Ids, ParamKind } from './bodies.testing.ts'
import { forEach, kindOfParam, missingId, pathWith, validBody } from './calls.testing.ts'
import type { Reply } from './client.testing.ts'
import { type JsonSchema, kindsOf, membersOf, samples, withRaw } from './schemas.testing.ts'

/** Who calls an endpoint. */
export interface Isolated {
  send(endpoint: Endpoint, path: string, body?: unknown): Promise<Reply>
  /** The caller's own records. */
  ids(endpoint: Endpoint): Ids
  /** Records of this kind that the endpoint must not show to the caller. */
  strangers(endpoint: Endpoint, kind: ParamKind): readonly (string | undefined)[]
}

/** An answer without the id that was asked for. */
function withoutId(reply: Reply, id: string) {
  return { status: reply.status, body: toJson(reply.body ?? null).replaceAll(id, '<id>') }
}

/** Tests of each endpoint: a record of a stranger and one that does not exist get the same answer, wherever its id stands. */
export function testStrangersAreMissing(
  endpoints: readonly (readonly [EndpointName, Endpoint])[],
  caller: Isolated,
): void {
  async function expectAsIfMissing(
    what: string,
    endpoint: Endpoint,
    kind: ParamKind,
    ask: (id: string) => Promise<Reply>,
  ) {
    for (const id of caller.strangers(endpoint, kind)) {
      if (id === undefined) continue
      const [strange, missing] = [await ask(id), await ask(missingId(kind))]
      expect(withoutId(strange, id), what).toEqual(withoutId(missing, missingId(kind)))
      expect(strange.status, what).not.toBe(500)
    }
  }
  const ownFor = (endpoint: Endpoint) => (kind: ParamKind) => caller.ids(endpoint)[kind] ?? missingId(kind)

  // A code in the path is the credential itself.
  const withParams = endpoints.filter(([, { params, auth }]) => params && auth !== 'deviceCode')
  test.each(withParams)('in the address of %s', async (name, endpoint) => {
    const own = ownFor(endpoint)
    for (const param of Object.keys((endpoint.params as unknown as JsonSchema).properties!)) {
      const kind = kindOfParam(endpoint, param)
      await expectAsIfMissing(name, endpoint, kind, async (id) => {
        const path = pathWith(endpoint, (other) => (other === kind ? id : own(other)))
        const reply = await caller.send(endpoint, path, validBody(name, caller.ids(endpoint)))
        expect(reply.status, `${name} ${toJson(reply.body)}`).toBe(404)
        return reply
      })
    }
  })

  const withQuery = endpoints.filter(([, { query }]) => query)
  test.each(withQuery)('in the query of %s', async (name, endpoint) => {
    const { properties = {} } = endpoint.query as unknown as JsonSchema
    for (const [member, schema] of Object.entries(properties))
      for (const kind of kindsOf(schema) ?? [])
        await expectAsIfMissing(`${name} ${member}`, endpoint, kind as ParamKind, (id) =>
          caller.send(endpoint, `${pathWith(endpoint, ownFor(endpoint))}?${member}=${id}`),
        )
  })

  const withBody = endpoints.filter(([, { body }]) => body)
  test.each(withBody)('in the body of %s', async (name, endpoint) => {
    const schema = endpoint.body as unknown as JsonSchema
    const seen = new Set<string>()
    for (const sample of [validBody(name, caller.ids(endpoint))!, ...samples(schema)]) {
      const ids = membersOf(schema, sample).flatMap(({ path, schema }) =>
        (kindsOf(schema) ?? []).map((kind) => ({ path, kind })),
      )
      await forEach(ids, async ({ path, kind }) => {
        const what = `${name} ${path.join('.')} ${kind}`
        if (seen.has(what)) return
        seen.add(what)
        await expectAsIfMissing(what, endpoint, kind as ParamKind, (id) =>
          caller.send(
            endpoint,
            pathWith(endpoint, ownFor(endpoint)),
            withRaw(sample, path, JSON.stringify(id)),
          ),
        )
      })
    }
  })
}
