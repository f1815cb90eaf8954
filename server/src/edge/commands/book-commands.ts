import { readFile } from 'node:fs/promises'
import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { extendChains } from '../../operation/proofs/chain.ts'
import { signCheckpoints } from '../../operation/proofs/checkpoints.ts'
import { type StoredCheckpoint, verifyLedger } from '../../operation/proofs/verify.ts'
import type { AdminCommands } from './admin-command.ts'

/** Commands that verify the books (decision 0057). */
export const BOOK_COMMANDS = {
  'books verify': async (app, { checkpoints }) => {
    const storedCheckpoints = checkpoints === undefined ? [] : await readCheckpoints(String(checkpoints))
    return verifyLedger(app.db, app.enclave.quorumPublicKey, storedCheckpoints)
  },
  'books checkpoint': async (app) => {
    await extendChains(app.db, app.clock)
    return { checkpoints: await signCheckpoints(app, app.clock()) }
  },
} satisfies AdminCommands

/**
 * Reads a file with one checkpoint per line, in the form of the API or of its event. Throws a one-line error.
 */
async function readCheckpoints(path: string): Promise<StoredCheckpoint[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => {
    try {
      const parsed = JSON.parse(line)
      const { payload, signature } = parsed.data ?? parsed
      if (typeof payload === 'string' && typeof signature === 'string') return { payload, signature }
      throw new Error('it has no payload and signature')
    } catch (error) {
      throw new Error(`--checkpoints ${path}, line ${index + 1}: ${getErrorSentence(error)}`)
    }
  })
}
