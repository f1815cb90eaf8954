import { expect, test } from 'vitest'
import { FairGate } from './fair-gate.ts'

/** Starts operations that run until the test ends them. */
function controlOperations(gate: FairGate) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const start = (platform: string, name: string) =>
    gate.run(platform, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  return { started, start, end: (name: string) => ends.get(name)!() }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const SIZE = { atOnceMax: 4, atOnceOfPlatformMax: 3, waitingOfPlatformMax: 5, waitingMax: 8 }

test('a platform leaves capacity for others, and waiting operations are admitted platform by platform', async () => {
  const { started, start, end } = controlOperations(new FairGate(SIZE))
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => start('a', name))
  all.push(start('b', 'b1'), start('b', 'b2'), start('c', 'c1'))
  await turn()
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
  end('a1')
  await turn()
  expect(started.slice(4)).toEqual(['a4'])
  end('a2')
  await turn()
  end('a3')
  await turn()
  expect(started.slice(5)).toEqual(['b2', 'c1'])
  for (const name of ['a4', 'b1', 'b2', 'c1']) end(name)
  await turn()
  expect(started.slice(7)).toEqual(['a5', 'a6'])
  end('a5')
  end('a6')
  await Promise.all(all)
})

test('a platform with too many waiting operations is rejected, and so are all once the queue is full', async () => {
  const gate = new FairGate(SIZE)
  const { start, end, started } = controlOperations(gate)
  const all = Array.from({ length: 8 }, (_, n) => start('a', `a${n}`))
  expect(() => gate.admit('a')).toThrow(/Nothing was done/)
  await expect(start('a', 'too many')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  gate.admit('b')
  all.push(...Array.from({ length: 4 }, (_, n) => start('b', `b${n}`)))
  expect(() => gate.admit()).toThrow(/Nothing was done/)
  for (let n = 0; n < 12; n++) {
    await turn()
    end(started[n]!)
  }
  await Promise.all(all)
  expect(started).toHaveLength(12)
  gate.admit('a')
})

test('a failed operation releases its capacity', async () => {
  const gate = new FairGate({ ...SIZE, atOnceMax: 1, atOnceOfPlatformMax: 1 })
  await expect(gate.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate.run('a', async () => 1)).toBe(1)
})
