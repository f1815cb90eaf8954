import { once } from 'node:events'
import { acquireLock } from '../../../src/storage/engine/lock.ts'

// program <lock file>: takes the lock when the first line of input arrives, and holds it until the input ends.
process.stdout.write('ready\n')
await once(process.stdin, 'data')
try {
  const lock = acquireLock(process.argv[2] ?? '', () => process.stdout.write('lost\n'))
  process.stdout.write('taken\n')
  await once(process.stdin.resume(), 'end')
  lock.release()
} catch (error) {
  process.stdout.write(`refused ${(error as Error).message}\n`)
}
