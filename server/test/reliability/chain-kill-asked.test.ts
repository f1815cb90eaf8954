import { beforeAll, describe, test } from 'vitest'
import { chainAbsent } from '../worlds/chain/chain.testing.ts'
import { ensureServerBuilt } from '../worlds/server-process.testing.ts'
import { killAtEveryCall } from './chain-kill.testing.ts'

beforeAll(ensureServerBuilt)

describe.skipIf(chainAbsent)('a server on a chain', () => {
  test('killed before its node hears of any of its calls pays once and credits once, and the books are the chain', async () => {
    await killAtEveryCall('asked')
  })
})
