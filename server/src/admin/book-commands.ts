import { readFile } from 'node:fs/promises'
import { messageOf } from '../formats/thrown.ts'
import { extendChains } from '../proofs/chain.ts'
import { signCheckpoints } from '../proofs/checkpoints.ts'
import { type KeptCheckpoint, verifyLedger } from '../proofs/verify.ts'
import type { AdminCommand } from './commands.ts'

/** Commands that prove the books (decision 0057). */
export const BOOK_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'books verify': {
    usage: 'books verify [--checkpoints FILE]',
    options: { checkpoints: { type: 'string' } },
    required: [],
    run: async (app, { checkpoints }) => {
      const kept = checkpoints === undefined ? [] : await readKept(String(checkpoints))
      return verifyLedger(app.db, app.enclave.quorumPublicKey, kept)
    },
  },
  'books checkpoint': {
    usage: 'books checkpoint',
    options: {},
    required: [],
    run: async (app) => {
      await extendChains(app.db, app.clock)
      return { checkpoints: await signCheckpoints(app, app.clock()) }
    },
  },
}

/** A file with a checkpoint on each line, as the API shows it or as the event with it. Throws an error of one line. */
async function readKept(path: string): Promise<KeptCheckpoint[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, at) => {
    try {
      const read = JSON.parse(line)
      const { payload, signature } = read.data ?? read
      if (typeof payload === 'string' && typeof signature === 'string') return { payload, signature }
      throw new Error('it has no payload and signature')
    } catch (error) {
      throw new Error(`--checkpoints ${path}, line ${at + 1}: ${messageOf(error)}`)
    }
  })
}
