import { beforeAll, describe, test } from 'vitest'
import { chainAbsent } from '../worlds/chain/chain.testing.ts'
import { ensureServerBuilt } from '../worlds/server-process.testing.ts'
import { killAtEveryCall } from './chain-kill.testing.ts'

beforeAll(ensureServerBuilt)

describe.skipIf(chainAbsent)('a server on a chain', () => {
  test('killed after its node responds to any call but before it receives the response pays once and credits once, and its books match the chain', async () => {
    await killAtEveryCall('answered')
  })
})
