import { bodyBytesMaxOf, type Endpoint } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { newPlatform, type Reply } from '../worlds/client.testing.ts'
import {
  callerOf,
  expectError,
  missingId,
  newWorld,
  pathWith,
  stateOf,
  validBody,
  type World,
} from '../worlds/contract/calls.testing.ts'
import {
  badValues,
  ENDPOINTS,
  type JsonSchema,
  type Member,
  membersOf,
  requiredQuery,
  samples,
  withRaw,
} from '../worlds/contract/schemas.testing.ts'

let world: World
let before: unknown
beforeAll(async () => {
  world = await newWorld(await newPlatform())
  before = await stateOf(world.client, world.agent)
})
// `-t` with the name of an endpoint shows which one changed something.
afterAll(async () => expect(await stateOf(world.client, world.agent)).toEqual(before))

function send(endpoint: Endpoint, query: Readonly<Record<string, string>>, body?: unknown) {
  // A device code is the credential itself.
  const path = pathWith(endpoint, (kind) => (kind === 'DeviceCode' ? world.ids[kind]! : missingId(kind)))
  const address = `${path}?${new URLSearchParams(query)}`
  return callerOf(endpoint, world).send(endpoint.method, address, body)
}

/** Forms are not JSON: `documents.test.ts` has the refused ones. */
const WITH_BODY = ENDPOINTS.filter(([, { body, upload }]) => body !== undefined && !upload)

/** The fields that a refusal lists. */
const fieldsOf = ({ body }: Reply): string[] =>
  body.details.errors.map(({ field }: { field: string }) => field)

describe.each(WITH_BODY)('the server checks the body of %s', (_, endpoint) => {
  test('with the parser of `bad-input.test.ts`, naming each wrong field, and stores nothing', async () => {
    const schema = endpoint.body as JsonSchema
    const sample = { ...(samples(schema)[0] as object), strange: 1 }
    // The other members of a union can only be checked by its tag.
    const isTag = ({ path }: Member) => path[0] === schema.discriminator?.propertyName
    const member = membersOf(schema, sample).find((one) => !one.schema.judgedByHandler && !isTag(one))
    const text = member ? withRaw(sample, member.path, badValues(member.schema)[0]!) : toJson(sample)
    const reply = await send(endpoint, requiredQuery(endpoint), text)
    expectError(reply, { code: 'INVALID_INPUT', what: text })
    expect(new Set(fieldsOf(reply))).toEqual(new Set([...(member?.path ?? []), 'strange']))
    const unreadable = await send(endpoint, requiredQuery(endpoint), '{"a":1,}')
    expectError(unreadable, { code: 'INVALID_INPUT', field: 'body' })
    expect(unreadable.body.message).toContain('is not valid JSON')
  })

  test('for its size, and stores nothing', async () => {
    const max = bodyBytesMaxOf(endpoint)
    const reply = await send(endpoint, {}, JSON.stringify({ text: 'x'.repeat(max) }))
    expectError(reply, { code: 'PAYLOAD_TOO_LARGE' })
    expect(reply.body.details).toEqual({ bodyBytesMax: max })
  })
})

/** A response names at most 20 faults, and a field may have two. */
const NAMED_AT_ONCE = 9

test.each(ENDPOINTS.filter(([, { upload }]) => !upload))(
  'the server checks the query of %s with the parser of `bad-input-query.test.ts`, naming each wrong field',
  async (_, endpoint) => {
    const { properties = {} } = (endpoint.query ?? {}) as JsonSchema
    // Fields that only the operation would refuse are left out.
    const names = Object.keys(properties).filter((name) => name !== 'cursor' && !name.endsWith('UmaAddress'))
    for (let first = 0; first === 0 || first < names.length; first += NAMED_AT_ONCE) {
      const some = names.slice(first, first + NAMED_AT_ONCE)
      const reply = await send(endpoint, {
        ...Object.fromEntries(some.map((name) => [name, 'a\u0000b'])),
        strange: '1',
      })
      expectError(reply, { code: 'INVALID_INPUT' })
      const fields = fieldsOf(reply).map((field) => field.replace(/\.0$/, ''))
      expect(fields).toEqual(expect.arrayContaining([...some, 'strange']))
    }
  },
)

test.each(ENDPOINTS.filter(([, { upload }]) => upload))(
  'the server refuses an unknown parameter in the query of the upload %s',
  async (name, endpoint) => {
    const reply = await send(endpoint, { strange: '1' }, validBody(name, world.ids))
    expectError(reply, { code: 'INVALID_INPUT', field: 'strange' })
    expect(reply.body.message).toBe('strange is not known')
  },
)
