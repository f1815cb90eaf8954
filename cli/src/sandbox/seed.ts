import { progress } from '@clack/prompts'
import { seedSandbox } from '@countersign/sdk/testing'
import { printResult, type Shell } from '../connection/shell.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'

/** `countersign sandbox seed`: fills the platform with a data set, with a progress bar. */
export async function seed(
  shell: Shell,
  options: { readonly customers?: number; readonly days?: number },
): Promise<void> {
  const isShown = !shell.isJson && io().stdout.isTTY
  const size = 100
  const bar = isShown ? progress({ max: size }) : undefined
  let shown = 0
  bar?.start('Create example data')
  try {
    const seeded = await seedSandbox(shell.countersign, {
      ...options,
      onProgress: ({ done, total, words }) => {
        const now = Math.floor((done / total) * size)
        bar?.advance(now - shown, words)
        shown = now
      },
    })
    bar?.stop('The data set was created')
    const { customerIds, days } = seeded
    printResult(shell, seeded, [`${customerIds.length} customers and ${days} days of payments were made.`])
  } catch (error) {
    bar?.error('not finished; the records created so far stay')
    throw error
  }
}

/** Reads a whole number from 0 to 9999. Throws Failure. */
export function readCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Failure(`A number from 0 to 9999 is required, not "${text}".`)
  return Number(text)
}
