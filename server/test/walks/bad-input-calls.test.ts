import { type Endpoint, getBodyBytesMax } from '@countersign/contract/core/endpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { newPlatform, type Reply } from '../worlds/client.testing.ts'
import {
  buildMissingId,
  buildValidBody,
  expectError,
  newWorld,
  pathWith,
  selectCaller,
  stateOf,
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
  const path = pathWith(endpoint, (kind) => (kind === 'DeviceCode' ? world.ids[kind]! : buildMissingId(kind)))
  const address = `${path}?${new URLSearchParams(query)}`
  return selectCaller(endpoint, world).send(endpoint.method, address, body)
}

/** Without uploads: `documents.test.ts` tests their multipart forms. */
const WITH_BODY = ENDPOINTS.filter(([, { body, upload }]) => body !== undefined && !upload)

/** Lists the fields that a refusal reports. */
const listFields = ({ body }: Reply): string[] =>
  body.details.errors.map(({ field }: { field: string }) => field)

describe.each(WITH_BODY)('%s', (_, endpoint) => {
  test('refuses a malformed body, names each wrong field and stores nothing', async () => {
    // `bad-input.test.ts` tests the parser in full; this shows that the endpoint uses it.
    const schema = endpoint.body as JsonSchema
    const sample = { ...(samples(schema)[0] as object), strange: 1 }
    // A wrong tag hides the errors of the other fields of a union.
    const isTag = ({ path }: Member) => path[0] === schema.discriminator?.propertyName
    const member = membersOf(schema, sample).find(
      (candidate) => !candidate.schema.judgedByHandler && !isTag(candidate),
    )
    const text = member ? withRaw(sample, member.path, badValues(member.schema)[0]!) : toJson(sample)
    const reply = await send(endpoint, requiredQuery(endpoint), text)
    expectError(reply, { code: 'INVALID_INPUT', what: text })
    expect(new Set(listFields(reply))).toEqual(new Set([...(member?.path ?? []), 'strange']))
    const unreadable = await send(endpoint, requiredQuery(endpoint), '{"a":1,}')
    expectError(unreadable, { code: 'INVALID_INPUT', field: 'body' })
    expect(unreadable.body.message).toContain('is not valid JSON')
  })

  test('refuses a body that is too large and stores nothing', async () => {
    const max = getBodyBytesMax(endpoint)
    const reply = await send(endpoint, {}, JSON.stringify({ text: 'x'.repeat(max) }))
    expectError(reply, { code: 'PAYLOAD_TOO_LARGE' })
    expect(reply.body.details).toEqual({ bodyBytesMax: max })
  })
})

/** A response reports at most 20 faults, and each field may cause two. */
const FIELDS_PER_REQUEST = 9

test.each(ENDPOINTS.filter(([, { upload }]) => !upload))(
  '%s refuses a malformed query and names each wrong field',
  async (_, endpoint) => {
    const { properties = {} } = (endpoint.query ?? {}) as JsonSchema
    // Leaves out the fields that only the operation checks.
    const names = Object.keys(properties).filter((name) => name !== 'cursor' && !name.endsWith('UmaAddress'))
    for (let first = 0; first === 0 || first < names.length; first += FIELDS_PER_REQUEST) {
      const tested = names.slice(first, first + FIELDS_PER_REQUEST)
      const reply = await send(endpoint, {
        ...Object.fromEntries(tested.map((name) => [name, 'a\u0000b'])),
        strange: '1',
      })
      expectError(reply, { code: 'INVALID_INPUT' })
      const fields = listFields(reply).map((field) => field.replace(/\.0$/, ''))
      expect(fields).toEqual(expect.arrayContaining([...tested, 'strange']))
    }
  },
)

test.each(ENDPOINTS.filter(([, { upload }]) => upload))(
  'the upload %s refuses an unknown query parameter',
  async (name, endpoint) => {
    const reply = await send(endpoint, { strange: '1' }, buildValidBody(name, world.ids))
    expectError(reply, { code: 'INVALID_INPUT', field: 'strange' })
    expect(reply.body.message).toBe('strange is not known')
  },
)
